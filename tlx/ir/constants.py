"""Numbers in MLIR's spellings: hexadecimal floats, typed literals, `dense<...>`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .model import Attribute, ScalarType, TensorType, Type

__all__ = ["FLOATS", "Bits", "dense_attribute", "decode_number", "read_number"]

FLOATS = {
    name: np.dtype(dtype)
    for name, dtype in {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f32": np.float32,
        "f64": np.float64,
        "f8E4M3": ml_dtypes.float8_e4m3,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
        "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    }.items()
}
"""The dtypes of MLIR's float types, by name."""


class Bits(int):
    """A hexadecimal literal whose type isn't known yet: of a float type it is the bits, not the value."""


def read_number(token: str) -> int | float:
    """A literal as a Python number; a hexadecimal one as `Bits`."""
    if "0x" in token:
        return Bits(token, 16)
    return float(token) if "." in token else int(token)


def decode_number(value: Any, type_: Type | None) -> Any:
    """The number that a literal means at its type: hexadecimal floats decoded bit by bit, `1 : f32` made a float."""
    element = type_.element if isinstance(type_, TensorType) else type_
    name = element.name if isinstance(element, ScalarType) else ""
    if isinstance(value, Bits):
        if name in FLOATS:
            dtype = FLOATS[name]
            return float(np.array([int(value)], np.dtype(f"u{dtype.itemsize}")).view(dtype)[0])
        return int(value)
    return bool(value) if name == "i1" else value


def dense_attribute(text: str, content: Any, type_: Type | None) -> Attribute:
    """`dense<...> : type` with parameter `value`: a number for a splat, else nested tuples in the type's shape.

    Args:
        text: the spelling, without the type.
        content: what stands between the angle brackets, as read without knowing the type.
        type_: a tensor or vector type.
    """
    if isinstance(content, str):
        value = _from_raw_bytes(content, type_)
    else:
        value = _map_nested(lambda number: decode_number(number, type_), content)
    return Attribute("dense", (("value", value),), f"{text} : {type_}" if type_ else text)


def _from_raw_bytes(content: str, type_: Type | None) -> Any:
    """`dense<"0x...">`: little-endian elements in row-major order."""
    if not isinstance(type_, TensorType) or not content.startswith("0x"):
        return content
    name = str(type_.element)
    if name == "i1":
        return content
    dtype = FLOATS[name] if name in FLOATS else np.dtype(f"i{int(name[1:]) // 8}")
    array = np.frombuffer(bytes.fromhex(content[2:]), dtype)
    if array.size == 1:
        return array[0].item()
    return _nested_tuples(array.reshape(type_.shape).tolist())


def _map_nested(function: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_map_nested(function, element) for element in value)
    return function(value)


def _nested_tuples(value: Any) -> Any:
    return tuple(_nested_tuples(element) for element in value) if isinstance(value, list) else value
