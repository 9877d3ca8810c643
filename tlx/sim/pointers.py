"""Global memory: the arguments' storages, pointers into them, and the bounds of every access."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import MisalignedAccess, OutOfBounds

__all__ = ["Argument", "GlobalMemory", "Pointers"]


@dataclass(frozen=True, eq=False)
class Argument:
    """A pointer argument of a launch, with the memory that may be reached through it.

    Args:
        name: the parameter's name in the kernel.
        address: the pointer's value, in bytes.
        start: address of the storage's first byte; less than `address` for a view into a larger array.
        nbytes: bytes of the storage.
        dtype: type of the elements.
        owner: the object that keeps the storage alive.
    """

    name: str
    address: int
    start: int
    nbytes: int
    dtype: np.dtype
    owner: Any = None

    @property
    def end(self) -> int:
        """Address past the storage's last byte."""
        return self.start + self.nbytes


@dataclass(frozen=True, eq=False)
class Pointers:
    """A pointer or a tensor of pointers.

    Args:
        addresses: int64 array or scalar, in bytes.
        argument: the argument they derive from; None if that isn't known or differs per element.
    """

    addresses: Any
    argument: Argument | None = None


@dataclass(frozen=True)
class _Span:
    """Adjoining storages as one run of bytes."""

    start: int
    end: int

    def view(self, dtype: np.dtype) -> np.ndarray:
        count = (self.end - self._base(dtype)) // dtype.itemsize
        buffer = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(self._base(dtype))
        return np.frombuffer(buffer, np.uint8).view(dtype)

    def index(self, addresses, dtype: np.dtype):
        return (addresses - self._base(dtype)) // dtype.itemsize

    def _base(self, dtype: np.dtype) -> int:
        # The first address that an aligned access can have.
        return min(-(-self.start // dtype.itemsize) * dtype.itemsize, self.end)


class GlobalMemory:
    """The memory that a launch may touch: the storages of its arguments, in place.

    Args:
        arguments: the pointer arguments. Their owners must outlive the launch.
    """

    def __init__(self, arguments: Iterable[Argument]):
        self.arguments = tuple(arguments)
        self._spans = _merge(self.arguments)
        self._starts = np.array([span.start for span in self._spans], np.int64)
        self._ends = np.array([span.end for span in self._spans] or [0], np.int64)
        self._views: dict[tuple[_Span, np.dtype], np.ndarray] = {}

    def storage(self, argument: Argument) -> np.ndarray:
        """The bytes of an argument's storage, in place."""
        return _Span(argument.start, argument.end).view(np.dtype(np.uint8))

    def read(self, argument: Argument | None, addresses, dtype: np.dtype) -> np.ndarray:
        """The elements at `addresses` (int64, any shape), in an array of that shape.

        Raises:
            OutOfBounds: an element isn't wholly inside the storage of `argument`, or of any argument if that is None.
            MisalignedAccess: an address isn't a multiple of the element's size.
        """
        addresses = np.asarray(addresses)
        result = np.empty(addresses.shape, dtype)
        for lanes, view, index in self._pieces("load", argument, addresses, dtype):
            result[lanes] = view[index]
        return result

    def write(self, argument: Argument | None, addresses, values) -> None:
        """Stores `values` at `addresses`, both of one shape; of equal addresses the last in row-major order wins.

        Raises:
            OutOfBounds, MisalignedAccess: as `read`; nothing is written then.
        """
        addresses, values = np.asarray(addresses), np.asarray(values)
        for lanes, view, index in list(self._pieces("store", argument, addresses, values.dtype)):
            view[index] = values[lanes]

    def holds(self, addresses, values) -> bool:
        """Whether the elements at `addresses`, all inside storages, are `values` already, bit for bit."""
        addresses, values = np.asarray(addresses), np.ascontiguousarray(values)
        pieces = self._pieces("load", None, addresses, values.dtype)
        return all(view[index].tobytes() == values[lanes].tobytes() for lanes, view, index in pieces)

    def _pieces(self, access: str, argument: Argument | None, addresses: np.ndarray, dtype: np.dtype) -> Iterator:
        """(lanes, typed memory, index into it) for each span that the addresses fall into."""
        if not addresses.size:
            return
        if (addresses % dtype.itemsize).any():
            raise _misaligned(access, argument, addresses, dtype)
        if argument is None:
            yield from self._pieces_anywhere(access, addresses, dtype)
            return
        bad = (addresses < argument.start) | (addresses > argument.end - dtype.itemsize)
        if bad.any():
            raise _outside(access, argument, addresses, bad, dtype)
        span = next(s for s in self._spans if s.start <= argument.start and argument.end <= s.end)
        yield ..., self._view(span, dtype), span.index(addresses, dtype)

    def _pieces_anywhere(self, access: str, addresses: np.ndarray, dtype: np.dtype) -> Iterator:
        which = np.searchsorted(self._starts, addresses, side="right") - 1
        bad = (which < 0) | (addresses > self._ends[which] - dtype.itemsize)
        if bad.any():
            raise _nowhere(access, addresses, bad, self.arguments)
        for number in np.unique(which):
            lanes = which == number
            span = self._spans[number]
            yield lanes, self._view(span, dtype), span.index(addresses[lanes], dtype)

    def _view(self, span: _Span, dtype: np.dtype) -> np.ndarray:
        key = span, dtype
        if key not in self._views:
            self._views[key] = span.view(dtype)
        return self._views[key]


def _merge(arguments: Iterable[Argument]) -> list[_Span]:
    """Disjoint spans that cover all storages, in ascending order."""
    spans: list[_Span] = []
    for argument in sorted((a for a in arguments if a.nbytes), key=lambda a: a.start):
        if spans and argument.start < spans[-1].end:
            spans[-1] = _Span(spans[-1].start, max(spans[-1].end, argument.end))
        else:
            spans.append(_Span(argument.start, argument.end))
    return spans


def _outside(access: str, argument: Argument, addresses, bad, dtype: np.dtype) -> OutOfBounds:
    size = argument.dtype.itemsize
    outside = addresses[bad]
    first, last = ((int(a) - argument.address) // size for a in (outside.min(), outside.max()))
    low, high = ((a - argument.address) // size for a in (argument.start, argument.end))
    indices = f"{argument.name}[{first}]" if first == last else f"{argument.name}[{first}..{last}]"
    lanes = f", {bad.sum()} of {bad.size} lanes" if bad.size > 1 else ""
    past = int(outside.max()) + dtype.itemsize - argument.end
    distance = f"{past} B past the end" if past > 0 else f"{argument.start - int(outside.min())} B before the start"
    return OutOfBounds(
        f"{access} of {indices} is outside the storage of {argument.name}, which holds indices {low}..{high - 1} of "
        f"{argument.dtype} ({argument.nbytes:,} B): {distance}{lanes}"
        if argument.nbytes
        else f"{access} of {indices}{lanes}: the storage of {argument.name} is empty",
        hint=f"mask the {access} or check the strides and sizes passed to the kernel",
    )


def _nowhere(access: str, addresses, bad, arguments: tuple[Argument, ...]) -> OutOfBounds:
    names = ", ".join(a.name for a in arguments) or "none"
    return OutOfBounds(
        f"{access} at address {int(addresses[bad].flat[0]):#x} ({bad.sum()} of {bad.size} lanes), "
        f"which is in no argument's storage (pointer arguments: {names})",
        hint="pass every array that the kernel reaches as an argument",
    )


def _misaligned(access: str, argument: Argument | None, addresses, dtype: np.dtype) -> MisalignedAccess:
    address = int(addresses[addresses % dtype.itemsize != 0].flat[0])
    through = f" through {argument.name}" if argument else ""
    return MisalignedAccess(
        f"{access} of {dtype}{through} at address {address:#x}, which is not a multiple of {dtype.itemsize}",
        hint="PTX needs every access naturally aligned; check the offset or the pointer cast",
    )
