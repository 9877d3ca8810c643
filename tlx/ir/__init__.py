"""TTGIR as data: parse, inspect, print."""

from .errors import TTGIRSyntaxError
from .model import (
    Attribute,
    Block,
    FunctionType,
    MemDescType,
    Module,
    Op,
    OpaqueType,
    PointerType,
    Region,
    ScalarType,
    TensorDescType,
    TensorType,
    Type,
    Value,
)
from .parser import parse
from .printer import format_module, format_op

__all__ = [
    "Attribute",
    "Block",
    "FunctionType",
    "MemDescType",
    "Module",
    "Op",
    "OpaqueType",
    "PointerType",
    "Region",
    "ScalarType",
    "TTGIRSyntaxError",
    "TensorDescType",
    "TensorType",
    "Type",
    "Value",
    "format_module",
    "format_op",
    "parse",
]
