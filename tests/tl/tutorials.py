"""Kernels of the kind that Triton's tutorials teach, in our own words: ordinary Triton from end to end."""

import triton
import triton.language as tl


def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def softmax(x, out, rows, columns, stride, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * stride + j, mask=j < columns, other=-float("inf"))
        weights = tl.exp(values - tl.max(values, 0))
        tl.store(out + row * stride + j, weights / tl.sum(weights, 0), mask=j < columns)


def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + i, mask=inside)
    kept = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(kept, values / (1 - p), 0.0), mask=inside)


def layer_norm(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], tl.float32)
    for start in tl.range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for start in tl.range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
        centred = tl.where(j < columns, values - mean, 0.0)
        squares += centred * centred
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / columns + eps)
    for start in tl.range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        inside = j < columns
        values = tl.load(x + row * columns + j, mask=inside, other=0.0).to(tl.float32)
        factor = tl.load(weight + j, mask=inside).to(tl.float32)
        shift = tl.load(bias + j, mask=inside).to(tl.float32)
        result = (values - mean) * scale * factor + shift
        tl.store(out + row * columns + j, result.to(out.dtype.element_ty), mask=inside)


def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    tile = tl.program_id(0)
    first = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + tile % (GROUP * tiles_n) % height
    tile_n = tile % (GROUP * tiles_n) // height
    i = (tile_m * BM + tl.arange(0, BM)) % M
    j = (tile_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    left = a + i[:, None] * K + k[None, :]
    right = b + k[:, None] * N + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in tl.range(0, tl.cdiv(K, BK)):
        inside = k < K - step * BK
        acc = tl.dot(
            tl.load(left, mask=inside[None, :], other=0.0), tl.load(right, mask=inside[:, None], other=0.0), acc
        )
        left += BK
        right += BK * N
    i = tile_m * BM + tl.arange(0, BM)
    j = tile_n * BN + tl.arange(0, BN)
    inside = (i < M)[:, None] & (j < N)[None, :]
    tl.store(c + i[:, None] * N + j[None, :], acc.to(c.dtype.element_ty), mask=inside)


def attention(q, k, v, out, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * S * D
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    j = tl.arange(0, BN)
    queries = tl.load(q + base + i[:, None] * D + d[None, :])
    highest = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in tl.range(0, S, BN):
        keys = tl.load(k + base + (start + j)[None, :] * D + d[:, None])
        scores = tl.dot(queries, keys) * (scale * 1.44269504)
        new = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2(scores - new[:, None])
        decay = tl.exp2(highest - new)
        total = total * decay + tl.sum(weights, 1)
        values = tl.load(v + base + (start + j)[:, None] * D + d[None, :])
        acc = tl.dot(weights.to(values.dtype), values, acc * decay[:, None])
        highest = new
    tl.store(out + base + i[:, None] * D + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty))


KERNELS = {f.__name__: f for f in (vector_add, softmax, dropout, layer_norm, matmul, attention)}
STOCK = {name: triton.jit(f) for name, f in KERNELS.items()}
