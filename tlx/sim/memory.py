"""A CTA's shared memory: bytes, what has been written to them, and views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ir.model import MemDescType, Op
from .agents import Agent, Observer
from .errors import BarrierMisuse, BufferBoundsError, UninitializedRead
from .layouts import LayoutMap, layout_map
from .values import dtype_of

if TYPE_CHECKING:
    from .cta import CTA

__all__ = ["BARRIER", "DATA", "POISON", "Buffer", "MemDesc", "SharedMemory", "buffer_map"]

POISON, DATA, BARRIER = 0, 1, 2
"""The state of a byte: never written, written as data, part of an initialised mbarrier."""


def buffer_map(type: MemDescType) -> LayoutMap:
    """Where a buffer of that type has its elements."""
    return layout_map(type.shape, type.encoding, dtype_of(type.element).itemsize)


class Buffer:
    """One allocation.

    Args:
        name: its name in the source.
        start: byte offset in shared memory.
        nbytes: its size.
        op: its `local_alloc`.
    """

    __slots__ = ("name", "nbytes", "op", "start")

    def __init__(self, name: str, start: int, nbytes: int, op: Op):
        self.name = name
        self.start = start
        self.nbytes = nbytes
        self.op = op


class MemDesc:
    """A view of shared memory, the value of a `!ttg.memdesc`.

    Args:
        buffer: the allocation it views.
        start: byte offset of the view in shared memory.
        map: the offsets of its elements from `start`.
        dtype: element type.
        path: the indices taken so far, outer first.
    """

    __slots__ = ("buffer", "dtype", "map", "path", "start")

    def __init__(self, buffer: Buffer, start: int, map: LayoutMap, dtype: np.dtype, path: tuple[int, ...] = ()):
        self.buffer = buffer
        self.start = start
        self.map = map
        self.dtype = dtype
        self.path = path

    @property
    def shape(self) -> tuple[int, ...]:
        return self.map.shape

    @property
    def name(self) -> str:
        """`full[2]`, as the source would say."""
        return self.buffer.name + "".join(f"[{i}]" for i in self.path)

    @property
    def first(self) -> int:
        """Byte offset of its first element in shared memory."""
        return self.start + int(self.map.offsets.flat[0])

    @property
    def nbytes(self) -> int:
        return self.map.offsets.size * self.map.itemsize

    def byte_offsets(self) -> slice | np.ndarray:
        """The bytes of shared memory that it covers."""
        if self.map.dense:
            return slice(self.start + self.map.low, self.start + self.map.high)
        return self.start + self.map.bytes

    def index(self, index: int) -> MemDesc:
        """Buffer `index` of the leading axis.

        Raises:
            BufferBoundsError: there is no such buffer.
        """
        if not 0 <= index < self.shape[0]:
            raise BufferBoundsError(
                f"{self.name}[{index}]: the index must be in 0..{self.shape[0] - 1}",
                hint="a negative left operand makes % negative on the GPU: (k - 1) % n is -1 for k = 0",
            )
        offset, map = self.map.buffer(index)
        return MemDesc(self.buffer, self.start + offset, map, self.dtype, (*self.path, index))

    def slice(self, corner: tuple[int, ...], shape: tuple[int, ...]) -> MemDesc:
        """The part of that shape at `corner`."""
        if any(c < 0 or c + n > size for c, n, size in zip(corner, shape, self.shape)):
            raise BufferBoundsError(f"{self.name}: a slice of {shape} at {corner} leaves the shape {self.shape}")
        return self._with(self.map.slice(corner, shape))

    def chosen(self, axis: int, indices: np.ndarray) -> MemDesc:
        """The elements whose coordinate along an axis is given, the others being their place in `indices`.

        Raises:
            BufferBoundsError: an index outside the axis.
        """
        first, last, size = indices.min(), indices.max(), self.shape[axis]
        if first < 0 or last >= size:
            raise BufferBoundsError(f"{self.name}: indices {first}..{last} along axis {axis} leave 0..{size - 1}")
        places = list(np.indices(indices.shape))
        places[axis] = indices
        return self._with(LayoutMap(self.map.offsets[tuple(places)], self.map.itemsize, scattered=True))

    def transpose(self, order: tuple[int, ...]) -> MemDesc:
        """The same bytes with axes permuted."""
        return self._with(self.map.transpose(order))

    def reshape(self, shape: tuple[int, ...]) -> MemDesc:
        """The same bytes with another shape."""
        return self._with(self.map.reshape(shape))

    def reinterpret(self, type: MemDescType) -> MemDesc:
        """The bytes from this view's start on as a buffer of another type.

        Raises:
            BufferBoundsError: the new view is larger than the allocation.
        """
        map = buffer_map(type)
        if self.start + map.high > self.buffer.start + self.buffer.nbytes:
            raise BufferBoundsError(
                f"{self.name}: a view of {map.high:,} B at offset {self.start - self.buffer.start:,} leaves the "
                f"allocation of {self.buffer.nbytes:,} B",
                hint="allocate at least as many bytes as the largest view needs",
            )
        return MemDesc(self.buffer, self.start, map, dtype_of(type.element), self.path)

    def _with(self, map: LayoutMap) -> MemDesc:
        return MemDesc(self.buffer, self.start, map, self.dtype, self.path)


class SharedMemory:
    """The shared memory of one CTA.

    Args:
        nbytes: its size.
        observer: sees every access.
        cta: whose it is.
    """

    def __init__(self, nbytes: int, observer: Observer, cta: CTA | None = None):
        self.bytes = np.zeros(nbytes, np.uint8)
        self.state = np.full(nbytes, POISON, np.uint8)
        self.observer = observer
        self.cta = cta
        self._buffers: dict[int, Buffer] = {}

    def buffer_at(self, start: int, nbytes: int) -> Buffer:
        """The allocation made last that holds these bytes.

        Raises:
            BufferBoundsError: none does.
        """
        for buffer in reversed(self._buffers.values()):
            if buffer.start <= start and start + nbytes <= buffer.start + buffer.nbytes:
                return buffer
        raise BufferBoundsError(f"no buffer holds the {nbytes:,} B from shared address {start} on")

    def poison(self, buffer: Buffer) -> None:
        """Forgets the data of an allocation; barriers that nobody invalidated stay."""
        self._buffers.pop(buffer.start, None)
        self._buffers[buffer.start] = buffer
        state = self.state[buffer.start : buffer.start + buffer.nbytes]
        state[state == DATA] = POISON

    def read(self, agent: Agent, view: MemDesc, op) -> np.ndarray:
        """The view's elements.

        Raises:
            UninitializedRead: nothing was written to some of them.
            BarrierMisuse: some of them belong to an mbarrier.
        """
        self.observer.read(agent, view, op, self.cta)
        place = view.byte_offsets()
        state = self.state[place]
        if not (state == DATA).all():
            self._unreadable(agent, view, state, op)
        word = f"u{view.map.itemsize}"
        if view.map.dense:
            return self.bytes[place].view(word).take(view.map.order).view(view.dtype)
        return self.bytes[place].view(word).reshape(view.shape).view(view.dtype)

    def write(self, agent: Agent, view: MemDesc, values: np.ndarray, op) -> None:
        """Writes the view's elements.

        Raises:
            BarrierMisuse: some of them belong to an mbarrier.
        """
        self.observer.write(agent, view, op, self.cta)
        place = view.byte_offsets()
        state = self.state[place]
        if (state == BARRIER).any():
            raise BarrierMisuse(
                f"{view.name}: data is written over an mbarrier",
                hint="invalidate the barrier before its memory is used for data",
            )
        words = np.ascontiguousarray(values, view.dtype).view(f"u{view.map.itemsize}").reshape(-1)
        if view.map.dense:
            words = words.take(view.map.inverse)
        self.bytes[place] = words.view(np.uint8)
        self.state[place] = DATA

    def _unreadable(self, agent: Agent, view: MemDesc, state: np.ndarray, op: Op) -> None:
        if (state == BARRIER).any():
            raise BarrierMisuse(f"{view.name}: an mbarrier is read as data")
        unwritten = int((state == POISON).sum())
        error = UninitializedRead(
            f"{view.name}: {unwritten:,} of {state.size:,} bytes are read but were never written",
            hint="wait for the copy that fills the buffer, or store to it first",
        )
        self.observer.mistake(agent, error, op, view)
