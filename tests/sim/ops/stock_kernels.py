"""Stock Triton kernels, one for each corner of the language, with what NumPy makes of the same input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

N = 128


@dataclass
class Case:
    """A launch.

    Args:
        kernel: a `@triton.jit` function.
        arrays: pointer arguments by name.
        expected: arrays by name after the launch, from the arrays before it.
        scalars, constants: the other arguments.
        grid: programs.
        rtol: 0 demands equal bits.
    """

    kernel: Callable
    arrays: dict[str, np.ndarray]
    expected: Callable[..., dict[str, np.ndarray]]
    scalars: dict[str, int | float] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    grid: tuple[int, ...] = (1,)
    rtol: float = 0


CASES: dict[str, Case] = {}


def numbers(dtype, *shape: int, low=-8, high=8) -> np.ndarray:
    """Small integers of any dtype: sums and products are exact."""
    return np.random.default_rng(0).integers(low, high, shape or (N,)).astype(dtype)


def floats(dtype, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(0.1, 2, shape or (N,)).astype(dtype)


# --- elementwise -----------------------------------------------------------------------------------------------------


@triton.jit
def add_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask, other=0), mask)


CASES["add"] = Case(
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
    CASES[f"integers {dtype}"] = Case(
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
    CASES[f"floats {np.dtype(dtype)}"] = Case(
        floats_kernel,
        {"x": floats(dtype), "y": floats(dtype)[::-1].copy(), "out": np.zeros(10 * N, dtype)},
        float_ops,
        constants={"N": N},
        rtol=0 if np.dtype(dtype).itemsize < 8 else 1e-15,
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


CASES["math"] = Case(
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
    CASES[f"cast {np.dtype(source)} {np.dtype(target)}"] = Case(
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


CASES["bits"] = Case(
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


CASES["round to zero"] = Case(
    round_to_zero_kernel,
    {"x": floats("f4"), "out": np.zeros(N, ml_dtypes.bfloat16)},
    lambda x, out: {"out": (x.view("u4") >> 16).astype("u2").view(ml_dtypes.bfloat16)},
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


CASES["reduce"] = Case(
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


CASES["softmax"] = Case(
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


CASES["scan"] = Case(scan_kernel, {"x": numbers("i4"), "out": np.zeros(4 * N, "i4")}, scans, constants={"N": N})

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


CASES["shape"] = Case(
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


CASES["sort"] = Case(
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


CASES["cat"] = Case(
    cat_kernel,
    {"x": numbers("i4"), "out": np.zeros(2 * N, "i4")},
    lambda x, out: {"out": np.sort(np.concatenate([x, x + 100]))},
    constants={"N": N},
)

# --- matrix products -------------------------------------------------------------------------------------------------


@triton.jit
def dot_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32 if c.dtype.element_ty == tl.int32 else tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + k[None, :], (i[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + j[None, :], (k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=acc.dtype)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(c.dtype.element_ty), (i[:, None] < M) & (j[None, :] < N))


for dtype, precision, out in [
    (np.float16, None, "f4"),
    (ml_dtypes.bfloat16, None, ml_dtypes.bfloat16),
    (np.float32, "tf32", "f4"),
    (np.float32, "tf32x3", "f4"),
    (np.float32, "ieee", "f4"),
    (np.int8, None, "i4"),
    (ml_dtypes.float8_e4m3fn, None, "f4"),
    (ml_dtypes.float8_e5m2, None, "f4"),
]:
    CASES[f"dot {np.dtype(dtype)} {precision}"] = Case(
        dot_kernel,
        {"a": numbers(dtype, 70, 90), "b": numbers(dtype, 90, 80), "c": np.zeros((70, 80), out)},
        lambda a, b, c: {"c": (a.astype("f4") @ b.astype("f4")).astype(c.dtype)},
        {"M": 70, "N": 80, "K": 90},
        {"BM": 64, "BN": 64, "BK": 32, "PRECISION": precision},
        grid=(2, 2),
    )

# --- control flow, pointers ------------------------------------------------------------------------------------------


@triton.jit
def control_kernel(x, out, n, N: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= n:
        return
    total = 0
    k = pid
    while k > 0:
        if k % 2 == 0:
            total += k
        else:
            total -= 1
        k -= 1
    for step in tl.static_range(3):
        total += step
    for tile in range(pid, N, tl.num_programs(0)):
        total += tl.load(x + tile)
    tl.store(out + pid, total)


def control(x, out):
    def one(pid):
        loop = sum(k if k % 2 == 0 else -1 for k in range(1, pid + 1))
        return loop + 3 + x[pid :: len(out)].sum()

    return {"out": np.array([one(pid) if pid < 5 else 0 for pid in range(len(out))], "i4")}


CASES["control"] = Case(
    control_kernel, {"x": numbers("i4"), "out": np.zeros(7, "i4")}, control, {"n": 5}, {"N": N}, grid=(7,)
)


@triton.jit
def block_pointer_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    target = tl.make_block_ptr(out, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    for _ in range(0, N, BN):
        moved = tl.load(source, boundary_check=(0, 1), padding_option="zero") + 1
        tl.store(target, moved, boundary_check=(0, 1))
        source = tl.advance(source, (0, BN))
        target = tl.advance(target, (0, BN))


CASES["block pointer"] = Case(
    block_pointer_kernel,
    {"x": numbers("i4", 12, 40), "out": np.zeros((12, 40), "i4")},
    lambda x, out: {"out": x + 1},
    {"M": 12, "N": 40},
    {"BM": 16, "BN": 16},
)


@triton.jit
def select_pointer_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(tl.where(i % 2 == 0, x + i, y + i)))
    address = (x + i).to(tl.int64) + 4
    tl.store(out + N + i, tl.load(address.to(tl.pointer_type(tl.int32)), i < N - 1, other=-1))


CASES["select pointer"] = Case(
    select_pointer_kernel,
    {"x": numbers("i4"), "y": numbers("i4") + 100, "out": np.zeros(2 * N, "i4")},
    lambda x, y, out: {"out": np.concatenate([np.where(np.arange(N) % 2 == 0, x, y), x[1:], [-1]]).astype("i4")},
    constants={"N": N},
)

# --- atomics, randomness, debugging ----------------------------------------------------------------------------------


@triton.jit
def atomic_kernel(x, out, old, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.atomic_add(out, 1)
    tl.atomic_add(out + 1 + i % 4, a)
    tl.atomic_max(out + 5 + i % 2, a)
    tl.atomic_min(out + 7 + i % 2, a)
    tl.atomic_or(out + 9, tl.program_id(0) + 1)
    tl.atomic_xor(out + 10, 3, sem="relaxed")
    tl.atomic_and(out + 11, 6)
    tl.atomic_add(old, tl.atomic_cas(out + 12, 0, 5))
    tl.atomic_xchg(out + 13, 7)


def atomics(x, out, old):
    i = np.arange(N)
    after = [3, *(3 * x[i % 4 == k].sum() for k in range(4))]
    after += [max(0, x[i % 2 == k].max()) for k in range(2)] + [min(0, x[i % 2 == k].min()) for k in range(2)]
    return {"out": np.array([*after, 3, 3, 0, 5, 7], "i4"), "old": np.array([0 + 5 + 5], "i4")}


CASES["atomic"] = Case(
    atomic_kernel,
    {"x": numbers("i4"), "out": np.zeros(14, "i4"), "old": np.zeros(1, "i4")},
    atomics,
    constants={"N": N},
    grid=(3,),
)


@triton.jit
def atomic_float_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.atomic_add(out, tl.sum(a))
    tl.atomic_max(out + 1, tl.max(a))
    tl.atomic_max(out + 2 + i % 2, a, mask=i < N // 2)


CASES["atomic float"] = Case(
    atomic_float_kernel,
    {"x": numbers("f4"), "out": np.full(4, -100, "f4")},
    lambda x, out: {"out": np.array([4 * x.sum() - 100, x.max(), x[:64:2].max(), x[1:64:2].max()], "f4")},
    constants={"N": N},
    grid=(4,),
)


@triton.jit
def random_kernel(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.randint(seed, i).to(tl.int32))


def philox(out, seed=11):
    """Philox 4x32-10 (Salmon et al. 2011), first of its four words."""
    mask = 2**32 - 1

    def first(counter):
        c0, c1, c2, c3, k0, k1 = counter, 0, 0, 0, seed, 0
        for _ in range(10):
            a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
            c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & mask, (a >> 32) ^ c3 ^ k1, a & mask
            k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
        return c0

    return {"out": np.array([first(i) for i in range(N)], "u4").view("i4")}


CASES["random"] = Case(random_kernel, {"out": np.zeros(N, "i4")}, philox, {"seed": 11}, {"N": N})


@triton.jit
def normal_kernel(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_assert(seed > 0, "a seed")
    tl.assume(seed > 0)
    u = tl.rand(seed, i)
    tl.store(out + i, (u >= 0) & (u < 1) & (tl.abs(tl.randn(seed, i)) < 10))


CASES["normal"] = Case(
    normal_kernel, {"out": np.zeros(N, "?")}, lambda out: {"out": np.ones(N, "?")}, {"seed": 11}, {"N": N}
)


@triton.jit
def layer_norm_kernel(x, weight, bias, out, n, eps, N: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, N)
    a = tl.load(x + row * n + j, j < n, other=0).to(tl.float32)
    mean = tl.sum(a, 0) / n
    centred = tl.where(j < n, a - mean, 0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    y = centred * scale * tl.load(weight + j, j < n) + tl.load(bias + j, j < n)
    tl.store(out + row * n + j, y, j < n)


def layer_norm(x, weight, bias, out):
    a = x.astype("f8")
    centred = a - a.mean(1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    return {"out": (scaled * weight + bias).astype(out.dtype)}


CASES["layer norm"] = Case(
    layer_norm_kernel,
    {
        "x": floats("f2", 3, 100),
        "weight": floats("f4", 100),
        "bias": floats("f4", 100),
        "out": np.zeros((3, 100), "f4"),
    },
    layer_norm,
    {"n": 100, "eps": 1e-5},
    {"N": 128},
    grid=(3,),
    rtol=1e-4,
)


@triton.jit
def attention_kernel(q, k, v, out, scale, S: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + i[:, None] * D + d[None, :])
    highest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, S, BN):
        j = start + tl.arange(0, BN)
        key = tl.load(k + j[None, :] * D + d[:, None])
        score = tl.dot(query, key) * (scale * 1.44269504)
        score = tl.where(i[:, None] >= j[None, :], score, float("-inf"))
        new = tl.maximum(highest, tl.max(score, 1))
        weights = tl.exp2(score - new[:, None])
        correction = tl.exp2(highest - new)
        total = total * correction + tl.sum(weights, 1)
        value = tl.load(v + j[:, None] * D + d[None, :])
        acc = tl.dot(weights.to(tl.float16), value, acc * correction[:, None])
        highest = new
    tl.store(out + i[:, None] * D + d[None, :], acc / total[:, None])


def attention(q, k, v, out):
    q, k, v = (t.astype("f8") for t in (q, k, v))
    score = q @ k.T / 8
    score[np.triu_indices(len(q), 1)] = -np.inf
    weights = np.exp(score - score.max(1, keepdims=True))
    return {"out": (weights / weights.sum(1, keepdims=True) @ v).astype("f4")}


CASES["attention"] = Case(
    attention_kernel,
    {
        "q": floats("f2", 128, 64),
        "k": floats("f2", 128, 64),
        "v": floats("f2", 128, 64),
        "out": np.zeros((128, 64), "f4"),
    },
    attention,
    {"scale": 0.125},
    {"S": 128, "D": 64, "BM": 64, "BN": 32},
    grid=(2,),
    rtol=2e-3,
)
