"""Functions of CUDA's libdevice, by the shape of their arguments."""

import math

import numpy as np
import triton.language as tl
from triton.language.extra import libdevice

from tests.tl.case import N, case, floats, numbers, output, put

NO_MEANING = "the simulator has no meaning for it; tlx.sim.device_function gives it one"


def each(function):
    """A function of Python's `math` on arrays."""
    return np.vectorize(function, otypes=["f8"])


def unary_functions_rows(x):
    a = x.astype("f8")
    return [
        np.sin(a),
        np.cos(a),
        np.tan(a),
        np.arcsin(a / 4),
        np.arccos(a / 4),
        np.arctan(a),
        np.sinh(a),
        np.cosh(a),
        np.tanh(a),
        np.arcsinh(a),
        np.arccosh(a + 1),
        np.arctanh(a / 4),
        np.exp(a),
        np.exp2(a),
        10**a,
        np.expm1(a),
        np.log(a),
        np.log2(a),
        np.log10(a),
        np.log1p(a),
        np.sqrt(a),
        a**-0.5,
        np.cbrt(a),
        1 / np.cbrt(a),
        np.sin(np.pi * a),
        np.cos(np.pi * a),
        each(math.erf)(a),
        each(math.erfc)(a),
        each(math.gamma)(a),
        each(math.lgamma)(a),
        np.floor(a),
        np.ceil(a),
        np.trunc(a),
        np.rint(a),
        np.rint(a),
        np.floor(a + 0.5),
        np.abs(a),
        np.floor(np.log2(a)),
    ]


