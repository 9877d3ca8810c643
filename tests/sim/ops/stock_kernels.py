"""Stock Triton kernels that compute, reduce and move elements, with what NumPy makes of the same input."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

from tests.sim.ops.cases import Case, N, floats, numbers

KERNELS: dict[str, Case] = {}

# --- elementwise -----------------------------------------------------------------------------------------------------


@triton.jit
def add_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask, other=0), mask)


KERNELS["add"] = Case(
    add_kernel,
    {"x": floats("f4", 300), "y": floats("f4", 300), "out": np.zeros(300, "f4")},
    lambda x, y, out: {"out": x + y},
    {"n": 300},
    {"N": 128},
    grid=(3,),
)


@triton.jit
def integers_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + N + i, a - b)
    tl.store(out + 2 * N + i, a * b)
    tl.store(out + 3 * N + i, a // b)
    tl.store(out + 4 * N + i, a % b)
    tl.store(out + 5 * N + i, (a & b) | (a ^ ~b))
    tl.store(out + 6 * N + i, tl.minimum(a, b) + tl.maximum(a, 1))
    tl.store(out + 7 * N + i, a << 1)
    tl.store(out + 8 * N + i, a >> 1)
    tl.store(out + 9 * N + i, tl.where(a < b, a, tl.abs(b)))
    tl.store(out + 10 * N + i, tl.cdiv(a, b))
    tl.store(out + 11 * N + i, (a < b).to(out.dtype.element_ty))


def integers(x, y, out):
    truncated = np.trunc(x / y.astype("f8")).astype(x.dtype)
    rows = [
        x + y,
        x - y,
        x * y,
        truncated,
        x - truncated * y,
        (x & y) | (x ^ ~y),
        np.minimum(x, y) + np.maximum(x, 1),
        x << 1,
        x >> 1,
        np.where(x < y, x, np.abs(y)),
        np.trunc((x + y - 1) / y.astype("f8")).astype(x.dtype),
        x < y,
    ]
    return {"out": np.concatenate(rows).astype(x.dtype)}


for dtype in ("i1", "i2", "i4", "i8", "u1", "u4"):
    low = 0 if dtype[0] == "u" else -50
    KERNELS[f"integers {dtype}"] = Case(
        integers_kernel,
        {"x": numbers(dtype, low=low, high=50), "y": numbers(dtype, low=1, high=9), "out": np.zeros(12 * N, dtype)},
        integers,
        constants={"N": N},
    )


@triton.jit
def floats_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + N + i, a - b)
    tl.store(out + 2 * N + i, a * b)
    tl.store(out + 3 * N + i, a / b)
    tl.store(out + 4 * N + i, tl.minimum(a, b) + tl.maximum(a, b))
    tl.store(out + 5 * N + i, tl.clamp(a, 0.25, 0.75))
    tl.store(out + 6 * N + i, tl.fma(a, b, a))
    tl.store(out + 7 * N + i, tl.abs(-a))
    tl.store(out + 8 * N + i, tl.where(a > b, a, b))
    tl.store(out + 9 * N + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))


def float_ops(x, y, out):
    wide_x, wide_y = x.astype("f8"), y.astype("f8")
    rows = [
        x + y,
        x - y,
        x * y,
        wide_x / wide_y,
        np.minimum(x, y) + np.maximum(x, y),
        np.clip(x, 0.25, 0.75),
        wide_x * wide_y + wide_x,
        x,
        np.maximum(x, y),
        np.maximum(x, y),
    ]
    return {"out": np.concatenate([row.astype(x.dtype) for row in rows])}


for dtype in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
    KERNELS[f"floats {np.dtype(dtype)}"] = Case(
        floats_kernel,
        {"x": floats(dtype), "y": floats(dtype)[::-1].copy(), "out": np.zeros(10 * N, dtype)},
        float_ops,
        constants={"N": N},
        rtol=0 if np.dtype(dtype).itemsize < 8 else 1e-15,
        gpu_rtol=3e-7 if dtype is np.float32 else 0,  # `/` is div.full.f32: 2 ulp
    )


@triton.jit
def math_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.exp(a))
    tl.store(out + N + i, tl.exp2(a))
    tl.store(out + 2 * N + i, tl.log(a))
    tl.store(out + 3 * N + i, tl.log2(a))
    tl.store(out + 4 * N + i, tl.sqrt(a))
    tl.store(out + 5 * N + i, tl.rsqrt(a))
    tl.store(out + 6 * N + i, tl.sin(a))
    tl.store(out + 7 * N + i, tl.cos(a))
    tl.store(out + 8 * N + i, tl.erf(a))
    tl.store(out + 9 * N + i, tl.floor(a) + tl.ceil(a))
    tl.store(out + 10 * N + i, tl.sqrt_rn(a) + tl.div_rn(a, 3.0))
    tl.store(out + 11 * N + i, tl.sigmoid(a))
    tl.store(out + 12 * N + i, a % 0.75)
    tl.store(out + 13 * N + i, libdevice.tanh(a) + libdevice.pow(a, a))
    tl.store(out + 14 * N + i, tl.fdiv(a, 3.0))


def math_functions(x, out):
    erf = np.vectorize(__import__("math").erf)
    a = x.astype("f8")
    rows = [np.exp(a), np.exp2(a), np.log(a), np.log2(a), np.sqrt(a), a**-0.5, np.sin(a), np.cos(a), erf(a)]
    rows += [np.floor(a) + np.ceil(a), np.sqrt(a) + a / 3, 1 / (1 + np.exp(-a)), np.fmod(a, 0.75), np.tanh(a) + a**a]
    return {"out": np.concatenate([*rows, a / 3]).astype("f4")}


KERNELS["math"] = Case(
    math_kernel, {"x": floats("f4"), "out": np.zeros(15 * N, "f4")}, math_functions, constants={"N": N}, rtol=5e-6
)


@triton.jit
def cast_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


CASTS = [
    ("f4", "f2"),
    ("f4", ml_dtypes.bfloat16),
    (ml_dtypes.bfloat16, "f4"),
    ("f8", ml_dtypes.bfloat16),
    ("f4", ml_dtypes.float8_e4m3fn),
    ("f2", ml_dtypes.float8_e5m2),
    (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
    (ml_dtypes.float8_e5m2, "f4"),
    ("i4", "f4"),
    ("u4", "f4"),
    ("i1", ml_dtypes.bfloat16),
    ("f4", "i4"),
    ("f2", "i1"),
    ("i4", "i8"),
    ("u1", "i4"),
    ("i8", "i2"),
    ("f4", "?"),
    ("i4", "?"),
]
for source, target in CASTS:
    KERNELS[f"cast {np.dtype(source)} {np.dtype(target)}"] = Case(
        cast_kernel,
        {"x": numbers(source, low=0 if np.dtype(source).kind == "u" else -8), "out": np.zeros(N, target)},
        lambda x, out: {"out": x.astype(out.dtype)},
        constants={"N": N},
    )


@triton.jit
def bits_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, a.to(tl.int32, bitcast=True))
    tl.store(out + N + i, tl.umulhi(a.to(tl.uint32, bitcast=True), i.to(tl.uint32)).to(tl.int32, bitcast=True))


KERNELS["bits"] = Case(
    bits_kernel,
    {"x": floats("f4"), "out": np.zeros(2 * N, "i4")},
    lambda x, out: {
        "out": np.concatenate([x.view("i4"), (x.view("u4").astype("u8") * np.arange(N, dtype="u8") >> 32).astype("i4")])
    },
    constants={"N": N},
)


@triton.jit
def round_to_zero_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.bfloat16, fp_downcast_rounding="rtz"))


KERNELS["round to zero"] = Case(
    round_to_zero_kernel,
    {"x": floats("f4"), "out": np.zeros(N, ml_dtypes.bfloat16)},
    lambda x, out: {"out": (x.view("u4") >> 16).astype("u2").view(ml_dtypes.bfloat16)},
    constants={"N": N},
)


@triton.jit
def collatz(a, b):
    if a % 2 == 0:
        return a // 2, b
    else:
        return 3 * a + 1, b + 1


@triton.jit
def map_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.map_elementwise(collatz, tl.load(x + i), i)
    tl.store(out + i, a)
    tl.store(out + N + i, b)


KERNELS["map"] = Case(
    map_kernel,
    {"x": numbers("i4"), "out": np.zeros(2 * N, "i4")},
    lambda x, out: {
        "out": np.concatenate([np.where(x % 2 == 0, x // 2, 3 * x + 1), np.arange(N) + x % 2]).astype("i4")
    },
    constants={"N": N},
)

# --- reductions and scans --------------------------------------------------------------------------------------------


@triton.jit
def reduce_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + i, tl.sum(a, 1))
    tl.store(out + M + i, tl.max(a, 1))
    tl.store(out + 2 * M + i, tl.min(a, 1))
    tl.store(out + 3 * M + i, tl.argmax(a, 1))
    tl.store(out + 4 * M + i, tl.argmin(a, 1))
    tl.store(out + 5 * M + i, tl.xor_sum(a, 1))
    tl.store(out + 6 * M, tl.sum(a))


KERNELS["reduce"] = Case(
    reduce_kernel,
    {"x": numbers("i4", 16, 32), "out": np.zeros(6 * 16 + 1, "i4")},
    lambda x, out: {
        "out": np.concatenate(
            [x.sum(1), x.max(1), x.min(1), x.argmax(1), x.argmin(1), np.bitwise_xor.reduce(x, 1), [x.sum()]]
        ).astype("i4")
    },
    constants={"M": 16, "N": 32},
)


@triton.jit
def softmax_kernel(x, out, n, N: tl.constexpr):
    j = tl.arange(0, N)
    row = tl.load(x + tl.program_id(0) * n + j, j < n, other=float("-inf"))
    shifted = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * n + j, shifted / tl.sum(shifted, 0), j < n)


KERNELS["softmax"] = Case(
    softmax_kernel,
    {"x": floats("f4", 5, 100), "out": np.zeros((5, 100), "f4")},
    lambda x, out: {"out": (np.exp(x) / np.exp(x).sum(1, keepdims=True)).astype("f4")},
    {"n": 100},
    {"N": 128},
    grid=(5,),
    rtol=1e-6,
)


@triton.jit
def compose(a0, b0, a1, b1):
    return a1 * a0, a1 * b0 + b1


@triton.jit
def scan_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.cumsum(a, 0))
    tl.store(out + N + i, tl.cumsum(a, 0, reverse=True))
    tl.store(out + 2 * N + i, tl.cumprod(tl.where(a > 0, 1, -1), 0))
    _, b = tl.associative_scan((tl.where(a > 0, 1, -1), a), 0, compose)
    tl.store(out + 3 * N + i, b)


def scans(x, out):
    sign = np.where(x > 0, 1, -1)
    recurrence, state = [], 0
    for a, b in zip(sign, x):
        state = a * state + b
        recurrence.append(state)
    rows = [np.cumsum(x), np.cumsum(x[::-1])[::-1], np.cumprod(sign), recurrence]
    return {"out": np.concatenate(rows).astype("i4")}


KERNELS["scan"] = Case(scan_kernel, {"x": numbers("i4"), "out": np.zeros(4 * N, "i4")}, scans, constants={"N": N})

# --- moving elements -------------------------------------------------------------------------------------------------


@triton.jit
def shape_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    flat = tl.arange(0, M * N)
    tl.store(out + flat, tl.reshape(tl.trans(a), (M * N,)))
    low, high = tl.split(tl.reshape(a, (M, N // 2, 2)))
    tl.store(out + M * N + flat, tl.reshape(tl.join(high, low), (M * N,)))
    tl.store(out + 2 * M * N + flat, tl.reshape(tl.interleave(low, high), (M * N,)))
    tl.store(out + 3 * M * N + flat, tl.reshape(tl.permute(tl.reshape(a, (M, 2, N // 2)), (1, 2, 0)), (M * N,)))
    tl.store(out + 4 * M * N + flat, tl.reshape(tl.flip(a, 1), (M * N,)))


def shapes(x, out):
    m, n = x.shape
    rows = [x.T, x.reshape(m, n // 2, 2)[..., ::-1], x, x.reshape(m, 2, n // 2).transpose(1, 2, 0), x[:, ::-1]]
    return {"out": np.concatenate([row.ravel() for row in rows])}


KERNELS["shape"] = Case(
    shape_kernel, {"x": numbers("i4", 8, 32), "out": np.zeros(5 * 8 * 32, "i4")}, shapes, constants={"M": 8, "N": 32}
)


@triton.jit
def sort_kernel(x, out, counts, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.sort(a))
    tl.store(out + N + i, tl.sort(a, descending=True))
    tl.store(out + 2 * N + i, tl.gather(a, N - 1 - i, 0))
    tl.store(counts + tl.arange(0, 16), tl.histogram(a + 8, 16))


KERNELS["sort"] = Case(
    sort_kernel,
    {"x": numbers("i4"), "out": np.zeros(3 * N, "i4"), "counts": np.zeros(16, "i4")},
    lambda x, out, counts: {
        "out": np.concatenate([np.sort(x), np.sort(x)[::-1], x[::-1]]),
        "counts": np.bincount(x + 8, minlength=16).astype("i4"),
    },
    constants={"N": N},
)


@triton.jit
def cat_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + tl.arange(0, 2 * N), tl.sort(tl.cat(a, a + 100, can_reorder=True)))


KERNELS["cat"] = Case(
    cat_kernel,
    {"x": numbers("i4"), "out": np.zeros(2 * N, "i4")},
    lambda x, out: {"out": np.sort(np.concatenate([x, x + 100]))},
    constants={"N": N},
)
