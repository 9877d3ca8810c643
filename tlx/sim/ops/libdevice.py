"""Functions of CUDA's libdevice, which `tl.extra.libdevice` calls by symbol (`__nv_expf`)."""

from __future__ import annotations

import math

import numpy as np

from ..rounding import fma
from ..values import unsigned
from .convert import to_integer
from .external import device_function
from .floating import maximum_number, minimum_number
from .integer import high_product, leading_zeros, signed_high_product
from .math import FUNCTIONS, round_half_away, rounded, special

_erfc = special(math.erfc)


def _circle_mean(function, x):
    """The mean over angles: equidistant points converge exponentially for what is smooth and periodic."""
    points = 64 + 2 * int(np.max(np.abs(x), initial=0, where=np.isfinite(x)))
    return np.mean([function(2 * np.pi * k / points) for k in range(points)], 0)


def _bessel_j(n, x):
    """Bessel's integral."""
    return _circle_mean(lambda angle: np.cos(n * angle - x * np.sin(angle)), x)


def _inverse_erf(y):
    """Newton's method on erf, from Winitzki's approximation."""
    log = np.log1p(-y * y)
    base = 2 / (np.pi * 0.147) + log / 2
    x = np.sign(y) * np.sqrt(np.sqrt(base * base - log / 0.147) - base)
    for _ in range(4):
        x = np.where(np.isfinite(x), x - (FUNCTIONS["erf"](x) - y) * np.sqrt(np.pi) / 2 * np.exp(x * x), x)
    return x


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:  # a pole
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _log_gamma(x: float) -> float:
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def _exponent(value):
    """The exponent of the leading bit."""
    return np.where(np.isfinite(value), np.frexp(value)[1] - 1, np.abs(value))


def remainder(a, b):
    """`a - n * b` with the `n` nearest to the quotient, the even one of two (IEEE 754)."""
    return np.frompyfunc(_remainder, 2, 1)(a, b).astype(a.dtype)


def _remainder(a: float, b: float) -> float:
    try:
        return math.remainder(a, b)
    except ValueError:
        return math.nan


_ROUNDED = FUNCTIONS | {
    "cyl_bessel_i0": lambda x: _circle_mean(lambda angle: np.exp(x * np.cos(angle)), x),
    "cyl_bessel_i1": lambda x: _circle_mean(lambda angle: np.exp(x * np.cos(angle)) * np.cos(angle), x),
    "erfcinv": lambda x: _inverse_erf(1 - x),
    "erfcx": lambda x: np.exp(x * x) * _erfc(x),
    "erfinv": _inverse_erf,
    "j0": lambda x: _bessel_j(0, x),
    "j1": lambda x: _bessel_j(1, x),
    "lgamma": special(_log_gamma),
    "norm3d": lambda *xs: np.sqrt(sum(x * x for x in xs)),
    "norm4d": lambda *xs: np.sqrt(sum(x * x for x in xs)),
    "normcdf": lambda x: _erfc(-x / np.sqrt(2)) / 2,
    "normcdfinv": lambda p: np.sqrt(2) * _inverse_erf(2 * p - 1),
    "rnorm3d": lambda *xs: 1 / np.sqrt(sum(x * x for x in xs)),
    "rnorm4d": lambda *xs: 1 / np.sqrt(sum(x * x for x in xs)),
    "tgamma": special(_gamma),
    "cospi": lambda value: np.cos(np.pi * np.fmod(value, 2)),
    "exp10": lambda value: np.power(10.0, value),
    "fmod": np.fmod,
    "hypot": np.hypot,
    "nearbyint": np.rint,
    "pow": np.power,
    "powi": np.power,
    "rcbrt": lambda value: 1 / np.cbrt(value),
    "rhypot": lambda a, b: 1 / np.hypot(a, b),
    "rint": np.rint,
    "sinpi": lambda value: np.sin(np.pi * np.fmod(value, 2)),
}
_EXACT = {
    "fdim": lambda a, b: np.where(np.isnan(a) | np.isnan(b) | (a > b), a - b, 0).astype(a.dtype),
    "logb": lambda value: np.where(value == 0, -np.inf, _exponent(value)).astype(value.dtype),
    "remainder": remainder,
    "saturate": lambda value: np.where(np.isnan(value), 0, np.clip(value, 0, 1)).astype(value.dtype),
    "scalbn": np.ldexp,
    "copysign": np.copysign,
    "fabs": np.abs,
    "fma": fma,
    "fmax": maximum_number,
    "fmin": minimum_number,
    "ldexp": np.ldexp,
    "nextafter": np.nextafter,
}
for name, function in ({n: rounded(f) for n, f in _ROUNDED.items()} | _EXACT).items():
    device_function(f"__nv_{name}", f"__nv_{name}f")(function)

