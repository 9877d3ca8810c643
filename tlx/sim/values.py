"""What an SSA value is while a kernel is simulated.

A scalar is a NumPy scalar and a register tensor a NumPy array, both of the exact type: `np.int32` for `i32`, `np.bool_`
for `i1`, `np.int64` for `index`, ml_dtypes' scalars for `bf16` and fp8. Integers of MLIR have no sign; they are kept
signed, and ops that read them unsigned take a view. Pointers are `tlx.sim.pointers.Pointers`. The layout of a register
tensor says which thread holds an element, not what the element is, so values don't carry it.
"""

from __future__ import annotations

import numpy as np

from ..ir.constants import FLOATS
from ..ir.model import PointerType, ScalarType, TensorType, Type

__all__ = ["dtype_of", "element_of", "full", "shape_of", "signed", "unsigned"]

_INTEGERS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
# Only the elements of descriptors have a sign: `si32`, `ui32`.
_SIGNED = {sign + name: dtype for name, dtype in _INTEGERS.items() for sign in ("", "s", "u")}
_DTYPES = {**{name: np.dtype(dtype) for name, dtype in _SIGNED.items()}, **FLOATS}


def element_of(type: Type) -> Type:
    """The element type of a tensor, else the type itself."""
    return type.element if isinstance(type, TensorType) else type


def shape_of(type: Type) -> tuple[int, ...]:
    """The shape of a tensor; () for a scalar."""
    return type.shape if isinstance(type, TensorType) else ()


def dtype_of(type: Type) -> np.dtype:
    """The NumPy dtype of a scalar type or of a tensor's elements; int64, an address, for pointers.

    Raises:
        KeyError: the simulator has no values of that type.
    """
    element = element_of(type)
    if isinstance(element, PointerType):
        return np.dtype(np.int64)
    if isinstance(element, ScalarType):
        return _DTYPES[element.name]
    raise KeyError(str(type))


def full(type: Type, value):
    """A scalar or tensor of that type, filled with `value`."""
    dtype = dtype_of(type)
    shape = shape_of(type)
    return np.full(shape, value, dtype) if shape else dtype.type(value)


def signed(value):
    """The value as signed integers; a true `i1` is -1."""
    return -value.view(np.int8) if value.dtype == np.bool_ else value


def unsigned(value):
    """The same bits as unsigned integers; a true `i1` is 1."""
    return value.view(f"u{value.dtype.itemsize}")
