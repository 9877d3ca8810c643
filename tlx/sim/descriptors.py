"""Tensor descriptors: what TMA knows about a tensor in global memory, and the tiles it moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from .errors import DescriptorError
from .pointers import Argument, GlobalMemory

__all__ = ["DESCRIPTOR_BYTES", "TensorDescriptor"]

DESCRIPTOR_BYTES = 128
"""Of a tensor map (CUDA driver API, `CUtensorMap`)."""

Update = Callable[[np.ndarray, np.ndarray], np.ndarray] | None

_ALIGNMENT = 16
"""Bytes of which bases and outer strides must be multiples (CUDA driver API, `cuTensorMapEncodeTiled`), and in which
stores clip a row (seen on an H200; loads fill by the element)."""


@dataclass(frozen=True, eq=False)
class TensorDescriptor:
    """The value of a `!tt.tensordesc`.

    Args:
        argument: the storage that holds the tensor.
        address: of the first element.
        shape: of the tensor.
        strides: in elements; the last is 1.
        block: the shape of a tile.
        dtype: of the elements.
        fill: what a load gives outside the tensor.
        place: its address in global memory, if the kernel has made it.
    """

    argument: Argument | None
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]
    dtype: np.dtype
    fill: float = 0
    place: int | None = None

    def __post_init__(self):
        outer = [stride * self.dtype.itemsize for stride in self.strides[:-1]]
        if self.address % _ALIGNMENT or any(stride % _ALIGNMENT for stride in outer):
            raise DescriptorError(
                f"tensor descriptor: base {self.address:#x} and outer strides {outer} B must be multiples of 16 B"
            )

    @property
    def tile_bytes(self) -> int:
        """Bytes of a whole tile: what a barrier counts, however much of it is inside the tensor."""
        return prod(self.block) * self.dtype.itemsize

    def load(self, memory: GlobalMemory, corner: tuple[int, ...]) -> np.ndarray:
        """The tile whose first element is at `corner`, filled outside the tensor."""
        tile = np.full(self.block, self.fill, self.dtype)
        inside, addresses = self._inside(corner, self.shape)
        if addresses.size:
            tile[inside] = memory.read(self.argument, addresses, self.dtype)
        return tile

    def store(self, memory: GlobalMemory, corner: tuple[int, ...], tile: np.ndarray, update: Update = None) -> int:
        """Writes the part of a tile that is inside the tensor, as the hardware clips it: rows in steps of 16 bytes.

        Args:
            memory: global memory.
            corner: place of the tile's first element.
            tile: the values.
            update: what memory holds afterwards, of its values and the tile's; None for the tile's.

        Returns:
            bytes written behind the ends of rows, where the tensor's rows are no multiple of 16 bytes.
        """
        row = self.shape[-1]
        step = _ALIGNMENT // self.dtype.itemsize
        inside, addresses = self._inside(corner, (*self.shape[:-1], -(-row // step) * step))
        if not addresses.size:
            return 0
        values = tile.reshape(self.block)[inside]
        if update is not None:
            # One event for the observer: an atomic update is a write that doesn't race with others of its kind.
            old = GlobalMemory.read(memory, self.argument, addresses, self.dtype)
            with np.errstate(all="ignore"):
                values = np.asarray(update(old, values)).astype(self.dtype)
        memory.write(self.argument, addresses, values)
        behind = max(corner[-1] + inside[-1].stop - max(row, corner[-1] + inside[-1].start), 0)
        return behind * addresses[..., 0].size * self.dtype.itemsize

    def _inside(self, corner: tuple[int, ...], shape: tuple[int, ...]) -> tuple[tuple[slice, ...], np.ndarray]:
        """The part of a tile that is inside the shape, and the addresses of its elements."""
        low = [min(max(-c, 0), n) for c, n in zip(corner, self.block)]
        high = [max(min(size - c, n), start) for c, n, size, start in zip(corner, self.block, shape, low)]
        addresses = np.int64(self.address)
        for axis, (c, first, last, stride) in enumerate(zip(corner, low, high, self.strides)):
            along = (c + np.arange(first, last, dtype=np.int64)) * (stride * self.dtype.itemsize)
            addresses = addresses + along.reshape([-1] + [1] * (len(self.block) - axis - 1))
        return tuple(map(slice, low, high)), addresses
