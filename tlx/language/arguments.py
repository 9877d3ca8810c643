"""Reading of arguments that every op of the language shares."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, base_value

from ..errors import InvalidPredicate, LanguageError, ShapeMismatch

__all__ = ["constant_int", "constant_shape", "int32_scalar", "int32_tensor", "list_text", "predicate"]


def constant_int(value: Any, what: str, error: type[LanguageError], least: int | None = None) -> int:
    """The int of a compile-time constant; raises `error` if it is none or less than `least`."""
    value = _unwrap_if_constexpr(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise error(f"{what} must be a compile-time integer, not {describe(value)}", "declare it as tl.constexpr")
    if least is not None and value < least:
        raise error(f"{what} is {value}, it must be at least {least}")
    return value


def constant_shape(shape: Any, what: str) -> list[int]:
    """A list of compile-time integers."""
    shape = _unwrap_if_constexpr(shape)
    if not isinstance(shape, list | tuple | tl.tuple):
        raise ShapeMismatch(f"{what} must be a list of compile-time integers, not {describe(shape)}")
    return [constant_int(d, f"each dimension of {what}", ShapeMismatch) for d in shape]


def int32_scalar(value: Any, what: str, error: type[LanguageError], semantic) -> tl.tensor:
    """A scalar integer, of compile time or of run time, as an i32 tensor; raises `error` for anything else."""
    constant = _unwrap_if_constexpr(value)
    scalar = isinstance(constant, int) or (isinstance(constant, tl.tensor) and not constant.type.is_block())
    if not scalar or (isinstance(constant, tl.tensor) and not constant.dtype.is_int()):
        raise error(f"{what} must be an integer scalar, not {describe(constant)}")
    return int32_tensor(value, semantic)


def int32_tensor(value: Any, semantic) -> tl.tensor:
    """A scalar as an i32 tensor."""
    tensor = semantic.to_tensor(value)
    return tensor if tensor.dtype == tl.int32 else semantic.cast(tensor, tl.int32)


def predicate(pred: Any, semantic) -> tl.tensor:
    """A scalar predicate; None means always. Raises InvalidPredicate for anything but a scalar."""
    pred = _unwrap_if_constexpr(pred)
    if isinstance(pred, base_value) and not (isinstance(pred, tl.tensor) and not pred.type.is_block()):
        raise InvalidPredicate(f"pred must be a scalar condition, not {describe(pred)}")
    tensor = semantic.to_tensor(True if pred is None else pred)
    return tensor if tensor.dtype == tl.int1 else semantic.cast(tensor, tl.int1)


def describe(value: Any) -> str:
    """How an error names a value: its type for traced values, else its repr."""
    if isinstance(value, base_value):
        return f"a {type(value).__name__} of type {value.type}"
    return repr(value)


def list_text(values) -> str:
    """`128x64` of a shape."""
    return "x".join(str(_unwrap_if_constexpr(v)) for v in values)
