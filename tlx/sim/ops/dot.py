"""Matrix products as the tensor cores compute them."""

from __future__ import annotations

import numpy as np

from ..rounding import round_nearest, tf32_truncate
from .registry import simulates

TF32, TF32X3, IEEE = 0, 1, 2
"""Values of the `inputPrecision` attribute."""

_PRECISIONS = {"tf32": TF32, "tf32x3": TF32X3, "ieee": IEEE}  # as `tt.dot` spells them


@np.errstate(all="ignore")
def multiply_accumulate(a, b, c, input_precision: int):
    """`a @ b + c` in the type of `c`, for operands of two dimensions or batches of them.

    Floats are summed in float32 (float64 for float64) in an order of NumPy's choosing, with the products of 8- and
    16-bit inputs exact; the tensor cores sum in another order, fp8 with fewer bits. Integers are exact and wrap.

    Args:
        a, b: of one element type, or of two fp8 types.
        c: the accumulator.
        input_precision: for float32 inputs only: TF32 ignores their low 13 bits, as wgmma does.
    """
    if c.dtype.kind == "i":
        # float64 has a fast matmul and holds every sum of 8-bit products exactly.
        product = np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64).astype(c.dtype)
        return product + c
    wide = np.dtype(np.float64 if c.dtype == np.float64 else np.float32)
    if a.dtype == np.float32 and input_precision == TF32:
        a, b = tf32_truncate(a), tf32_truncate(b)
    total = np.matmul(a.astype(wide), b.astype(wide)) + c.astype(wide)
    return round_nearest(total, c.dtype)


@simulates("tt.dot")
def dot(group, op, a, b, c):
    """`a @ b + c`."""
    return multiply_accumulate(a, b, c, _PRECISIONS[str(op.attributes.get("inputPrecision", "ieee"))])
