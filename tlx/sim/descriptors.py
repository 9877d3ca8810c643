"""Tensor descriptors: what TMA knows about a tensor in global memory, and the tiles it moves."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from .errors import DescriptorError
from .pointers import Argument, GlobalMemory

__all__ = ["TensorDescriptor"]

_ALIGNMENT = 16
"""Bytes of which bases and outer strides must be multiples (CUDA driver API, `cuTensorMapEncodeTiled`)."""


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
    """

    argument: Argument | None
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]
    dtype: np.dtype
    fill: float = 0

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
        inside, addresses = self._inside(corner)
        if addresses.size:
            tile[inside] = memory.read(self.argument, addresses, self.dtype)
        return tile

    def store(self, memory: GlobalMemory, corner: tuple[int, ...], tile: np.ndarray) -> None:
        """Writes the part of a tile that is inside the tensor."""
        inside, addresses = self._inside(corner)
        if addresses.size:
            memory.write(self.argument, addresses, tile.reshape(self.block)[inside])

    def _inside(self, corner: tuple[int, ...]) -> tuple[tuple[slice, ...], np.ndarray]:
        """The part of a tile that is inside the tensor, and the addresses of its elements."""
        low = [min(max(-c, 0), n) for c, n in zip(corner, self.block)]
        high = [max(min(size - c, n), start) for c, n, size, start in zip(corner, self.block, self.shape, low)]
        addresses = np.int64(self.address)
        for axis, (c, first, last, stride) in enumerate(zip(corner, low, high, self.strides)):
            along = (c + np.arange(first, last, dtype=np.int64)) * (stride * self.dtype.itemsize)
            addresses = addresses + along.reshape([-1] + [1] * (len(self.block) - axis - 1))
        return tuple(map(slice, low, high)), addresses
