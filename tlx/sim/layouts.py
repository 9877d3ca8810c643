"""Shared-memory layouts: the byte offset of every element of a buffer.

The maps follow Triton's `LinearLayoutConversions.cpp`; `tests/sim/test_layouts.py` compares them with the ones that
Triton computes.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from math import prod

import numpy as np

from ..compiler.versions import TRANSPOSES_UNSWIZZLED
from ..ir.model import Attribute
from .errors import UnsupportedLayout

__all__ = ["LayoutMap", "buffer_rank", "layout_map"]


class LayoutMap:
    """Where the elements of a view of shared memory are.

    Args:
        offsets: the byte offset of each element from the start of the view; its shape is the view's.
        itemsize: bytes of an element.
        scattered: whether elements may be the same or leave gaps between them.
    """

    __slots__ = ("_views", "dense", "high", "inverse", "itemsize", "low", "offsets", "order", "shape")

    def __init__(self, offsets: np.ndarray, itemsize: int, scattered: bool = False):
        self.offsets = offsets
        self.itemsize = itemsize
        self.shape = offsets.shape
        self.low = int(offsets.min())
        self.high = int(offsets.max()) + itemsize
        # A dense map covers every byte of [low, high): it is read and written as one piece and a permutation.
        self.dense = not scattered and self.high - self.low == offsets.size * itemsize
        self.order = (offsets - self.low) // itemsize if self.dense else None
        self.inverse = np.argsort(self.order, axis=None) if self.dense else None
        self._views: dict = {}

    @property
    def bytes(self) -> np.ndarray:
        """The offsets of all bytes of all elements, flat."""
        return (self.offsets.reshape(-1, 1) + np.arange(self.itemsize)).reshape(-1)

    def _view(self, key, offsets: np.ndarray) -> LayoutMap:
        self._views[key] = view = LayoutMap(np.ascontiguousarray(offsets), self.itemsize)
        return view

    def buffer(self, index: int) -> tuple[int, LayoutMap]:
        """Buffer `index` of the leading axis: (byte offset of its start, its map)."""
        key = ("buffer", index)
        if key not in self._views:
            offsets = self.offsets[index]
            start = int(offsets.min())
            inner = self._views.get("inner")
            if inner is None or not np.array_equal(inner.offsets, offsets - start):
                inner = self._view("inner", offsets - start)
            self._views[key] = (start, inner)
        return self._views[key]

    def slice(self, corner: tuple[int, ...], shape: tuple[int, ...]) -> LayoutMap:
        """The part of that shape at `corner`."""
        key = ("slice", corner, shape)
        return self._views.get(key) or self._view(
            key, self.offsets[tuple(slice(c, c + n) for c, n in zip(corner, shape))]
        )

    def transpose(self, order: tuple[int, ...]) -> LayoutMap:
        """The view with axes permuted: axis i is axis order[i] of this one."""
        key = ("transpose", order)
        return self._views.get(key) or self._view(key, self.offsets.transpose(order))

    def reshape(self, shape: tuple[int, ...]) -> LayoutMap:
        """The view with another shape, elements in row-major order."""
        key = ("reshape", shape)
        return self._views.get(key) or self._view(key, self.offsets.reshape(shape))


@lru_cache(maxsize=1024)
def layout_map(shape: tuple[int, ...], layout: Attribute, itemsize: int) -> LayoutMap:
    """The map of a buffer of that shape; leading axes beyond the layout's rank number whole buffers.

    Raises:
        UnsupportedLayout: the simulator doesn't know the layout.
    """
    rank = buffer_rank(layout, len(shape))
    buffers, inner = shape[: len(shape) - rank], shape[len(shape) - rank :]
    offsets = _inner_offsets(inner, layout, itemsize)
    starts = np.arange(prod(buffers), dtype=np.int64) * (offsets.size * itemsize)
    offsets = (starts.reshape(-1, *[1] * rank) + offsets).reshape(shape)
    if layout.name == "ttg.padded_shared":
        offsets = _padded(offsets // itemsize, layout) * itemsize
    return LayoutMap(offsets, itemsize)


def buffer_rank(layout: Attribute, rank: int) -> int:
    """How many of the `rank` axes of a memory descriptor are a buffer's; those before them number buffers."""
    return min(_layout_rank(layout), rank)


def _layout_rank(layout: Attribute) -> int:
    if "rank" in dict(layout.parameters):
        return layout["rank"]
    if layout.get("offset"):
        return len(layout["offset"][0])
    for name in ("order", "CTAsPerCGA", "CTAOrder"):
        if layout.get(name):
            return len(layout[name])
    return 2


