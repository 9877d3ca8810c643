"""Float arithmetic: IEEE, each op rounded to its own type.

bf16 and fp16 are computed in float32 and rounded, which is what their native instructions give: float32 has more than
twice the precision plus two bits, so the second rounding changes nothing. `arith.divf` rounds correctly where the GPU's
`div.full.f32` may be off by 2 ulp. Contraction of `a * b + c` to one FMA happens below TTGIR and isn't modelled.
"""

from __future__ import annotations

import numpy as np

from ..rounding import fma
from .registry import elementwise, simulates


def maximum_number(a, b):
    """The larger operand; a NaN loses against a number; +0 is larger than -0 (PTX `max`)."""
    return np.where((a == 0) & (b == 0), a + b, np.fmax(a, b))


def minimum_number(a, b):
    """The smaller operand; a NaN loses against a number; -0 is smaller than +0 (PTX `min`)."""
    return -maximum_number(-a, -b)


def maximum(a, b):
    """The larger operand, or NaN if one is (PTX `max.NaN`)."""
    return np.where(np.isnan(a) | np.isnan(b), a + b, maximum_number(a, b))


def minimum(a, b):
    """The smaller operand, or NaN if one is (PTX `min.NaN`)."""
    return -maximum(-a, -b)


def _remainder(a, b):
    """What Triton emits for `arith.remf`: not `fmod` once the quotient has more bits than the mantissa."""
    return np.where(np.isinf(b), a, fma(-np.trunc(a / b), b, a)).astype(a.dtype)


elementwise(
    {
        "arith.addf": np.add,
        "arith.subf": np.subtract,
        "arith.mulf": np.multiply,
        "arith.divf": np.divide,
        "arith.remf": _remainder,
        "arith.negf": np.negative,
        "arith.maxnumf": maximum_number,
        "arith.minnumf": minimum_number,
        "arith.maximumf": maximum,
        "arith.minimumf": minimum,
        "tt.approx_divf": np.divide,
        "tt.precise_divf": np.divide,
        "tt.precise_sqrt": np.sqrt,
    }
)


@simulates("tt.clampf")
@np.errstate(all="ignore")
def clampf(group, op, value, low, high):
    """`min(max(value, low), high)`; a NaN value gives `low` unless NaN is to be propagated."""
    if str(op.attributes["propagateNan"]) == "none":
        return minimum_number(maximum_number(value, low), high)[()]
    return minimum(maximum(value, low), high)[()]
