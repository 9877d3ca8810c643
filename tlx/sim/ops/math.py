"""Elementary functions.

Computed in float64 and rounded to the operand's type, so they are the correctly rounded results but for rare ties. The
GPU's own (`ex2.approx`, `lg2.approx`, `sin.approx`, ...) differ from that by a few ulp; absolute accuracy of `sin` and
`cos` there degrades with the argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..rounding import fma, round_nearest
from .registry import elementwise


def rounded(function: Callable) -> Callable:
    """`function` of float64, rounded to the type of the first operand."""

    def apply(*values):
        wide = function(*(v.astype(np.float64) for v in values))
        return round_nearest(np.asarray(wide, np.float64), values[0].dtype)

    return apply


def special(function: Callable) -> Callable:
    """A function of Python's `math`, which NumPy lacks, of arrays."""
    ufunc = np.frompyfunc(function, 1, 1)
    return lambda value: np.asarray(ufunc(value), np.float64)


def round_half_away(value):
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(value)
    return np.where(np.abs(value - whole) >= 0.5, whole + np.copysign(1.0, value), whole)


FUNCTIONS = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": special(math.erf),
    "erfc": special(math.erfc),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "round": round_half_away,
    "rsqrt": lambda value: 1 / np.sqrt(value),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
"""Functions of float64 arrays that both the math dialect and libdevice have, by their common name."""

elementwise({f"math.{name}": rounded(function) for name, function in FUNCTIONS.items()})
elementwise(
    {
        "math.absf": np.abs,
        "math.copysign": np.copysign,
        "math.fma": fma,
        "math.fpowi": rounded(np.power),
        "math.isfinite": np.isfinite,
        "math.isinf": np.isinf,
        "math.isnan": np.isnan,
        "math.powf": rounded(np.power),
        "math.roundeven": rounded(np.rint),
    }
)
