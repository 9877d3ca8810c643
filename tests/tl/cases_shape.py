"""Tensors are created, and their elements change places."""

import numpy as np
import triton.language as tl

from tests.tl.case import N, case, numbers, output, put, put_tile

M, W = 8, 32


def line(*values):
    return [np.broadcast_to(v, N) for v in values]


@case(out=output(8, N), N=N, expected=lambda: line(np.arange(N), np.arange(N) + N, 0, 2.5, 0, 3, 0, 9))
def create(out, N: tl.constexpr):
    put(out, 0, tl.arange(0, N))
    put(out, 1, tl.arange(N, 2 * N))
    put(out, 2, tl.zeros((N,), tl.float32))
    put(out, 3, tl.full((N,), 2.5, tl.float32))
    put(out, 4, tl.zeros_like(tl.arange(0, N)))
    put(out, 5, tl.full([N], tl.program_id(0) + 3, tl.int32))
    put(out, 6, tl.zeros([N], dtype=tl.int1))
    put(out, 7, tl.broadcast_to(tl.full((1,), 9, tl.int32), (N,)))


@case(out=output(15, N), N=N, expected=lambda: line(*[3] * 12, 1, 3, 3))
def dtypes(out, N: tl.constexpr):
    """A constant of every dtype, through arithmetic or a conversion."""
    put(out, 0, tl.full((N,), 3, tl.int8))
    put(out, 1, tl.full((N,), 3, tl.int16))
    put(out, 2, tl.full((N,), 3, tl.int32))
    put(out, 3, tl.full((N,), 3, tl.int64))
    put(out, 4, tl.full((N,), 3, tl.uint8))
    put(out, 5, tl.full((N,), 3, tl.uint16))
    put(out, 6, tl.full((N,), 3, tl.uint32))
    put(out, 7, tl.full((N,), 3, tl.uint64))
    put(out, 8, tl.full((N,), 3, tl.float16))
    put(out, 9, tl.full((N,), 3, tl.bfloat16))
    put(out, 10, tl.full((N,), 3, tl.float32))
    put(out, 11, tl.full((N,), 3, tl.float64))
    put(out, 12, tl.full((N,), 1, tl.int1))
    put(out, 13, tl.full((N,), 3, tl.float32).to(tl.float8e4nv).to(tl.float32))
    put(out, 14, tl.full((N,), 3, tl.float32).to(tl.float8e5).to(tl.float32))


@case(
    x=numbers("i4", M, W),
    out=output(9, M, W, dtype="i4"),
    M=M,
    W=W,
    expected=lambda x: [x, x, x, x[:, :1] + np.zeros_like(x), x[:1] + np.zeros_like(x), x, x[:, :1] * x[:1], x, x],
)
def broadcasting(x, out, M: tl.constexpr, W: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, W)
    a = tl.load(x + i[:, None] * W + j[None, :])
    column, row = tl.load(x + i * W), tl.load(x + j)
    put_tile(out, 0, a)
    put_tile(out, 1, tl.load(x + tl.expand_dims(i, 1) * W + tl.expand_dims(j, 0)))
    put_tile(out, 2, tl.load(x + i.expand_dims(-1) * W + j.expand_dims([0])))
    put_tile(out, 3, tl.broadcast_to(column[:, None], (M, W)))
    put_tile(out, 4, row[None, :].broadcast_to(M, W))
    wide, _ = tl.broadcast(a, row[None, :])
    put_tile(out, 5, wide)
    put_tile(out, 6, column[:, None] * row[None, :])
    put_tile(out, 7, a + tl.zeros((1, 1), tl.int32))
    put_tile(out, 8, tl.reshape(a[:, None, :] + tl.zeros((2,), tl.int32)[None, :, None], (M, 2, W)).max(1))


