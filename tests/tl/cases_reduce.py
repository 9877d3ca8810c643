"""Reductions, scans, sorting, gathering, counting."""

import numpy as np
import triton
import triton.language as tl

from tests.tl.case import N, case, floats, numbers, output, put, put_tile

M, W = 8, 32


def reduce_rows(x):
    return [
        x.sum(1),
        x.max(1),
        x.min(1),
        x.argmax(1),
        x.argmin(1),
        x.sum(1),
        x.max(1),
        x.min(1),
        x.argmax(1),
        x.argmin(1),
        x[:, 0] * 0 + x.sum(),
        x.max(1) + x.argmax(1),
        x.min(1) + x.argmin(1),
        x.prod(1, dtype="i4") if x.dtype.kind == "i" else x[:, 0] * 0,
    ]


@triton.jit
def multiply(a, b):
    return a * b


def reductions(x, out, M: tl.constexpr, W: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, W)
    a = tl.load(x + i[:, None] * W + j[None, :])
    put(out, 0, tl.sum(a, 1))
    put(out, 1, tl.max(a, 1))
    put(out, 2, tl.min(a, 1))
    put(out, 3, tl.argmax(a, 1))
    put(out, 4, tl.argmin(a, 1))
    put(out, 5, a.sum(axis=1))
    put(out, 6, a.max(1))
    put(out, 7, a.min(1))
    put(out, 8, a.argmax(1))
    put(out, 9, a.argmin(1))
    put(out, 10, tl.zeros((M,), tl.float32) + tl.sum(a))
    top, where = tl.max(a, 1, return_indices=True)
    put(out, 11, top + where)
    low, where = tl.min(a, 1, return_indices=True, return_indices_tie_break_left=True)
    put(out, 12, low + where)
    put(out, 13, tl.reduce(a, 1, multiply) if a.dtype.is_int() else tl.zeros((M,), tl.float32))


for dtype in ("i4", "f4", "f2", "i1"):
    case(
        dtype,
        x=numbers(dtype, M, W, low=-1, high=3),
        out=output(14, M),
        M=M,
        W=W,
        expected=reduce_rows,
    )(reductions)


@case(
    x=numbers("i4", M, W),
    out=output(8, W, dtype="i4"),
    M=M,
    W=W,
    expected=lambda x: [
        x.sum(0),
        x.max(0),
        np.bitwise_xor.reduce(x, 0),
        np.bitwise_or.reduce(x, 0),
        np.bitwise_xor.reduce(x, 0),
        np.bitwise_or.reduce(x, 0),
        x.prod(0, dtype="i4"),
        x.sum(0),
    ],
)
def reduce_columns(x, out, M: tl.constexpr, W: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :])
    put(out, 0, tl.sum(a, 0))
    put(out, 1, tl.max(a, 0))
    put(out, 2, tl.xor_sum(a, 0))
    put(out, 3, tl.reduce_or(a, 0))
    put(out, 4, a.xor_sum(0))
    put(out, 5, a.reduce_or(0))
    put(out, 6, a.reduce(0, multiply))
    put(out, 7, tl.sum(a, 0, keep_dims=True).ravel())


@triton.jit
def later(a0, b0, a1, b1):
    return a1 * a0, a1 * b0 + b1


@triton.jit
def moments(mean0, m0, n0, mean1, m1, n1):
    """Welford's update for two parts."""
    n = n0 + n1
    delta = mean1 - mean0
    return mean0 + delta * (n1 / n), m0 + m1 + delta * delta * (n0 * n1 / n), n


@case(
    x=floats("f4", M, W), out=output(2, M), M=M, W=W, rtol=1e-5, gpu_rtol=1e-5, expected=lambda x: [x.mean(1), x.var(1)]
)
def reduce_tuples(x, out, M: tl.constexpr, W: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :])
    mean, m2, n = tl.reduce((a, tl.zeros_like(a), tl.full(a.shape, 1, tl.float32)), 1, moments)
    put(out, 0, mean)
    put(out, 1, m2 / n)


def scanned(x):
    sign, state, recurrence = np.where(x > 0, 1, -1), 0, []
    for a, b in zip(sign, x):
        state = a * state + b
        recurrence.append(state)
    down = np.cumsum(x[::-1])[::-1]
    return [np.cumsum(x), down, np.cumprod(sign), recurrence, np.cumsum(x), np.cumprod(sign), np.cumsum(x)]


@triton.jit
def plus(a, b):
    return a + b


