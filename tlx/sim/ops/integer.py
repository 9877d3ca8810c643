"""Integer arithmetic: two's complement, wrapping, as the hardware does it where MLIR leaves it undefined."""

from __future__ import annotations

import numpy as np

from ..values import signed, unsigned
from .registry import elementwise

_BITS = {np.dtype(f"{sign}{size}"): 8 * size for sign in "iu" for size in (1, 2, 4, 8)}


def _wrapping(function):
    """Makes `function` wrap for `i1` too, where NumPy's operators on bool are logical."""

    def apply(*values):
        if values[0].dtype != np.bool_:
            return function(*values)
        return (function(*(v.view(np.int8) for v in values)) & 1).astype(np.bool_)

    return apply


def _on_signed(function):
    return lambda *values: _as(values[0].dtype, function(*map(signed, values)))


def _on_unsigned(function):
    return lambda *values: _as(values[0].dtype, function(*map(unsigned, values)))


def _as(dtype, value):
    return (value & 1).astype(np.bool_) if dtype == np.bool_ else value.view(dtype)


def _divide(a, b):
    """Quotient rounded toward zero, and remainder with the sign of `a`.

    PTX leaves division by zero unspecified; an H200 gives all ones for both. The least integer divided by -1 wraps.
    """
    zero = b == 0
    ones = np.invert(a.dtype.type(0))
    remainder = np.fmod(a, b)
    quotient = np.where(zero, ones, (a - remainder) // b)
    remainder = np.where(zero, ones, remainder)
    return quotient, remainder


def _quotient(a, b):
    return _divide(a, b)[0]


def _remainder(a, b):
    return _divide(a, b)[1]


def _floor_quotient(a, b):
    quotient, remainder = _divide(a, b)
    return quotient - ((remainder != 0) & ((a < 0) != (b < 0)))


def _ceil_quotient(a, b):
    quotient, remainder = _divide(a, b)
    return quotient + ((remainder != 0) & ((a < 0) == (b < 0)))


def _shift(function):
    """Shifts by an unsigned amount; at the width or above everything is shifted out (PTX clamps the amount).

    A 64-bit amount is first cut to 32 bits, as the NVPTX back end does.
    """

    def apply(value, amount):
        width = _BITS[value.dtype]
        amount = unsigned(amount).astype(np.uint32)
        inside = np.minimum(amount, width - 1).astype(value.dtype)
        shifted = function(value, inside)
        return np.where(amount < width, shifted, function(shifted, value.dtype.type(1))).astype(value.dtype)

    return apply


def high_product(a, b):
    """The upper half of the product of two unsigned integers."""
    width = _BITS[a.dtype]
    if width < 64:
        wide = np.dtype(f"u{width // 4}")
        return (a.astype(wide) * b.astype(wide) >> width).astype(a.dtype)
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a_high, a_low, b_high, b_low = a >> half, a & mask, b >> half, b & mask
    middle = a_high * b_low + (a_low * b_low >> half)
    carry = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> half) + (carry >> half)


def signed_high_product(a, b):
    """The upper half of the product of two signed integers."""
    high = high_product(unsigned(a), unsigned(b)).view(a.dtype)
    zero = a.dtype.type(0)
    return high - np.where(a < 0, b, zero) - np.where(b < 0, a, zero)


def _add_with_carry(a, b):
    total = a + b
    return total, unsigned(total) < unsigned(a)


def leading_zeros(value):
    """How many zero bits stand above the highest one; the width for 0."""
    width = _BITS[value.dtype]
    bits = unsigned(value)
    count = np.zeros_like(bits)
    for step in (32, 16, 8, 4, 2, 1):
        if step < width:
            empty = bits >> (width - step) == 0
            count = count + np.where(empty, step, 0).astype(bits.dtype)
            bits = np.where(empty, bits << step, bits)
    return (count + (bits == 0)).view(value.dtype)


def _trailing_zeros(value):
    lowest = value & -value
    return np.where(value == 0, _BITS[value.dtype], _BITS[value.dtype] - 1 - leading_zeros(lowest)).astype(value.dtype)


elementwise(
    {
        "arith.addi": _wrapping(np.add),
        "arith.subi": _wrapping(np.subtract),
        "arith.muli": _wrapping(np.multiply),
        "arith.andi": np.bitwise_and,
        "arith.ori": np.bitwise_or,
        "arith.xori": np.bitwise_xor,
        "arith.shli": _shift(np.left_shift),
        "arith.shrsi": _shift(np.right_shift),
        "arith.shrui": _on_unsigned(_shift(np.right_shift)),
        "arith.divsi": _on_signed(_quotient),
        "arith.divui": _on_unsigned(_quotient),
        "arith.remsi": _on_signed(_remainder),
        "arith.remui": _on_unsigned(_remainder),
        "arith.floordivsi": _floor_quotient,
        "arith.ceildivsi": _ceil_quotient,
        "arith.ceildivui": _on_unsigned(_ceil_quotient),
        "arith.minsi": _on_signed(np.minimum),
        "arith.maxsi": _on_signed(np.maximum),
        "arith.minui": _on_unsigned(np.minimum),
        "arith.maxui": _on_unsigned(np.maximum),
        "arith.addui_extended": _add_with_carry,
        "arith.mulsi_extended": lambda a, b: (a * b, signed_high_product(a, b)),
        "arith.mului_extended": lambda a, b: (a * b, high_product(unsigned(a), unsigned(b)).view(a.dtype)),
        "tt.mulhiui": _on_unsigned(high_product),
        "math.absi": np.abs,
        "math.ctlz": leading_zeros,
        "math.cttz": _trailing_zeros,
        "math.ctpop": lambda value: np.bitwise_count(unsigned(value)).astype(value.dtype),
    }
)
