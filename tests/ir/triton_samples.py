"""Stock Triton kernels, each for a part of TTGIR that a parser may stumble over."""

import triton
import triton.language as tl

CONSTANTS = {"N": 128}


@triton.jit
def masked_copy(x, y, n, N: tl.constexpr):
    i = tl.program_id(1) * N + tl.arange(0, N)
    mask = i < n
    value = tl.load(x + i, mask=mask, other=-1.5, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(y + i, value, mask=mask, cache_modifier=".wb")


@triton.jit
def loops(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    last = 0
    for k in tl.range(0, n, 2, num_stages=1):
        total += tl.load(x + k * N + i)
        last = k
    while last > 3:
        if last % 2 == 0:
            total = total * 2.0
        else:
            total = total - 1.0
        last -= 3
    tl.store(y + i, total + last)


@triton.jit
def unsigned_loop(y, n: tl.uint32, N: tl.constexpr):
    total = tl.zeros((N,), tl.int32)
    for k in range(n):
        total += k.to(tl.int32)
    tl.store(y + tl.arange(0, N), total)


@triton.jit
def early_return(x, y, n, N: tl.constexpr):
    if tl.program_id(0) >= n:
        return
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i))


@triton.jit
def combine_pairs(a_value, a_index, b_value, b_index):
    bigger = a_value > b_value
    return tl.where(bigger, a_value, b_value), tl.where(bigger, a_index, b_index)


@triton.jit
def reductions(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    biggest, where = tl.reduce((value, i), 0, combine_pairs)
    running = tl.cumsum(value, 0)
    backwards, _ = tl.associative_scan((value, i), 0, combine_pairs, reverse=True)
    tl.store(y + i, running + backwards + biggest + where + tl.sum(value) + tl.argmax(value, 0))


@triton.jit
def reshuffles(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    low, high = tl.split(tl.reshape(tl.sort(value), (N // 2, 2)))
    both = tl.reshape(tl.trans(tl.join(high, low)), (N,))
    picked = tl.gather(both, (i * 7) % N, 0)
    counts = tl.histogram(i % 16, 16)
    tl.store(y + i, picked + tl.broadcast_to(tl.max(counts, 0), (N,)))


@triton.jit
def atomics(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_add(y + i, 1.0, mask=i < n, sem="relaxed", scope="cta")
    tl.atomic_cas(n_pointer(x), 0, 1, sem="acquire")
    tl.atomic_max(y + i, old)


@triton.jit
def n_pointer(x):
    return x.to(tl.pointer_type(tl.int32))


@triton.jit(noinline=True)
def square(value, N: tl.constexpr):
    return value * value, value + N


@triton.jit
def calls(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = square(tl.load(x), N)
    tl.store(y + i, a + b)


@triton.jit
def texts(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.device_print('say "hi" \\ {x} // no comment', value, hex=True)
    tl.device_assert(value > 0, "must be positive: x[i] -> {0}")
    swapped = tl.inline_asm_elementwise(
        "{ // PTX\n\tmul.f32 $0, $1, 0f40000000; }", "=f,f", [value], dtype=tl.float32, is_pure=True, pack=1
    )
    tl.store(y + i, swapped)


@triton.jit
def constants(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    value = tl.where(i == 0, float("inf"), value)
    value = tl.where(i == 1, float("-inf"), value)
    value = tl.where(i == 2, float("nan"), value)
    value += tl.full((N,), 0.1, tl.float64).to(tl.float32)
    value += tl.full((N,), float("inf"), tl.float64).to(tl.float32) * tl.program_id(0)
    value = (value.to(tl.bfloat16) + tl.full((N,), 1.0e-3, tl.bfloat16)).to(tl.float32)
    value = (value.to(tl.float16) + tl.full((N,), float("-inf"), tl.float16)).to(tl.float32)
    value = value.to(tl.float8e4nv).to(tl.float32) + value.to(tl.float8e5).to(tl.float32)
    value += tl.extra.cuda.libdevice.exp2(value) + tl.math.rsqrt(value) + tl.clamp(value, 0.0, 6.0)
    value += tl.umulhi(i, i + 1) + tl.cdiv(n, 7)
    tl.store(y + i, value)


@triton.jit
def pipelined_gemm(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :], mask=(start + k)[None, :] < K, other=0.0)
        right = tl.load(b + (start + k)[:, None] * BN + n[None, :], mask=(start + k)[:, None] < K)
        acc = tl.dot(left, right, acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)


@triton.jit
def specialized_gemm(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, K, BK, warp_specialize=True):
        acc = tl.dot(a.load([0, start]), b.load([start, 0]), acc)
    c.store([0, 0], acc.to(tl.bfloat16))


@triton.jit
def device_descriptor(x, y, n, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n, N], [N, 1], [16, N])
    target = tl.make_tensor_descriptor(y, [n, N], [N, 1], [16, N])
    target.atomic_add([16, 0], source.load([0, 0]))


_VECTOR = {"x": "*fp32", "y": "*fp32", "n": "i32"}
_GEMM = {"BM": 64, "BN": 128, "BK": 64}


def _tile(rows: int, columns: int) -> str:
    return f"tensordesc<bf16[{rows}, {columns}]>"


# kernel, signature, constants, options
SAMPLES = {
    **{
        kernel.__name__: (kernel, _VECTOR, CONSTANTS, {})
        for kernel in (
            masked_copy,
            loops,
            early_return,
            reductions,
            reshuffles,
            atomics,
            calls,
            constants,
            device_descriptor,
        )
    },
    "unsigned_loop": (unsigned_loop, {"y": "*i32", "n": "u32"}, CONSTANTS, {}),
    "texts": (texts, _VECTOR, CONSTANTS, {"debug": True}),
    "pipelined_gemm": (
        pipelined_gemm,
        {"a": "*bf16:16", "b": "*bf16:16", "c": "*fp32:16", "K": "i32:16"},
        _GEMM,
        {"num_stages": 3},
    ),
    "pipelined_small_gemm": (
        pipelined_gemm,
        {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"},
        {"BM": 32, "BN": 32, "BK": 32},
        {"num_stages": 4, "num_warps": 2},
    ),
    "specialized_gemm": (
        specialized_gemm,
        {"a": _tile(64, 64), "b": _tile(64, 128), "c": _tile(64, 128), "K": "i32"},
        _GEMM,
        {"num_stages": 3},
    ),
}
