"""Functions of CUDA's libdevice, which `tl.extra.libdevice` calls by symbol (`__nv_expf`)."""

from __future__ import annotations

import numpy as np

from ..rounding import fma, round_toward_zero
from ..values import unsigned
from .external import device_function
from .floating import maximum_number, minimum_number
from .integer import high_product, leading_zeros, signed_high_product
from .math import FUNCTIONS, rounded

_ROUNDED = FUNCTIONS | {
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

for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.items():
    device_function(f"__nv_f{name}_rn", f"__nv_d{name}_rn")(function)
device_function("__nv_fma_rn", "__nv_fmaf_rn")(fma)
device_function("__nv_fsqrt_rn", "__nv_dsqrt_rn")(np.sqrt)
device_function("__nv_frcp_rn", "__nv_drcp_rn")(np.reciprocal)
device_function("__nv_double2float_rn")(lambda value: value)
device_function("__nv_double2float_rz")(lambda value: round_toward_zero(value, np.dtype(np.float32)))

for name, function in {"isnan": np.isnan, "isinf": np.isinf, "signbit": np.signbit, "isfinite": np.isfinite}.items():
    device_function(f"__nv_{name}f", f"__nv_{name}d")(function)
device_function("__nv_finitef")(np.isfinite)

for name, function in {
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
