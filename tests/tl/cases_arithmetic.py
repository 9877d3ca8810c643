"""Operators, comparisons and conversions on every dtype."""

import ml_dtypes
import numpy as np
import triton.language as tl

from tests.tl.case import N, case, floats, numbers, output, put

FLOATS = ("f2", ml_dtypes.bfloat16, "f4", "f8")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def integer_arithmetic(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, a + b)
    put(out, 1, a - b)
    put(out, 2, a * b)
    put(out, 3, a // b)
    put(out, 4, a % b)
    put(out, 5, a & b)
    put(out, 6, a | b)
    put(out, 7, a ^ ~b)
    put(out, 8, a << (b % 4))
    put(out, 9, a >> (b % 4))
    put(out, 10, -a)
    put(out, 11, tl.minimum(a, b) + tl.maximum(a, 1))
    put(out, 12, tl.cdiv(a, b) + a.cdiv(b))
    put(out, 13, tl.add(a, b) - tl.sub(a, b) + tl.mul(a, b))
    put(out, 14, tl.add(a, b, sanitize_overflow=False))


def integer_rows(x, y):
    wide = np.float64
    quotient = np.trunc(x.astype(wide) / y).astype(x.dtype)
    up = np.trunc((x + y - np.ones_like(x)).astype(wide) / y).astype(x.dtype)
    return [
        x + y,
        x - y,
        x * y,
        quotient,
        x - quotient * y,
        x & y,
        x | y,
        x ^ ~y,
        x << (y % 4),
        x >> (y % 4),
        np.zeros_like(x) - x,
        np.minimum(x, y) + np.maximum(x, 1),
        up + up,
        (x + y) - (x - y) + x * y,
        x + y,
    ]


for dtype in INTEGERS:
    case(
        dtype,
        x=numbers(dtype, N, low=-20, high=50),
        y=numbers(dtype, N, low=1, high=9),
        out=output(15, N, dtype=dtype),
        N=N,
        expected=integer_rows,
    )(integer_arithmetic)


def float_arithmetic(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, a + b)
    put(out, 1, a - b)
    put(out, 2, a * b)
    put(out, 3, a / b)
    put(out, 4, -a)
    put(out, 5, tl.minimum(a, b) + tl.maximum(a, b))
    put(out, 6, tl.clamp(a, -0.5, 0.75))
    put(out, 7, tl.where(a > b, a, b))
    put(out, 8, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    put(out, 9, tl.clamp(a, tl.minimum(b, 0.0), 1.0, propagate_nan=tl.PropagateNan.ALL))
    put(out, 10, 1 + a)
    put(out, 11, 2 - a)
    put(out, 12, 2 * a)
    put(out, 13, 2 / a)
    put(out, 14, a % b)


def float_rows(x, y):
    one = x.dtype.type(1)
    two = one + one
    wide = x.astype("f8"), y.astype("f8")
    return [
        x + y,
        x - y,
        x * y,
        wide[0] / wide[1],
        -x,
        np.minimum(x, y) + np.maximum(x, y),
        np.clip(x, -0.5, 0.75),
        np.maximum(x, y),
        np.maximum(x, y),
        np.minimum(np.maximum(x, np.minimum(y, 0)), 1),
        one + x,
        two - x,
        two * x,
        2 / wide[0],
        np.fmod(*wide),
    ]


for dtype in FLOATS:
    case(
        np.dtype(dtype).name,
        x=floats(dtype, N),
        y=floats(dtype, N)[::-1].copy(),
        out=output(15, N, dtype=dtype),
        N=N,
        expected=float_rows,
        rtol=1e-12 if dtype == "f8" else 1e-2 if dtype is ml_dtypes.bfloat16 else 2e-3 if dtype == "f2" else 1e-6,
    )(float_arithmetic)


def compare(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, a == b)
    put(out, 1, a != b)
    put(out, 2, a < b)
    put(out, 3, a <= b)
    put(out, 4, a > b)
    put(out, 5, a >= b)
    put(out, 6, (a < b).logical_and(a > 1))
    put(out, 7, (a < b).logical_or(b < 3))
    put(out, 8, (a < b) & ((a > 1) | (b == 3)) ^ (a == b))
    put(out, 9, ~(a < b))
    put(out, 10, a > 3)
    put(out, 11, not (a > 2))


def comparison_rows(x, y):
    less = x < y
    one, two, three = (x.dtype.type(n) for n in (1, 2, 3))
    return [
        x == y,
        x != y,
        less,
        x <= y,
        x > y,
        x >= y,
        less & (x > one),
        less | (y < three),
        less & ((x > one) | (y == three)) ^ (x == y),
        ~less,
        x > three,
        ~(x > two),
    ]


for dtype in ("i1", "i4", "u4", "i8", "f2", ml_dtypes.bfloat16, "f4", "f8"):
    case(
        np.dtype(dtype).name,
        x=numbers(dtype, N),
        y=numbers(dtype, N)[::-1].copy(),
        out=output(12, N, dtype="i1"),
        N=N,
        expected=comparison_rows,
    )(compare)


@case(
    x=numbers("i4", N),
    y=floats("f4", N),
    h=numbers("f2", N),
    out=output(8, N),
    N=N,
    s=3,
    expected=lambda x, y, h: [
        x + y,
        h * y,
        x + 3,
        h + x,
        x.astype("f4") / 3,
        (x < 3) + 1,
        3.0 * x,
        x % 3 - 3 * (np.fmod(x, 3) < 0),
    ],
    gpu_rtol=3e-7,  # `/` is div.full.f32: 2 ulp
)
def promotion(x, y, h, out, N: tl.constexpr, s):
    """Two types meet: int and float, half and float, tensor and scalar, tensor and literal, bool and int."""
    i = tl.arange(0, N)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(h + i)
    put(out, 0, a + b)
    put(out, 1, c * b)
    put(out, 2, a + s)
    put(out, 3, c + a)
    put(out, 4, a / s)
    put(out, 5, (a < s) + 1)
    put(out, 6, 3.0 * a)
    put(out, 7, a % s)


@case(
    out=output(9, dtype="i4"),
    n=13,
    m=4,
    expected=lambda: [[17, 9, 52, 3, 1, 12, 208, -13, 1]],
)
def scalars(out, n, m):
    tl.store(out + 0, n + m)
    tl.store(out + 1, n - m)
    tl.store(out + 2, n * m)
    tl.store(out + 3, n // m)
    tl.store(out + 4, n % m)
    tl.store(out + 5, (n & 12) | (n ^ 13))
    tl.store(out + 6, n << m)
    tl.store(out + 7, -n)
    tl.store(out + 8, (n > m) & (m != 0))


@case(
    x=numbers("i4", N),
    out=output(7, N, dtype="i4"),
    N=N,
    expected=lambda x: [
        7 + x,
        7 - x,
        7 * x,
        100 // (x + 20),
        100 % (x + 20),
        (5 & x) | (5 ^ x),
        (1 << (x & 7)) + (256 >> (x & 7)),
    ],
)
def reflected(x, out, N: tl.constexpr):
    """A literal on the left."""
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, 7 + a)
    put(out, 1, 7 - a)
    put(out, 2, 7 * a)
    put(out, 3, 100 // (a + 20))
    put(out, 4, 100 % (a + 20))
    put(out, 5, (5 & a) | (5 ^ a))
    put(out, 6, (1 << (a & 7)) + (256 >> (a & 7)))


def convert(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, a)
    put(out, 1, tl.cast(a, out.dtype.element_ty))
    put(out, 2, a.cast(out.dtype.element_ty))


PAIRS = [
    ("f4", "f2"),
    ("f4", ml_dtypes.bfloat16),
    (ml_dtypes.bfloat16, "f4"),
    ("f8", "f2"),
    ("f2", "f8"),
    ("f4", ml_dtypes.float8_e4m3fn),
    ("f2", ml_dtypes.float8_e5m2),
    (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
    (ml_dtypes.float8_e5m2, "f4"),
    ("i4", "f4"),
    ("u4", "f2"),
    ("i1", ml_dtypes.bfloat16),
    ("f4", "i1"),
    ("f2", "i4"),
    (ml_dtypes.bfloat16, "i8"),
    ("i4", "i8"),
    ("u1", "i4"),
    ("i8", "i2"),
    ("f4", "?"),
    ("i8", "?"),
    ("?", "f4"),
]
for source, target in PAIRS:
    case(
        f"{np.dtype(source).name} {np.dtype(target).name}",
        x=numbers(source, N, low=0 if np.dtype(target).kind == "u" else -8),
        out=output(3, N, dtype=target),
        N=N,
        expected=lambda x: [x, x, x],
    )(convert)


@case(
    x=floats("f4", N),
    out=output(4, N, dtype="i4"),
    N=N,
    expected=lambda x: [
        x.view("i4"),
        x.view("i4"),
        x.view("u4") >> 16,
        (x.view("u4").astype("u8") * 12345 >> 32).astype("u4").view("i4"),
    ],
)
def bits(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, a.to(tl.int32, bitcast=True))
    put(out, 1, tl.cast(a, tl.int32, bitcast=True))
    put(out, 2, a.to(tl.bfloat16, fp_downcast_rounding="rtz").to(tl.int16, bitcast=True).to(tl.uint16, bitcast=True))
    put(out, 3, tl.umulhi(a.to(tl.uint32, bitcast=True), 12345).to(tl.int32, bitcast=True))


@case(x=numbers("i4", N), out=output(5, N, dtype="i4"), N=N, expected=lambda x: [x, x, x, x, x])
def pointers(x, out, N: tl.constexpr):
    """Tensors of pointers are chosen, cast, joined and indexed like others."""
    i = tl.arange(0, N)
    there = x + i
    put(out, 0, tl.load(there))
    put(out, 1, tl.load(tl.where(i % 2 == 0, there, x + i)))
    put(out, 2, tl.load((there + 1).to(tl.int64).to(tl.pointer_type(tl.int32)) - 1))
    put(out, 3, tl.load(x.to(tl.pointer_type(tl.int8), bitcast=True).to(tl.pointer_type(tl.int32)) + i))
    put(out, 4, tl.load(tl.broadcast_to(x, (N,)) + i))