@case(x=numbers("i4", N), out=output(7, N, dtype="i4"), N=N, expected=scanned)
def scans(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    sign = tl.where(a > 0, 1, -1)
    put(out, 0, tl.cumsum(a, 0))
    put(out, 1, tl.cumsum(a, 0, reverse=True))
    put(out, 2, tl.cumprod(sign, 0))
    _, state = tl.associative_scan((sign, a), 0, later)
    put(out, 3, state)
    put(out, 4, a.cumsum())
    put(out, 5, sign.cumprod())
    put(out, 6, a.associative_scan(0, plus))


@case(
    x=numbers("f4", M, W),
    out=output(3, M, W),
    M=M,
    W=W,
    expected=lambda x: [np.cumsum(x, 0), np.cumsum(x, 1), np.maximum.accumulate(x, 1)],
)
def scan_matrix(x, out, M: tl.constexpr, W: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :])
    put_tile(out, 0, tl.cumsum(a, 0))
    put_tile(out, 1, tl.cumsum(a, 1))
    put_tile(out, 2, tl.associative_scan(a, 1, tl.standard._elementwise_max))


@case(
    x=numbers("i4", N), out=output(3, N, dtype="i4"), N=N, expected=lambda x: [np.sort(x), np.sort(x)[::-1], np.sort(x)]
)
def sort(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, tl.sort(a))
    put(out, 1, tl.sort(a, descending=True))
    put(out, 2, tl.sort(a, dim=0))


@case(
    x=floats("f4", 4, 16),
    out=output(4, 4, 8),
    expected=lambda x: [-np.sort(-x, 1)[:, :8], *[np.sort(x, 1)[:, i::2] for i in (0, 1)], -np.sort(-x, 1)[:, :8]],
)
def sort_rows(x, out):
    a = tl.load(x + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :])
    put_tile(out, 0, tl.topk(a, 8))
    even, odd = tl.split(tl.reshape(tl.sort(a, 1), (4, 8, 2)))
    put_tile(out, 1, even)
    put_tile(out, 2, odd)
    put_tile(out, 3, tl.topk(a, 8, dim=1))


@case(
    x=np.concatenate([np.arange(0, 32), np.arange(31, -1, -1)]).astype("i4"),
    out=output(1, N, dtype="i4"),
    N=N,
    expected=lambda x: [np.sort(x)],
)
def merge(x, out, N: tl.constexpr):
    put(out, 0, tl.bitonic_merge(tl.load(x + tl.arange(0, N))))


@case(
    x=numbers("f4", M, W),
    k=numbers("i4", M, W, low=0, high=8),
    out=output(4, M, W),
    M=M,
    W=W,
    expected=lambda x, k: [
        np.take_along_axis(x, k, 1),
        np.take_along_axis(x, k, 0),
        np.take_along_axis(x, k, 1),
        np.take_along_axis(x, k * 0 + 3, 0),
    ],
)
def gather(x, k, out, M: tl.constexpr, W: tl.constexpr):
    there = tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :]
    a, index = tl.load(x + there), tl.load(k + there)
    put_tile(out, 0, tl.gather(a, index, 1))
    put_tile(out, 1, tl.gather(a, index, 0))
    put_tile(out, 2, a.gather(index, axis=-1))
    put_tile(out, 3, tl.gather(a, tl.full((M, W), 3, tl.int32), 0))


@case(
    x=numbers("i4", N, low=0, high=16),
    out=output(4, 16, dtype="i4"),
    N=N,
    expected=lambda x: [
        np.bincount(x, minlength=16),
        np.bincount(x[:40], minlength=16),
        np.bincount(x, minlength=16),
        np.bincount(x, minlength=16) * 2,
    ],
)
def histogram(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    put(out, 0, tl.histogram(a, 16))
    put(out, 1, tl.histogram(a, 16, mask=i < 40))
    put(out, 2, a.histogram(16))
    put(out, 3, tl.histogram(a, 16) + tl.histogram(tl.flip(a, 0), 16))


@triton.jit
def collatz(a, b):
    if a % 2 == 0:
        return a // 2, b
    else:
        return 3 * a + 1, b + 1


@triton.jit
def divide(a, b):
    return a // (b + 1)


@case(
    x=numbers("i4", N, low=0),
    out=output(3, N, dtype="i4"),
    N=N,
    expected=lambda x: [np.where(x % 2 == 0, x // 2, 3 * x + 1), np.arange(N) + x % 2, x // (np.arange(N) + 1)],
)
def map_elements(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.map_elementwise(collatz, tl.load(x + i), i)
    put(out, 0, a)
    put(out, 1, b)
    put(out, 2, tl.map_elementwise(divide, tl.load(x + i), i))
