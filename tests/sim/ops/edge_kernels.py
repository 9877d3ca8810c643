"""Inputs for which MLIR leaves the result open: what PTX or the hardware makes of them, in literal numbers."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

from tests.sim.ops.cases import Case

EDGES: dict[str, Case] = {}
NAN, INF = np.nan, np.inf
bf16, e4m3, e5m2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2


def edge(name: str, kernel, dtype, *operands, gives, result=None) -> None:
    """A kernel of (inputs..., out, N) on a few elements, repeated to a full warp."""
    result = result or dtype
    arrays = {n: np.resize(np.array(values, dtype), 32) for n, values in zip("ab", operands)}
    arrays["out"] = np.zeros(32, result)
    expected = np.resize(np.array(gives, result), 32)
    EDGES[name] = Case(kernel, arrays, lambda **_: {"out": expected}, constants={"N": 32})


@triton.jit
def shift_left_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(a + i) << tl.load(b + i))


@triton.jit
def shift_right_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(a + i) >> tl.load(b + i))


edge("shl i32", shift_left_kernel, "i4", [1, 1, 1, 3], [31, 32, -1, 255], gives=[-(2**31), 0, 0, 0])
edge("shl i64", shift_left_kernel, "i8", [1, 1, 1, 1], [63, 64, -1, 1], gives=[-(2**63), 0, 0, 2])
edge("shr i32", shift_right_kernel, "i4", [-8, -8, 8, -8], [1, 32, 32, -1], gives=[-4, -1, 0, -1])
edge("shr u32", shift_right_kernel, "u4", [2**31, 2**31, 8, 8], [31, 32, 33, 2], gives=[1, 0, 0, 2])
edge("shl i16", shift_left_kernel, "i2", [1, 1, 1, 1], [15, 16, 17, 0], gives=[-(2**15), 0, 0, 1])
edge("shr i8", shift_right_kernel, "i1", [-128, -128, 127, 64], [7, 9, 9, 1], gives=[-1, -1, 0, 32])


@triton.jit
def quotient_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(a + i) // tl.load(b + i))


@triton.jit
def remainder_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(a + i) % tl.load(b + i))


edge("div i32", quotient_kernel, "i4", [5, -5, 0, -(2**31)], [0, 0, 0, -1], gives=[-1, -1, -1, -(2**31)])
edge("rem i32", remainder_kernel, "i4", [5, -5, 0, -(2**31)], [0, 0, 0, -1], gives=[-1, -1, -1, 0])
edge("div u32", quotient_kernel, "u4", [5, 0], [0, 0], gives=[2**32 - 1, 2**32 - 1])
edge("rem u32", remainder_kernel, "u4", [5, 0], [0, 0], gives=[2**32 - 1, 2**32 - 1])
edge("rem f32", remainder_kernel, "f4", [7.5, -7.5, 3, 1], [-2, 2, INF, 0], gives=[1.5, -1.5, 3, NAN])


@triton.jit
def cast_kernel(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(a + i).to(out.dtype.element_ty))


IMAX, LMIN, LMAX = 2**31 - 1, -(2**63), 2**63 - 1
edge("f32 to i32", cast_kernel, "f4", [3e9, -INF, NAN, -1.9], gives=[IMAX, -IMAX - 1, 0, -1], result="i4")
edge("f32 to i64", cast_kernel, "f4", [1e30, -1e30, NAN, -1.9], gives=[LMAX, LMIN, LMIN, -1], result="i8")
edge("f64 to i32", cast_kernel, "f8", [3e9, -INF, NAN, -1.9], gives=[IMAX, -IMAX - 1, -IMAX - 1, -1], result="i4")
edge("f32 to u32", cast_kernel, "f4", [5e9, -1, NAN, 3e9], gives=[2**32 - 1, 0, 0, 3 * 10**9], result="u4")
edge("f32 to i16", cast_kernel, "f4", [1e9, -1e9, NAN, -1.9], gives=[32767, -32768, 0, -1], result="i2")
edge("f32 to i8", cast_kernel, "f4", [300, 1e9, -1e9, -1.9], gives=[44, -1, 0, -1], result="i1")
edge("f32 to e4m3", cast_kernel, "f4", [500, -INF, 17, 2.0**-10], gives=[448, -448, 16, 0], result=e4m3)
edge("f32 to e5m2", cast_kernel, "f4", [1e6, -INF, 1.125, NAN], gives=[57344, -57344, 1, NAN], result=e5m2)
edge("f16 to e5m2", cast_kernel, "f2", [INF, 65504, 1.125, NAN], gives=[57344, 57344, 1, NAN], result=e5m2)
edge("bf16 to e4m3", cast_kernel, bf16, [INF, -500, 17, NAN], gives=[448, -448, 16, NAN], result=e4m3)
edge("f64 to bf16", cast_kernel, "f8", [1 + 2**-8 + 2**-40, 1 + 2**-8], gives=[1 + 2**-7, 1], result=bf16)
edge(
    "i32 to bf16", cast_kernel, "i4", [2**30 + 2**22 + 1, 2**30 + 2**22], gives=[2.0**30 + 2**23, 2.0**30], result=bf16
)
edge(
    "i64 to bf16", cast_kernel, "i8", [2**62 + 2**54 + 1, -(2**63)], gives=[2.0**62 + 2.0**55, -(2.0**63)], result=bf16
)


@triton.jit
def maximum_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, 1 / tl.maximum(tl.load(a + i), tl.load(b + i)))


@triton.jit
def minimum_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, 1 / tl.minimum(tl.load(a + i), tl.load(b + i)))


@triton.jit
def maximum_nan_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.maximum(tl.load(a + i), tl.load(b + i), propagate_nan=tl.PropagateNan.ALL))


@triton.jit
def clamp_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.clamp(tl.load(a + i), tl.load(b + i), 1.0))


# The inverse tells the sign of a zero.
edge("maximum", maximum_kernel, "f4", [NAN, 2, NAN, -0.0], [4, NAN, NAN, 0.0], gives=[0.25, 0.5, NAN, INF])
edge("minimum", minimum_kernel, "f4", [NAN, 2, NAN, -0.0], [4, NAN, NAN, 0.0], gives=[0.25, 0.5, NAN, -INF])
edge("maximum nan", maximum_nan_kernel, "f4", [NAN, 2, 1, 1], [4, NAN, 2, -2], gives=[NAN, NAN, 2, 1])
edge("clamp nan", clamp_kernel, "f4", [NAN, -1, 0.5, 7], [0, 0, 0, 0], gives=[0, 0, 0.5, 1])


@triton.jit
def masked_kernel(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(a + i, i % 2 == 0))


edge("masked load", masked_kernel, "i4", [7, 7], gives=[7, 0])


@triton.jit
def fma_kernel(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    one = tl.full((N,), 1.0, tl.float32)
    tl.store(out + i, tl.fma(tl.load(a + i), tl.load(b + i), one))


TIE = 2**-12
edge(
    "fma", fma_kernel, "f4", [TIE, TIE * (1 + 2**-23), TIE * (1 - 2**-24), 3], [TIE, TIE * (1 + 2**-23), TIE, 2],
    gives=[1, 1 + 2**-23, 1, 7],
)  # fmt: skip


@triton.jit
def histogram_kernel(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.histogram(tl.load(a + i), N))


edge("histogram", histogram_kernel, "i4", list(range(32)), gives=[1] * 32)


@triton.jit
def tf32_kernel(a, out, N: tl.constexpr):
    i, j = tl.arange(0, N), tl.arange(0, N)
    left = tl.broadcast_to(tl.load(a + i)[:, None], (N, N))
    eye = tl.where(i[:, None] == j[None, :], 1.0, 0.0)
    product = tl.dot(left, eye, input_precision="tf32")
    tl.store(out + i, tl.sum(tl.where(i[:, None] == j[None, :], product, 0.0), 1))


edge("tf32", tf32_kernel, "f4", [1 + 2**-11, 1 + 2**-10 + 2**-11, 1 + 2**-10, -1 - 2**-11 - 2**-12],
     gives=[1, 1 + 2**-10, 1 + 2**-10, -1])  # fmt: skip
