"""libdevice's operations and conversions that name a rounding: `_rn`, `_rz`, `_rd` (down) and `_ru` (up)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..rounding import fma, round_nearest, sum_error
from ..values import unsigned
from .convert import to_integer
from .external import device_function

DIRECTIONS = ("rz", "rd", "ru")
FLOATS = {"f": np.dtype("f4"), "d": np.dtype("f8")}


def directed(direction: str, near, lost):
    """A result rounded to nearest, moved to the neighbour that the direction asks for.

    Args:
        near: the rounded result; infinite where finite operands overflowed.
        lost: of the sign of what rounding took away, 0 where the result is exact.
    """
    lost = np.where(np.isinf(near) & np.isnan(lost), -np.sign(near), lost)
    down = (lost < 0) & ((direction == "rd") | ((direction == "rz") & (near > 0)))
    up = (lost > 0) & ((direction == "ru") | ((direction == "rz") & (near < 0)))
    target = np.where(down, -np.inf, np.inf).astype(near.dtype)
    return np.where(down | up, np.nextafter(near, target), near)


def _lost_by_fma(near, a, b, c):
    product = a * b
    total = product + c
    return (total - near) + (fma(a, b, -product) + sum_error(product, c, total))


_OPERATIONS: dict[str, tuple[Callable, Callable]] = {
    "add": (np.add, lambda near, a, b: sum_error(a, b, near)),
    "sub": (np.subtract, lambda near, a, b: sum_error(a, -b, near)),
    "mul": (np.multiply, lambda near, a, b: fma(a, b, -near)),
    "div": (np.divide, lambda near, a, b: fma(-near, b, a) * np.sign(b)),
    "rcp": (np.reciprocal, lambda near, a: fma(-near, a, np.ones_like(a)) * np.sign(a)),
    "sqrt": (np.sqrt, lambda near, a: fma(-near, near, a)),
}


def _in_direction(direction: str, operation: Callable, lost: Callable) -> Callable:
    def apply(*values):
        near = operation(*values)
        return directed(direction, near, lost(near, *values))

    return apply


for name, (operation, lost) in _OPERATIONS.items():
    device_function(*(f"__nv_{kind}{name}_rn" for kind in FLOATS))(operation)
    for direction in DIRECTIONS:
        function = _in_direction(direction, operation, lost)
        device_function(*(f"__nv_{kind}{name}_{direction}" for kind in FLOATS))(function)

device_function("__nv_fma_rn", "__nv_fmaf_rn")(fma)
for direction in DIRECTIONS:
    device_function(f"__nv_fma_{direction}", f"__nv_fmaf_{direction}")(_in_direction(direction, fma, _lost_by_fma))

# --- conversions -----------------------------------------------------------------------------------------------------

_WHOLE = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
_SOURCES = {"float": "f4", "double": "f8"}
_INTEGERS = {"int": ("i4", "i"), "uint": ("i4", "u"), "ll": ("i8", "i"), "ull": ("i8", "u")}


def _from_float(whole: Callable, bits: str, sign: str) -> Callable:
    return lambda value: to_integer(whole(value), np.dtype(bits), sign)


def _to_float(direction: str, sign: str, dtype: np.dtype) -> Callable:
    def convert(value):
        value = unsigned(value) if sign == "u" else value
        near = np.asarray(round_nearest(value, dtype))
        # 64 bits of mantissa hold every integer and every float64.
        lost = np.asarray(value).astype(np.longdouble) - near.astype(np.longdouble)
        return near if direction == "rn" else directed(direction, near, lost)

    return convert


for source, dtype in _SOURCES.items():
    for name, (bits, sign) in _INTEGERS.items():
        for direction, whole in _WHOLE.items():
            device_function(f"__nv_{source}2{name}_{direction}")(_from_float(whole, bits, sign))
            device_function(f"__nv_{name}2{source}_{direction}")(_to_float(direction, sign, np.dtype(dtype)))
for direction in _WHOLE:
    device_function(f"__nv_double2float_{direction}")(_to_float(direction, "i", np.dtype("f4")))