def rearranged(x):
    cube = x.reshape(M, 2, W // 2)
    return [
        x.T,
        x.T,
        x.T,
        x.T,
        x,
        x,
        cube.transpose(1, 2, 0),
        cube.transpose(2, 0, 1),
        x[:, ::-1],
        x[::-1],
        x,
        cube.transpose(2, 1, 0),
    ]


@case(x=numbers("i4", M, W), out=output(12, M * W, dtype="i4"), M=M, W=W, expected=rearranged)
def rearrange(x, out, M: tl.constexpr, W: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, W)
    a = tl.load(x + i[:, None] * W + j[None, :])
    cube = tl.reshape(a, (M, 2, W // 2))
    put(out, 0, tl.reshape(tl.trans(a), (M * W,)))
    put(out, 1, a.T.reshape(M * W))
    put(out, 2, tl.ravel(a.trans()))
    put(out, 3, tl.permute(a, (1, 0)).ravel())
    put(out, 4, tl.view(a, (M * W,)))
    put(out, 5, a.view(M * W))
    put(out, 6, cube.permute(1, 2, 0).ravel())
    put(out, 7, tl.trans(cube, (2, 0, 1)).ravel())
    put(out, 8, tl.flip(a, 1).ravel())
    put(out, 9, a.flip(0).ravel())
    put(out, 10, tl.reshape(a, (M * W,), can_reorder=False))
    put(out, 11, cube.trans(2, 1, 0).ravel())


@case(
    x=numbers("f4", M, W),
    out=output(6, M * W),
    M=M,
    W=W,
    expected=lambda x: [x, x.reshape(M, -1, 2)[..., ::-1], x, np.stack([x, 2 * x], -1)[..., 0], x, x],
)
def join_and_split(x, out, M: tl.constexpr, W: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, W)
    a = tl.load(x + i[:, None] * W + j[None, :])
    even, odd = tl.split(tl.reshape(a, (M, W // 2, 2)))
    put(out, 0, tl.join(even, odd).reshape(M * W))
    put(out, 1, tl.ravel(tl.join(odd, even)))
    put(out, 2, tl.interleave(even, odd).ravel())
    kept, _ = tl.join(a, 2 * a).split()
    put(out, 3, kept.ravel())
    put(out, 4, tl.interleave(even.ravel(), odd.ravel()))
    halves = tl.permute(tl.reshape(a, (M, 2, W // 2)), (0, 2, 1))
    left, right = tl.split(halves)
    put(out, 5, tl.permute(tl.join(left, right), (0, 2, 1)).ravel())


@case(
    x=numbers("i4", N),
    out=output(2, 2 * N, dtype="i4"),
    N=N,
    expected=lambda x: [np.sort(np.concatenate([x, x + 100]))] * 2,
)
def concatenate(x, out, N: tl.constexpr):
    """`cat` may permute what it joins, so the result is sorted."""
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, tl.sort(tl.cat(a, a + 100, can_reorder=True)))
    put(out, 1, tl.sort(tl.ravel(tl.join(a, a + 100))))


@case(
    x=numbers("i4", 4),
    out=output(8, dtype="i4"),
    expected=lambda x: [x[0], x[0] + 1, x[0], x[0], x[:2].sum(), 6, x.sum(), x[0]],
)
def scalars_as_tensors(x, out):
    """Tensors of one element, and scalars where a tensor may stand."""
    one = tl.load(x + tl.arange(0, 1))
    tl.store(out + tl.arange(0, 1), one)
    tl.store(out + 1, tl.sum(one) + 1)
    tl.store(out + 2, one.item())
    tl.store(out + 3 + tl.arange(0, 1), tl.load(x))
    tl.store(out + 4, tl.sum(tl.join(tl.load(x), tl.load(x + 1))))
    tl.store(out + 5 + tl.zeros((1,), tl.int32), 6)
    tl.store(out + 6 + tl.arange(0, 1), tl.sum(tl.load(x + tl.arange(0, 4)), 0, keep_dims=True))
    tl.store(out + 7 + tl.arange(0, 1), tl.expand_dims(tl.load(x), 0))


@case(x=numbers("i4", M, W), out=output(2, M * W, dtype="i4"), M=M, W=W, since=7, expected=lambda x: [x, x])
def squeezing(x, out, M: tl.constexpr, W: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :])
    put(out, 0, tl.squeeze(tl.unsqueeze(a, 1), 1).ravel())
    put(out, 1, tl.squeeze(tl.reshape(a, (1, M * W)), 0))


@case(out=output(2, M, W, dtype="i4"), M=M, W=W)
def swizzle(out, M: tl.constexpr, W: tl.constexpr):
    i, j = tl.swizzle2d(tl.arange(0, M)[:, None], tl.arange(0, W)[None, :], M, W, 4)
    put_tile(out, 0, i + tl.zeros((M, W), tl.int32))
    put_tile(out, 1, j + tl.zeros((M, W), tl.int32))


@case(x=numbers("i4", N), out=output(2, N, dtype="i4"), N=N, since=7, expected=lambda x: [x + 3, x])
def scalars_of_python(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, a + tl.to_tensor(3))
    put(out, 1, tl.where(tl.to_tensor(True), a, 0))


@case(x=numbers("f4", N), out=output(N), N=N, since=8, expected=lambda x: [x])
def expected_zeros(x, out, N: tl.constexpr):
    put(out, 0, tl.expect_zero(tl.load(x + tl.arange(0, N)), tl.arange(0, N) < 0))
