"""Matrix products: every dtype and precision, in loops that the stock pipeliner takes apart."""

import ml_dtypes
import numpy as np
import triton.language as tl

from tests.tl.case import case, floats, numbers, output, put_tile


def product(x, y, out, M: tl.constexpr, W: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, W), tl.arange(0, K)
    a = tl.load(x + i[:, None] * K + k[None, :])
    b = tl.load(y + k[:, None] * W + j[None, :])
    put_tile(out, 0, tl.dot(a, b, input_precision=PRECISION))


def matmul(x, y):
    return [x.astype("f8") @ y.astype("f8")]


for dtype, precision, result in [
    ("f2", None, "f4"),
    (ml_dtypes.bfloat16, None, "f4"),
    ("f4", "tf32", "f4"),
    ("f4", "tf32x3", "f4"),
    ("f4", "ieee", "f4"),
    ("i1", None, "i4"),
    ("u1", None, "i4"),
    (ml_dtypes.float8_e4m3fn, None, "f4"),
    (ml_dtypes.float8_e5m2, None, "f4"),
    ("f8", "ieee", "f8"),
]:
    if dtype == "u1":
        continue
    case(
        f"{np.dtype(dtype).name} {precision or ''}".strip(),
        x=numbers(dtype, 64, 32),
        y=numbers(dtype, 32, 16),
        out=output(64, 16, dtype=result),
        M=64,
        W=16,
        K=32,
        PRECISION=precision,
        expected=matmul,
    )(product)


@case(
    x=numbers("f2", 64, 96),
    y=numbers("f2", 96, 32),
    out=output(64, 32),
    M=64,
    W=32,
    K=96,
    BK=32,
    gpu_rtol=1e-5,
    expected=matmul,
)
def pipelined_product(x, y, out, M: tl.constexpr, W: tl.constexpr, K, BK: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, W), tl.arange(0, BK)
    acc = tl.zeros((M, W), tl.float32)
    for start in tl.range(0, K, BK, num_stages=3):
        a = tl.load(x + i[:, None] * K + (start + k)[None, :])
        b = tl.load(y + (start + k)[:, None] * W + j[None, :])
        acc = tl.dot(a, b, acc)
    put_tile(out, 0, acc)


@case(x=numbers("f2", 2, 32, 32), y=numbers("f2", 2, 32, 32), out=output(2, 32, 32), expected=matmul)
def batched_product(x, y, out):
    i = tl.arange(0, 2)[:, None, None] * 1024 + tl.arange(0, 32)[None, :, None] * 32 + tl.arange(0, 32)[None, None, :]
    tl.store(out + i, tl.dot(tl.load(x + i), tl.load(y + i)))


@case(
    x=numbers("f2", 32, 32),
    y=numbers("f2", 32, 32),
    out=output(3, 32, 32),
    gpu_rtol=1e-5,
    expected=lambda x, y: [
        x.astype("f4").T @ y.astype("f4"),
        x.astype("f4") @ y.astype("f4").T + 1,
        np.maximum(x.astype("f4") @ y.astype("f4"), 0) @ y.astype("f4"),
    ],
)
def product_in_context(x, y, out):
    """Transposed operands, an accumulator that is no constant, a product of a product, half output."""
    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a, b = tl.load(x + i), tl.load(y + i)
    put_tile(out, 0, tl.dot(a.T, b))
    put_tile(out, 1, tl.dot(a, tl.trans(b), tl.full((32, 32), 1, tl.float32)))
    inner = tl.maximum(tl.dot(a, b, out_dtype=tl.float32), 0)
    put_tile(out, 2, tl.dot(inner.to(tl.float32), b.to(tl.float32), input_precision="ieee"))


@case(x=numbers("f2", 16, 16), y=numbers("f2", 16, 16), out=output(16, 16), expected=matmul)
def half_accumulator(x, y, out):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    put_tile(out, 0, tl.dot(tl.load(x + i), tl.load(y + i), out_dtype=tl.float16))


@case(
    q=floats("f2", 32, 32),
    k=floats("f2", 64, 32),
    v=floats("f2", 64, 32),
    out=output(32, 32),
    rtol=5e-3,
    gpu_rtol=5e-3,
    expected=lambda q, k, v: [attention(q, k, v)],
)
def attention_tile(q, k, v, out):
    """An online softmax: row statistics are carried beside the accumulator and rescale it."""
    i, d, j = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 32)
    query = tl.load(q + i[:, None] * 32 + d[None, :])
    highest = tl.full((32,), float("-inf"), tl.float32)
    total = tl.zeros((32,), tl.float32)
    acc = tl.zeros((32, 32), tl.float32)
    for start in range(0, 64, 32):
        score = tl.dot(query, tl.load(k + (start + j)[None, :] * 32 + d[:, None]))
        new = tl.maximum(highest, tl.max(score, 1))
        weights = tl.exp(score - new[:, None])
        correction = tl.exp(highest - new)
        total = total * correction + tl.sum(weights, 1)
        value = tl.load(v + (start + j)[:, None] * 32 + d[None, :])
        acc = tl.dot(weights.to(tl.float16), value, acc * correction[:, None])
        highest = new
    put_tile(out, 0, acc / total[:, None])


def attention(q, k, v):
    score = q.astype("f8") @ k.astype("f8").T
    weights = np.exp(score - score.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True) @ v.astype("f8")


def scales(codes: np.ndarray) -> np.ndarray:
    """What e8m0 codes mean, each for 32 elements of its row."""
    return np.repeat(2.0 ** (codes.astype("f8") - 127), 32, 1)


@case(
    x=numbers(ml_dtypes.float8_e4m3fn, 64, 64),
    y=numbers(ml_dtypes.float8_e5m2, 64, 32),
    out=output(64, 32),
    s=numbers("u1", 64, 2, low=125, high=130),
    t=numbers("u1", 32, 2, low=125, high=130),
    gpu_rtol=1e-5,
    expected=lambda x, y, s, t: [(x.astype("f8") * scales(s)) @ (y.astype("f8") * scales(t).T)],
)
def scaled_product(x, y, s, t, out):
    k, j, two = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 2)
    a = tl.load(x + k[:, None] * 64 + k[None, :])
    b = tl.load(y + k[:, None] * 32 + j[None, :])
    a_scale, b_scale = tl.load(s + k[:, None] * 2 + two[None, :]), tl.load(t + j[:, None] * 2 + two[None, :])
    put_tile(out, 0, tl.dot_scaled(a, a_scale, "e4m3", b, b_scale, "e5m2"))


def four_bits(packed: np.ndarray) -> np.ndarray:
    """e2m1 numbers, the low half of each byte first."""
    codes = np.stack([packed & 15, packed >> 4], -1).reshape(len(packed), -1)
    return np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])[codes]


@case(
    x=numbers("u1", 64, 32, high=256),
    y=numbers(ml_dtypes.bfloat16, 64, 32),
    out=output(64, 32),
    gpu_rtol=1e-5,
    s=numbers("u1", 64, 2, low=125, high=130),
    expected=lambda x, y, s: [(four_bits(x) * scales(s)) @ y.astype("f8") + 1],
)
def packed_product(x, y, s, out):
    k, j, two = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 2)
    a = tl.load(x + k[:, None] * 32 + j[None, :])
    b = tl.load(y + k[:, None] * 32 + j[None, :])
    a_scale = tl.load(s + k[:, None] * 2 + two[None, :])
    acc = tl.full((64, 32), 1, tl.float32)
    put_tile(out, 0, tl.dot_scaled(a, a_scale, "e2m1", b, None, "bf16", acc))