for name in ("cos", "exp", "exp10", "log", "log10", "log2", "pow", "sin", "tan"):
    device_function(f"__nv_fast_{name}f")(rounded(_ROUNDED[name]))
device_function("__nv_fast_fdividef")(np.divide)


def _first_bit(value):
    """The place of the lowest bit that is set, from 1; 0 if there is none."""
    lowest = unsigned(value & -value)
    return np.where(value == 0, 0, 8 * value.dtype.itemsize - leading_zeros(lowest))


def _reversed_bits(value):
    bits = np.unpackbits(np.ascontiguousarray(value)[..., None].view(np.uint8), axis=-1, bitorder="little")
    return np.packbits(bits[..., ::-1], axis=-1, bitorder="little").view(value.dtype)[..., 0]


def _picked_bytes(a, b, selector):
    """Four of the eight bytes of two words, by the nibbles of a selector (PTX `prmt.b32`, without its sign mode)."""
    both = b.astype(np.uint64) << np.uint64(32) | a
    picked = [both >> (8 * (selector >> 4 * i & 7)).astype(np.uint64) & np.uint64(0xFF) for i in range(4)]
    return sum(byte << np.uint64(8 * i) for i, byte in enumerate(picked)).astype(np.uint32)


def _low_24(value):
    """The low 24 bits as a signed number."""
    return (value << 8) >> 8


for kind in ("", "f"):
    device_function(f"__nv_llrint{kind}")(lambda value: to_integer(np.rint(value), np.dtype("i8"), "i"))
    device_function(f"__nv_llround{kind}")(lambda value: to_integer(round_half_away(value), np.dtype("i8"), "i"))
    device_function(f"__nv_ilogb{kind}")(lambda value: np.where(value == 0, -(2**31), _exponent(value)))
    device_function(f"__nv_jn{kind}")(lambda n, x: _bessel_j(n.astype("f8"), x.astype("f8")))
device_function("__nv_frsqrt_rn")(rounded(FUNCTIONS["rsqrt"]))

for name, function in {"isnan": np.isnan, "isinf": np.isinf, "signbit": np.signbit, "isfinite": np.isfinite}.items():
    device_function(f"__nv_{name}f", f"__nv_{name}d")(function)
device_function("__nv_finitef")(np.isfinite)

for name, function in {
    "brev": lambda value: _reversed_bits(unsigned(value)),
    "brevll": lambda value: _reversed_bits(unsigned(value)),
    "byte_perm": lambda a, b, selector: _picked_bytes(unsigned(a), unsigned(b), unsigned(selector)),
    "double2hiint": lambda value: value.view(np.int64) >> 32,
    "double2loint": lambda value: value.view(np.int64) & 0xFFFFFFFF,
    "ffs": _first_bit,
    "ffsll": _first_bit,
    "hadd": lambda a, b: (a.astype(np.int64) + b) >> 1,
    "hiloint2double": lambda high, low: (high.astype(np.int64) << 32 | unsigned(low)).view(np.float64),
    "mul24": lambda a, b: _low_24(a) * _low_24(b),
    "rhadd": lambda a, b: (a.astype(np.int64) + b + 1) >> 1,
    "sad": lambda a, b, c: np.abs(a.astype(np.int64) - b) + c,
    "uhadd": lambda a, b: (unsigned(a).astype(np.int64) + unsigned(b)) >> 1,
    "umul24": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "urhadd": lambda a, b: (unsigned(a).astype(np.int64) + unsigned(b) + 1) >> 1,
    "usad": lambda a, b, c: np.abs(unsigned(a).astype(np.int64) - unsigned(b)) + unsigned(c),
    "abs": np.abs,
    "llabs": np.abs,
    "clz": leading_zeros,
    "clzll": leading_zeros,
    "popc": lambda value: np.bitwise_count(unsigned(value)),
    "popcll": lambda value: np.bitwise_count(unsigned(value)),
    "mulhi": signed_high_product,
    "mul64hi": signed_high_product,
    "umulhi": lambda a, b: high_product(unsigned(a), unsigned(b)),
    "umul64hi": lambda a, b: high_product(unsigned(a), unsigned(b)),
    "float_as_int": lambda value: value.view(np.int32),
    "float_as_uint": lambda value: value.view(np.int32),
    "int_as_float": lambda value: value.view(np.float32),
    "uint_as_float": lambda value: value.view(np.float32),
    "double_as_longlong": lambda value: value.view(np.int64),
    "longlong_as_double": lambda value: value.view(np.float64),
}.items():
    device_function(f"__nv_{name}")(function)
