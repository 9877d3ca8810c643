"""From what a user passes to a kernel to the values of the kernel function's arguments in TTGIR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..ir.model import Op, PointerType, ScalarType, TensorDescType, Value
from .array import Array
from .descriptors import TensorDescriptor
from .errors import ArgumentError, DeviceTensorError
from .pointers import Argument, Pointers
from .values import dtype_of

__all__ = ["bind"]


def bind(function: Op, signature: dict, arguments: tuple) -> tuple[tuple, tuple[Argument, ...]]:
    """The values of a kernel function's arguments, and the storages that they point into.

    Args:
        function: the `tt.func`.
        signature: Triton's types by parameter; `"constexpr"` ones are not arguments of the function.
        arguments: one for each parameter, as the launcher gets them.

    Raises:
        ArgumentError: an argument of a wrong kind, or in GPU memory.
    """
    parameters = function.regions[0].entry.arguments
    passed = list(_flat(signature.items(), arguments))
    values: list = []
    storages: list[Argument] = []
    for name, argument in passed:
        if len(values) >= len(parameters):
            break
        values.extend(_values(name, argument, parameters[len(values)], storages))
    if len(values) != len(parameters):
        raise ArgumentError(f"the kernel takes {len(parameters)} arguments in TTGIR, but {len(values)} were passed")
    return tuple(values), tuple(storages)


def _flat(signature, arguments) -> Iterator[tuple[str, Any]]:
    """(name, argument) of all that is no constexpr, tuples taken apart."""
    for (name, kind), argument in zip(signature, arguments):
        if isinstance(kind, (tuple, list)):
            yield from _flat([(f"{name}[{i}]", part) for i, part in enumerate(kind)], argument)
        elif kind != "constexpr":
            yield str(name), argument


def _values(name: str, argument, parameter: Value, storages: list[Argument]) -> list:
    if isinstance(parameter.type, TensorDescType):
        return _descriptor(name, argument, parameter.type, storages)
    if isinstance(parameter.type, PointerType):
        storage = _storage(name, argument, dtype_of(parameter.type.pointee))
        storages.append(storage)
        return [Pointers(np.int64(storage.address), storage)]
    return [_scalar(name, argument, parameter.type)]


def _scalar(name: str, argument, type: ScalarType):
    try:
        dtype = dtype_of(type)
        if dtype.kind == "i":
            return np.array(int(argument) & (1 << 8 * dtype.itemsize) - 1, f"u{dtype}").view(dtype)[()]
        return dtype.type(argument)
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {argument!r} is no value of type {type}") from error


def _storage(name: str, argument, dtype: np.dtype) -> Argument:
    """The storage of a pointer argument."""
    if argument is None:
        return Argument(name, 0, 0, 0, dtype)
    if not hasattr(argument, "data_ptr"):
        raise ArgumentError(
            f"{name}: {type(argument).__name__} has no storage that the simulator could check accesses against",
            hint="pass a CPU tensor or tlx.sim.array(...)",
        )
    if getattr(argument, "is_cuda", False):
        raise DeviceTensorError(f"{name} is in GPU memory ({argument.device})", hint="pass a CPU tensor: x.cpu()")
    if isinstance(argument, Array):
        start, nbytes = argument.storage()
    else:
        storage = argument.untyped_storage()
        start, nbytes = storage.data_ptr(), storage.nbytes()
    return Argument(name, argument.data_ptr(), start, nbytes, dtype, argument)


def _descriptor(name: str, argument, type: TensorDescType, storages: list[Argument]) -> list:
    """A host descriptor: the descriptor, its shape as i32 and its strides as i64."""
    if not hasattr(argument, "block_shape"):
        raise ArgumentError(f"{name}: expected a TensorDescriptor, got {argument!r}")
    dtype = dtype_of(type.block.element)
    storage = _storage(name, argument.base, dtype)
    storages.append(storage)
    descriptor = TensorDescriptor(
        storage,
        storage.address,
        tuple(argument.shape),
        tuple(argument.strides),
        type.block.shape,
        dtype,
        np.nan if argument.padding == "nan" else 0,
    )
    return [descriptor, *map(np.int32, argument.shape), *map(np.int64, argument.strides)]
