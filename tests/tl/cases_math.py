"""Functions of `tl.math`, as functions and as methods."""

import math

import ml_dtypes
import numpy as np
import triton.language as tl

from tests.tl.case import N, case, floats, numbers, output, put

erf = np.vectorize(math.erf, otypes=["f8"])


def functions(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, tl.exp(a) + a.exp() + tl.math.exp(a))
    put(out, 1, tl.exp2(a) + a.exp2() + tl.math.exp2(a))
    put(out, 2, tl.log(a) + a.log() + tl.math.log(a))
    put(out, 3, tl.log2(a) + a.log2() + tl.math.log2(a))
    put(out, 4, tl.sqrt(a) + a.sqrt() + tl.math.sqrt(a))
    put(out, 5, tl.rsqrt(a) + a.rsqrt() + tl.math.rsqrt(a))
    put(out, 6, tl.sin(a) + a.sin() + tl.math.sin(a))
    put(out, 7, tl.cos(a) + a.cos() + tl.math.cos(a))
    put(out, 8, tl.erf(a) + a.erf() + tl.math.erf(a))
    put(out, 9, tl.floor(a) + a.floor() + tl.math.floor(a))
    put(out, 10, tl.ceil(a) + a.ceil() + tl.math.ceil(a))
    put(out, 11, tl.abs(a) + a.abs() + tl.math.abs(a))


def function_rows(x):
    a = x.astype("f8")
    return [
        3 * v
        for v in (
            np.exp(a),
            np.exp2(a),
            np.log(a),
            np.log2(a),
            np.sqrt(a),
            a**-0.5,
            np.sin(a),
            np.cos(a),
            erf(a),
            np.floor(a),
            np.ceil(a),
            np.abs(a),
        )
    ]


for dtype, rtol in (("f4", 2e-6), ("f8", 1e-13)):
    case(
        np.dtype(dtype).name,
        x=floats(dtype, N, low=0.1, high=3),
        out=output(12, N, dtype=dtype),
        N=N,
        expected=function_rows,
        rtol=rtol,
        gpu_rtol=1e-5,
    )(functions)


def more_functions(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, tl.fma(a, b, a))
    put(out, 1, tl.math.fma(a, 2.0, b))
    put(out, 2, tl.fdiv(a, b) + tl.math.fdiv(a, 3.0))
    put(out, 3, tl.div_rn(a, b) + tl.math.div_rn(a, 3.0))
    put(out, 4, tl.sqrt_rn(b) + b.sqrt_rn() + tl.math.sqrt_rn(b))
    put(out, 5, tl.sigmoid(a) + a.sigmoid())
    put(out, 6, tl.softmax(a) + a.softmax())
    put(out, 7, tl.exp(a.to(tl.float32)).to(tl.float16))


def more_rows(x, y):
    a, b = x.astype("f8"), y.astype("f8")
    soft = np.exp(a - a.max()) / np.exp(a - a.max()).sum()
    return [
        a * b + a,
        a * 2 + b,
        a / b + a / 3,
        a / b + a / 3,
        3 * np.sqrt(b),
        2 / (1 + np.exp(-a)),
        2 * soft,
        np.exp(a),
    ]


case(
    x=floats("f4", N),
    y=floats("f4", N, low=0.1),
    out=output(8, N),
    N=N,
    expected=more_rows,
    rtol=1e-3,
    gpu_rtol=1e-5,
)(more_functions)


@case(
    x=numbers("i4", N, low=-(2**20), high=2**20),
    y=numbers("i8", N),
    out=output(4, N, dtype="i8"),
    N=N,
    expected=lambda x, y: [np.abs(x), np.abs(y), np.abs(x) >> 16, np.abs(y)],
)
def integer_functions(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, tl.abs(a))
    put(out, 1, b.abs())
    put(out, 2, tl.math.umulhi(tl.abs(a), 1 << 16))
    put(out, 3, tl.math.abs(b))


def half_functions(x, out, N: tl.constexpr):
    """Half types go through float32 by hand where Triton has no half form."""
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, tl.abs(a))
    put(out, 1, a * a + 1)
    put(out, 2, tl.sigmoid(a.to(tl.float32)))
    put(out, 3, tl.maximum(a, 0))


for dtype in ("f2", ml_dtypes.bfloat16):
    case(np.dtype(dtype).name, x=floats(dtype, N), out=output(4, N, dtype=dtype), N=N, gpu_rtol=1e-2)(half_functions)