def _inner_offsets(shape: tuple[int, ...], layout: Attribute, itemsize: int) -> np.ndarray:
    if any(n != 1 for n in layout.get("CTAsPerCGA") or ()):
        raise UnsupportedLayout(f"{layout}: buffers split over the CTAs of a cluster are not simulated")
    if layout.name == "ttg.swizzled_shared":
        return _swizzled(shape, layout) * itemsize
    if layout.name == "ttg.nvmma_shared":
        return _nvmma(shape, layout, itemsize)
    if layout.name == "ttg.shared_linear":
        return _linear(shape, layout["offset"]) * itemsize
    if layout.name == "ttg.padded_shared":
        bases = layout.get("offset")
        return (_linear(shape, bases) if bases else _in_order(shape, layout["order"])) * itemsize  # gaps come later
    raise UnsupportedLayout(f"{layout}: the simulator doesn't know this shared layout")


def _swizzled(shape: tuple[int, ...], layout: Attribute) -> np.ndarray:
    """Row r's elements are permuted in groups of `vec` by XOR with (r / perPhase) % maxPhase."""
    order = layout["order"]
    place = np.indices(shape, dtype=np.int64)
    offset = place[order[0]]
    if len(shape) > 1:
        phase = (place[order[1]] // layout["perPhase"]) % layout["maxPhase"]
        offset = offset ^ ((layout["vec"] * phase) % shape[order[0]])
    stride = shape[order[0]]
    for axis in order[1:]:
        offset = offset + place[axis] * stride
        stride *= shape[axis]
    return offset


def _nvmma(shape: tuple[int, ...], layout: Attribute, itemsize: int) -> np.ndarray:
    """The layout that TMA writes and wgmma reads: tiles one swizzle row wide, 16-byte chunks permuted by XOR.

    A TMA box is at most 256 long on each axis, and one swizzle width on the contiguous one; boxes follow each other
    with the leading axes running first.
    """
    if layout.get("fp4Padded", False):
        raise UnsupportedLayout(f"{layout}: padded fp4 is not simulated")
    if len(shape) == 1:
        return np.arange(shape[0], dtype=np.int64) * itemsize
    swizzle = layout["swizzlingByteWidth"]
    ignored = swizzle == 0 and not TRANSPOSES_UNSWIZZLED
    if ignored or not layout.get("transposed", False):
        return _nvmma_rows(shape, swizzle, itemsize, range(len(shape)))
    if len(shape) > 2:
        raise UnsupportedLayout(f"{layout}: transposed buffers of rank {len(shape)} are not simulated")
    return _nvmma_rows(shape[::-1], swizzle, itemsize, (1, 0)).T


def _nvmma_rows(shape: tuple[int, ...], swizzle: int, itemsize: int, box_order) -> np.ndarray:
    """`_nvmma` with the contiguous axis last; `box_order` lists the axes along which boxes follow each other."""
    box = [min(n, 256) for n in shape]
    if swizzle:
        box[-1] = min(shape[-1], swizzle // itemsize)
    place = np.indices(shape, dtype=np.int64)
    inside = [p % n for p, n in zip(place, box)]
    row = reduce(lambda acc, pn: acc * pn[1] + pn[0], zip(inside[:-1], box[:-1]), np.zeros(shape, np.int64))
    column = inside[-1] * itemsize
    if swizzle:
        rows_per_phase, phases = 128 // swizzle, swizzle // 16
        column = column ^ (((row // rows_per_phase) % phases) * 16)
    pitch = box[-1] * itemsize
    offset = row * pitch + column
    stride = prod(box) * itemsize
    for axis in box_order:
        offset = offset + (place[axis] // box[axis]) * stride
        stride *= -(-shape[axis] // box[axis])
    return offset


def _in_order(shape: tuple[int, ...], order: tuple[int, ...]) -> np.ndarray:
    """Elements one behind the other, axis `order[0]` running first."""
    axes = order[::-1]
    offsets = np.arange(prod(shape), dtype=np.int64).reshape([shape[axis] for axis in axes])
    return offsets.transpose(np.argsort(axes))


def _padded(offsets: np.ndarray, layout: Attribute) -> np.ndarray:
    """Offsets in elements with the gaps: behind every `interval` elements come `padding` unused ones."""
    return offsets + sum(offsets // interval * padding for interval, padding in layout["intervals"])


def _linear(shape: tuple[int, ...], bases: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """`bases` lists, for each bit of the offset, the element it moves to."""
    offset = np.arange(prod(shape), dtype=np.int64)
    place = [np.zeros_like(offset) for _ in shape]
    for bit, base in enumerate(bases):
        chosen = (offset >> bit) & 1
        for axis, step in enumerate(base):
            place[axis] ^= chosen * step
    result = np.empty(shape, np.int64)
    result[tuple(place)] = offset
    return result