@case(
    "f4",
    x=floats("f4", N, low=0.1, high=3.5),
    out=output(38, N, dtype="f4"),
    N=N,
    expected=unary_functions_rows,
    rtol=5e-6,
    gpu_rtol=1e-5,
)
@case(
    "f8",
    x=floats("f8", N, low=0.1, high=3.5),
    out=output(38, N, dtype="f8"),
    N=N,
    expected=unary_functions_rows,
    rtol=1e-12,
    gpu_rtol=1e-5,
)
def unary_functions(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    put(out, 0, libdevice.sin(a))
    put(out, 1, libdevice.cos(a))
    put(out, 2, libdevice.tan(a))
    put(out, 3, libdevice.asin(a / 4))
    put(out, 4, libdevice.acos(a / 4))
    put(out, 5, libdevice.atan(a))
    put(out, 6, libdevice.sinh(a))
    put(out, 7, libdevice.cosh(a))
    put(out, 8, libdevice.tanh(a))
    put(out, 9, libdevice.asinh(a))
    put(out, 10, libdevice.acosh(a + 1))
    put(out, 11, libdevice.atanh(a / 4))
    put(out, 12, libdevice.exp(a))
    put(out, 13, libdevice.exp2(a))
    put(out, 14, libdevice.exp10(a))
    put(out, 15, libdevice.expm1(a))
    put(out, 16, libdevice.log(a))
    put(out, 17, libdevice.log2(a))
    put(out, 18, libdevice.log10(a))
    put(out, 19, libdevice.log1p(a))
    put(out, 20, libdevice.sqrt(a))
    put(out, 21, libdevice.rsqrt(a))
    put(out, 22, libdevice.cbrt(a))
    put(out, 23, libdevice.rcbrt(a))
    put(out, 24, libdevice.sinpi(a))
    put(out, 25, libdevice.cospi(a))
    put(out, 26, libdevice.erf(a))
    put(out, 27, libdevice.erfc(a))
    put(out, 28, libdevice.tgamma(a))
    put(out, 29, libdevice.lgamma(a))
    put(out, 30, libdevice.floor(a))
    put(out, 31, libdevice.ceil(a))
    put(out, 32, libdevice.trunc(a))
    put(out, 33, libdevice.rint(a))
    put(out, 34, libdevice.nearbyint(a))
    put(out, 35, libdevice.round(a))
    put(out, 36, libdevice.abs(a))
    put(out, 37, libdevice.logb(a))


def special_rows(x):
    """By identities: what is inverted is given back."""
    a = x.astype("f8")
    cdf = 0.5 * each(math.erfc)(-a / np.sqrt(2))
    return [a, a, a, cdf, np.exp(a * a) * each(math.erfc)(a)]


@case("f8", x=floats("f8", N, low=-1.5, high=1.5), out=output(5, N, dtype="f8"), N=N, expected=special_rows, rtol=1e-6)
def inverses(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.erfinv(libdevice.erf(a)))
    put(out, 1, libdevice.erfcinv(libdevice.erfc(a)))
    put(out, 2, libdevice.normcdfinv(libdevice.normcdf(a)))
    put(out, 3, libdevice.normcdf(a))
    put(out, 4, libdevice.erfcx(a))


@case(
    x=np.full(N, 2.5),
    out=output(6, N, dtype="f8"),
    N=N,
    rtol=1e-6,
    gpu_rtol=1e-9,
    expected=lambda x: [
        np.full(N, v) for v in (-0.0483837765, 0.4970941025, 0.4460590584, 3.2898391440, 2.5167162453, 0.0)
    ],
)
def bessel(x, out, N: tl.constexpr):
    """Values of Abramowitz and Stegun, tables 9.1 and 9.8."""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    put(out, 0, libdevice.j0(a))
    put(out, 1, libdevice.j1(a))
    put(out, 2, libdevice.jn(i * 0 + 2, a))
    put(out, 3, libdevice.cyl_bessel_i0(a))
    put(out, 4, libdevice.cyl_bessel_i1(a))
    put(out, 5, libdevice.jn(i * 0 + 1, a) - libdevice.j1(a))


@case(x=floats("f8", N, low=0.5, high=9), out=output(3, N, dtype="f8"), N=N, not_simulated=NO_MEANING, gpu_rtol=1e-9)
def bessel_second_kind(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    put(out, 0, libdevice.y0(a))
    put(out, 1, libdevice.y1(a))
    put(out, 2, libdevice.yn(i * 0 + 2, a))


@case(x=floats("f8", N, low=0.5, high=9), out=output(N, dtype="f8"), N=N, not_simulated=NO_MEANING)
def high_word_reciprocal(x, out, N: tl.constexpr):
    put(out, 0, libdevice.rcp64h(tl.load(x + tl.arange(0, N))))


def binary_rows(x, y):
    a, b = x.astype("f8"), y.astype("f8")
    return [
        np.arctan2(a, b),
        np.hypot(a, b),
        1 / np.hypot(a, b),
        np.abs(a) ** b,
        np.copysign(a, b),
        np.nextafter(x, y),
        np.fmod(a, b),
        a - b * np.rint(a / b),
        np.maximum(a - b, 0),
        a * b + a,
        np.sqrt(a * a + b * b + 1),
        1 / np.sqrt(a * a + b * b + 1),
        np.sqrt(2 * a * a + b * b + 1),
        1 / np.sqrt(2 * a * a + b * b + 1),
        a * 8,
        a / 4,
    ]


@case(
    "f4",
    x=floats("f4", N),
    y=floats("f4", N + 1, low=0.3)[:N].copy(),
    out=output(16, N),
    N=N,
    expected=binary_rows,
    rtol=5e-6,
    gpu_rtol=1e-5,
)
@case(
    "f8",
    x=floats("f8", N),
    y=floats("f8", N + 1, low=0.3)[:N].copy(),
    out=output(16, N, dtype="f8"),
    N=N,
    expected=binary_rows,
    rtol=1e-12,
    gpu_rtol=1e-12,
)
def several_arguments(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    one = tl.full((N,), 1, a.dtype)
    put(out, 0, libdevice.atan2(a, b))
    put(out, 1, libdevice.hypot(a, b))
    put(out, 2, libdevice.rhypot(a, b))
    put(out, 3, libdevice.pow(tl.abs(a), b))
    put(out, 4, libdevice.copysign(a, b))
    put(out, 5, libdevice.nextafter(a, b))
    put(out, 6, libdevice.fmod(a, b))
    put(out, 7, libdevice.remainder(a, b))
    put(out, 8, libdevice.fdim(a, b))
    put(out, 9, libdevice.fma(a, b, a))
    put(out, 10, libdevice.norm3d(a, b, one))
    put(out, 11, libdevice.rnorm3d(a, b, one))
    put(out, 12, libdevice.norm4d(a, b, a, one))
    put(out, 13, libdevice.rnorm4d(a, b, a, one))
    put(out, 14, libdevice.ldexp(a, i * 0 + 3))
    put(out, 15, libdevice.scalbn(a, i * 0 - 2))


@case(
    x=floats("f4", N, low=0.2, high=1.5),
    out=output(11, N),
    N=N,
    rtol=1e-4,
    gpu_rtol=1e-5,
    expected=lambda x: [
        np.sin(x),
        np.cos(x),
        np.tan(x),
        np.log2(x),
        np.log(x),
        np.log10(x),
        np.exp(x),
        10**x,
        x**x,
        x / 3,
        np.clip(x, 0, 1),
    ],
)
def fast_functions(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.fast_sinf(a))
    put(out, 1, libdevice.fast_cosf(a))
    put(out, 2, libdevice.fast_tanf(a))
    put(out, 3, libdevice.fast_log2f(a))
    put(out, 4, libdevice.fast_logf(a))
    put(out, 5, libdevice.fast_log10f(a))
    put(out, 6, libdevice.fast_expf(a))
    put(out, 7, libdevice.fast_exp10f(a))
    put(out, 8, libdevice.fast_powf(a, a))
    put(out, 9, libdevice.fast_dividef(a, tl.full((N,), 3, tl.float32)))
    put(out, 10, libdevice.saturatef(a))


UNUSUAL = np.resize(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -2.5, 7.0], "f4"), N)


@case(
    x=UNUSUAL,
    out=output(7, N, dtype="i4"),
    N=N,
    expected=lambda x: [
        np.isnan(x),
        np.isinf(x),
        np.signbit(x),
        np.isfinite(x),
        np.isfinite(x),
        x.view("i4"),
        np.isnan(x),
    ],
)
def classes(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.isnan(a) != 0)
    put(out, 1, libdevice.isinf(a) != 0)
    put(out, 2, libdevice.signbit(a) != 0)
    put(out, 3, libdevice.finitef(a) != 0)
    put(out, 4, libdevice.isfinited(a.to(tl.float64)) != 0)
    put(out, 5, libdevice.float_as_int(a))
    put(out, 6, libdevice.isnan(a.to(tl.float64)) != 0)


@case(x=numbers("i4", N, low=-(2**20), high=2**20), out=output(20, N, dtype="i8"), N=N)
def integer_functions_of_libdevice(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = a * 77 + i
    u, v = a.to(tl.uint32, bitcast=True), b.to(tl.uint32, bitcast=True)
    put(out, 0, libdevice.clz(a))
    put(out, 1, libdevice.popc(a))
    put(out, 2, libdevice.brev(a))
    put(out, 3, libdevice.ffs(a))
    put(out, 4, libdevice.abs(a))
    put(out, 5, libdevice.mulhi(a, b))
    put(out, 6, libdevice.mulhi(u, v))
    put(out, 7, libdevice.mul24(a, b))
    put(out, 8, libdevice.mul24(u, v))
    put(out, 9, libdevice.hadd(a, b))
    put(out, 10, libdevice.hadd(u, v))
    put(out, 11, libdevice.rhadd(a, b))
    put(out, 12, libdevice.rhadd(u, v))
    put(out, 13, libdevice.sad(a, b, i.to(tl.uint32)))
    put(out, 14, libdevice.byte_perm(a, b, tl.full((N,), 0x5410, tl.int32)))
    wide = a.to(tl.int64) * 1234567
    put(out, 15, libdevice.clz(wide))
    put(out, 16, libdevice.popc(wide))
    put(out, 17, libdevice.brev(wide))
    put(out, 18, libdevice.ffs(wide))
    put(out, 19, libdevice.mulhi(wide, wide))


@case(
    x=floats("f8", N),
    out=output(6, N, dtype="f8"),
    N=N,
    expected=lambda x: [x, x, x.astype("f4"), x.astype("f4"), x.astype("f4"), x.astype("f4")],
)
def reinterpretations(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.longlong_as_double(libdevice.double_as_longlong(a)))
    put(out, 1, libdevice.hiloint2double(libdevice.double2hiint(a), libdevice.double2loint(a)))
    b = libdevice.double2float_rn(a)
    put(out, 2, libdevice.int_as_float(libdevice.float_as_int(b)))
    put(out, 3, libdevice.uint_as_float(libdevice.float_as_uint(b).to(tl.uint32, bitcast=True)))
    put(out, 4, b)
    put(out, 5, b)


@case(
    "f4",
    x=floats("f4", N, low=-9, high=9),
    out=output(3, N, dtype="i8"),
    N=N,
    expected=lambda x: [np.rint(x), np.sign(x) * np.floor(np.abs(x) + 0.5), np.floor(np.log2(np.abs(x)))],
)
@case(
    "f8",
    x=floats("f8", N, low=-9, high=9),
    out=output(3, N, dtype="i8"),
    N=N,
    expected=lambda x: [np.rint(x), np.sign(x) * np.floor(np.abs(x) + 0.5), np.floor(np.log2(np.abs(x)))],
)
def to_integers(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.llrint(a))
    put(out, 1, libdevice.llround(a))
    put(out, 2, libdevice.ilogb(a))


# --- directed rounding: each of the four results is checked against the others ---------------------------------


def ordered(rows: np.ndarray) -> np.ndarray:
    """Of results to nearest, toward zero, down and up: whether down <= nearest, zero <= up, and up is next to down."""
    nearest, zero, down, up = rows
    between = (down <= nearest) & (nearest <= up) & ((zero == down) | (zero == up)) & (np.abs(zero) <= np.abs(nearest))
    return between & ((up == down) | (up == np.nextafter(down, np.inf)))


@case(
    "f4", x=floats("f4", N, low=0.1), y=floats("f4", N + 1, low=0.3)[:N].copy(), out=output(12, N), N=N, check=ordered
)
@case(
    "f8",
    x=floats("f8", N, low=0.1),
    y=floats("f8", N + 1, low=0.3)[:N].copy(),
    out=output(12, N, dtype="f8"),
    N=N,
    check=ordered,
)
def rounded_add_sub_mul(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, libdevice.add_rn(a, b))
    put(out, 1, libdevice.add_rz(a, b))
    put(out, 2, libdevice.add_rd(a, b))
    put(out, 3, libdevice.add_ru(a, b))
    put(out, 4, libdevice.sub_rn(a, b))
    put(out, 5, libdevice.sub_rz(a, b))
    put(out, 6, libdevice.sub_rd(a, b))
    put(out, 7, libdevice.sub_ru(a, b))
    put(out, 8, libdevice.mul_rn(a, b))
    put(out, 9, libdevice.mul_rz(a, b))
    put(out, 10, libdevice.mul_rd(a, b))
    put(out, 11, libdevice.mul_ru(a, b))


@case(
    "f4", x=floats("f4", N, low=0.1), y=floats("f4", N + 1, low=0.3)[:N].copy(), out=output(16, N), N=N, check=ordered
)
@case(
    "f8",
    x=floats("f8", N, low=0.1),
    y=floats("f8", N + 1, low=0.3)[:N].copy(),
    out=output(16, N, dtype="f8"),
    N=N,
    check=ordered,
)
def rounded_div_rcp_sqrt_fma(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    put(out, 0, libdevice.div_rn(a, b))
    put(out, 1, libdevice.div_rz(a, b))
    put(out, 2, libdevice.div_rd(a, b))
    put(out, 3, libdevice.div_ru(a, b))
    put(out, 4, libdevice.rcp_rn(a))
    put(out, 5, libdevice.rcp_rz(a))
    put(out, 6, libdevice.rcp_rd(a))
    put(out, 7, libdevice.rcp_ru(a))
    put(out, 8, libdevice.sqrt_rn(a))
    put(out, 9, libdevice.sqrt_rz(a))
    put(out, 10, libdevice.sqrt_rd(a))
    put(out, 11, libdevice.sqrt_ru(a))
    put(out, 12, libdevice.fma_rn(a, b, a))
    put(out, 13, libdevice.fma_rz(a, b, a))
    put(out, 14, libdevice.fma_rd(a, b, a))
    put(out, 15, libdevice.fma_ru(a, b, a))


def whole(x):
    """Rounded to nearest, toward zero, down and up, for each of int, uint, long long and unsigned long long."""
    functions = (np.rint, np.trunc, np.floor, np.ceil)
    return [f(np.abs(x) if unsigned else x) for unsigned in (0, 1, 0, 1) for f in functions]


@case(x=floats("f4", N), out=output(N), N=N, expected=lambda x: [(np.abs(x) + 1).astype("f8") ** -0.5])
def reciprocal_square_root(x, out, N: tl.constexpr):
    put(out, 0, libdevice.rsqrt_rn(tl.abs(tl.load(x + tl.arange(0, N))) + 1))


@case(x=floats("f4", N, low=-99, high=99), out=output(16, N, dtype="i8"), N=N, expected=lambda x: whole(x))
def float_to_integer(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.float2int_rn(a))
    put(out, 1, libdevice.float2int_rz(a))
    put(out, 2, libdevice.float2int_rd(a))
    put(out, 3, libdevice.float2int_ru(a))
    put(out, 4, libdevice.float2uint_rn(tl.abs(a)))
    put(out, 5, libdevice.float2uint_rz(tl.abs(a)))
    put(out, 6, libdevice.float2uint_rd(tl.abs(a)))
    put(out, 7, libdevice.float2uint_ru(tl.abs(a)))
    put(out, 8, libdevice.float2ll_rn(a))
    put(out, 9, libdevice.float2ll_rz(a))
    put(out, 10, libdevice.float2ll_rd(a))
    put(out, 11, libdevice.float2ll_ru(a))
    put(out, 12, libdevice.float2ull_rn(tl.abs(a)))
    put(out, 13, libdevice.float2ull_rz(tl.abs(a)))
    put(out, 14, libdevice.float2ull_rd(tl.abs(a)))
    put(out, 15, libdevice.float2ull_ru(tl.abs(a)))


@case(x=floats("f8", N, low=-99, high=99), out=output(16, N, dtype="i8"), N=N, expected=lambda x: whole(x))
def double_to_integer(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, libdevice.double2int_rn(a))
    put(out, 1, libdevice.double2int_rz(a))
    put(out, 2, libdevice.double2int_rd(a))
    put(out, 3, libdevice.double2int_ru(a))
    put(out, 4, libdevice.double2uint_rn(tl.abs(a)))
    put(out, 5, libdevice.double2uint_rz(tl.abs(a)))
    put(out, 6, libdevice.double2uint_rd(tl.abs(a)))
    put(out, 7, libdevice.double2uint_ru(tl.abs(a)))
    put(out, 8, libdevice.double2ll_rn(a))
    put(out, 9, libdevice.double2ll_rz(a))
    put(out, 10, libdevice.double2ll_rd(a))
    put(out, 11, libdevice.double2ll_ru(a))
    put(out, 12, libdevice.double2ull_rn(tl.abs(a)))
    put(out, 13, libdevice.double2ull_rz(tl.abs(a)))
    put(out, 14, libdevice.double2ull_rd(tl.abs(a)))
    put(out, 15, libdevice.double2ull_ru(tl.abs(a)))


@case(x=numbers("i4", N, low=-(2**30), high=2**30), out=output(16, N), N=N, check=ordered)
def integer_to_float(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    u = a.to(tl.uint32, bitcast=True)
    w = a.to(tl.int64) * 1234567891
    z = w.to(tl.uint64, bitcast=True)
    put(out, 0, libdevice.int2float_rn(a))
    put(out, 1, libdevice.int2float_rz(a))
    put(out, 2, libdevice.int2float_rd(a))
    put(out, 3, libdevice.int2float_ru(a))
    put(out, 4, libdevice.uint2float_rn(u))
    put(out, 5, libdevice.uint2float_rz(u))
    put(out, 6, libdevice.uint2float_rd(u))
    put(out, 7, libdevice.uint2float_ru(u))
    put(out, 8, libdevice.ll2float_rn(w))
    put(out, 9, libdevice.ll2float_rz(w))
    put(out, 10, libdevice.ll2float_rd(w))
    put(out, 11, libdevice.ll2float_ru(w))
    put(out, 12, libdevice.ull2float_rn(z))
    put(out, 13, libdevice.ull2float_rz(z))
    put(out, 14, libdevice.ull2float_rd(z))
    put(out, 15, libdevice.ull2float_ru(z))


@case(x=numbers("i4", N, low=-(2**30), high=2**30), out=output(8, N, dtype="f8"), N=N, check=ordered)
def integer_to_double(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    w = a.to(tl.int64) * 1234567891
    z = w.to(tl.uint64, bitcast=True)
    put(out, 0, libdevice.ll2double_rn(w))
    put(out, 1, libdevice.ll2double_rz(w))
    put(out, 2, libdevice.ll2double_rd(w))
    put(out, 3, libdevice.ll2double_ru(w))
    put(out, 4, libdevice.ull2double_rn(z))
    put(out, 5, libdevice.ull2double_rz(z))
    put(out, 6, libdevice.ull2double_rd(z))
    put(out, 7, libdevice.ull2double_ru(z))


@case(
    x=numbers("i4", N, low=-(2**30), high=2**30),
    out=output(6, N, dtype="f8"),
    N=N,
    expected=lambda x: [x, x.view("u4"), *[(x.astype("i8") * 1234567891).astype("f8").astype("f4")] * 4],
    rtol=2e-7,
)
def exact_to_double(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    u = a.to(tl.uint32, bitcast=True)
    w = a.to(tl.int64) * 1234567891
    put(out, 0, libdevice.int2double_rn(a))
    put(out, 1, libdevice.uint2double_rn(u))
    put(out, 2, libdevice.double2float_rn(w.to(tl.float64)).to(tl.float64))
    put(out, 3, libdevice.double2float_rz(w.to(tl.float64)).to(tl.float64))
    put(out, 4, libdevice.double2float_rd(w.to(tl.float64)).to(tl.float64))
    put(out, 5, libdevice.double2float_ru(w.to(tl.float64)).to(tl.float64))
