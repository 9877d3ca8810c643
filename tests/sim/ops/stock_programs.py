"""Stock Triton kernels with loops, branches, matrix products, atomics: what NumPy makes of the same input."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

from tests.sim.ops.cases import MINOR, Case, N, floats, numbers

PROGRAMS: dict[str, Case] = {}

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
    PROGRAMS[f"dot {np.dtype(dtype)} {precision}"] = Case(
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


PROGRAMS["control"] = Case(
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


if MINOR < 9:  # Triton 3.9 has no block pointers.
    PROGRAMS["block pointer"] = Case(
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


PROGRAMS["select pointer"] = Case(
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


PROGRAMS["atomic"] = Case(
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


PROGRAMS["atomic float"] = Case(
    atomic_float_kernel,
    {"x": numbers("f4"), "out": np.full(4, -100, "f4")},
    lambda x, out: {"out": np.array([4 * x.sum() - 100, x.max(), x[:64:2].max(), x[1:64:2].max()], "f4")},
    constants={"N": N},
    grid=(4,),
)


@triton.jit
def atomic_order_kernel(out, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    if tl.program_id(0) == 0:
        tl.store(out + i, i)
        tl.debug_barrier()
        tl.atomic_store(flag, 1)
    else:
        tl.atomic_poll(flag, 1)
        tl.store(out + N + i, tl.load(out + i) + tl.atomic_load(flag))


if MINOR >= 9:
    PROGRAMS["atomic order"] = Case(
        atomic_order_kernel,
        {"out": np.zeros(2 * N, "i4"), "flag": np.zeros(1, "i4")},
        lambda out, flag: {
            "out": np.concatenate([np.arange(N), np.arange(N) + 1]).astype("i4"),
            "flag": np.array([1], "i4"),
        },
        constants={"N": N},
        grid=(2,),
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


PROGRAMS["random"] = Case(random_kernel, {"out": np.zeros(N, "i4")}, philox, {"seed": 11}, {"N": N})


@triton.jit
def normal_kernel(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_assert(seed > 0, "a seed")
    tl.assume(seed > 0)
    u = tl.rand(seed, i)
    tl.store(out + i, (u >= 0) & (u < 1) & (tl.abs(tl.randn(seed, i)) < 10))


PROGRAMS["normal"] = Case(
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


PROGRAMS["layer norm"] = Case(
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


PROGRAMS["attention"] = Case(
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
