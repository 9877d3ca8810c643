"""The byte offsets of a buffer's elements, as a kernel computes them to reach the buffer by address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import NVMMASharedLayout, SliceLayout
from triton.language.core import _unwrap_if_constexpr

from ..errors import NotInTriton
from .cluster_ptx import message_box

__all__ = ["Boxes", "boxes_of", "chunk_offsets", "messages_of"]

CHUNK = 16  # bytes that a swizzle leaves together
PHASE_BYTES = 128  # rows of one phase of a swizzle together


@dataclass(frozen=True)
class Boxes:
    """How a buffer is laid out: boxes that follow each other, the leading axes running first, rows of bytes in each.

    Args:
        shape: of the buffer.
        box: of one box.
        itemsize: bytes of an element.
        swizzle: width of the swizzle in bytes, 0 for none.
    """

    shape: tuple[int, ...]
    box: tuple[int, ...]
    itemsize: int
    swizzle: int

    @property
    def pitch(self) -> int:
        """Bytes of one row of a box."""
        return self.box[-1] * self.itemsize

    def strides(self) -> list[int]:
        """Bytes from one box to the next along each axis."""
        strides, stride = [], self.itemsize
        for size in self.box:
            stride *= size
        for size, box in zip(self.shape, self.box):
            strides.append(stride)
            stride *= size // box
        return strides


def layout_of(buffer, op: str) -> tuple[int, int]:
    """Width of the swizzle and size of an element of a buffer, in bytes; raises NotInTriton for unknown layouts."""
    layout = buffer.type.layout
    if not isinstance(layout, NVMMASharedLayout) or layout.transposed or layout.fp4_padded:
        raise NotInTriton(
            f"{op} reaches its buffers by address, and knows them only in their default layout, not {buffer.type} with "
            f"{layout}",
            hint="use a buffer of local_alloc without a layout, not a transposed view of it",
        )
    return layout.swizzle_byte_width if len(buffer.shape) > 1 else 0, buffer.dtype.primitive_bitwidth // 8


def boxes_of(buffer, op: str) -> Boxes:
    """The layout of a whole buffer; raises NotInTriton for those that tlx can't address."""
    swizzle, itemsize = layout_of(buffer, op)
    if buffer.type.alloc_shape != buffer.type.shape:
        raise NotInTriton(f"{op} takes whole buffers, not a slice: {buffer.type}", "use a ring of smaller buffers")
    return Boxes(tuple(buffer.shape), tuple(message_box(buffer.shape, 8 * itemsize, swizzle)), itemsize, swizzle)


def messages_of(buffer, op: str) -> list[tuple[list[int], int]]:
    """The TMA messages that fill a buffer or a slice: the first element of each, and the byte offset where it goes.

    Raises NotInTriton where one message's bytes don't follow each other in a slice.
    """
    swizzle, itemsize = layout_of(buffer, op)
    shape, whole = buffer.shape, buffer.type.alloc_shape
    outer = Boxes(tuple(whole), tuple(message_box(whole, 8 * itemsize, swizzle)), itemsize, swizzle)
    box = message_box(shape, 8 * itemsize, swizzle)
    cut = [axis for axis, (part, size) in enumerate(zip(shape, whole)) if part != size]
    last = len(shape) - 1
    if any(axis not in (0, last) or (axis < last and whole[axis] > outer.box[axis]) for axis in cut) or (
        last in cut and box[last] != outer.box[last]
    ):
        raise NotInTriton(f"{op}: the rows of this slice don't follow each other: {buffer.type}")
    found: list[tuple[list[int], int]] = [([], 0)]
    for size, step, unit, stride in zip(shape, box, outer.box, outer.strides()):
        found = [
            ([*corner, start], offset + start // unit * stride)
            for corner, offset in found
            for start in range(0, size, step)
        ]
    return found


def chunk_offsets(boxes: Boxes, length: int, layout: Any, semantic) -> tl.tensor:
    """The byte offsets of the buffer's chunks of `length` elements along its last axis, i32.

    Args:
        boxes: of the buffer.
        length: elements of a chunk, at most 16 bytes.
        layout: of the result, whose shape is the buffer's with the last axis divided by `length`.
        semantic: of the trace.
    """
    number = Numbers(semantic)
    counts = [*boxes.shape[:-1], boxes.shape[-1] // length]
    places = [number.along(axis, counts, layout) for axis in range(len(counts))]
    places[-1] = number.times(places[-1], length)
    inside = [number.mod(place, box) for place, box in zip(places, boxes.box)]
    row = None
    for place, box in zip(inside[:-1], boxes.box[:-1]):
        row = place if row is None else number.plus(number.times(row, box), place)
    offset = number.times(inside[-1], boxes.itemsize)
    if row is not None:
        if boxes.swizzle:
            phase = number.mod(number.div(row, PHASE_BYTES // boxes.swizzle), boxes.swizzle // CHUNK)
            offset = number.xor(offset, number.times(phase, CHUNK))
        offset = number.plus(offset, number.times(row, boxes.pitch))
    for place, size, box, stride in zip(places, boxes.shape, boxes.box, boxes.strides()):
        if size > box:
            offset = number.plus(offset, number.times(number.div(place, box), stride))
    return semantic.broadcast_impl_shape(offset, counts)


class Numbers:
    """Arithmetic of i32 tensors with integers."""

    def __init__(self, semantic):
        self.semantic = semantic

    def along(self, axis: int, shape: list[int], layout: Any) -> tl.tensor:
        """The index along one axis, of length 1 along the others."""
        others = [other for other in range(len(shape)) if other != axis]
        for other in reversed(others):
            layout = SliceLayout(other, layout)
        index = self.semantic.arange(0, shape[axis], layout=layout)
        for other in others:
            index = self.semantic.expand_dims(index, other)
        return index

    def times(self, value: tl.tensor, factor: int) -> tl.tensor:
        return value if factor == 1 else self.both(lambda a, b: self.semantic.mul(a, b, False), value, factor)

    def div(self, value: tl.tensor, divisor: int) -> tl.tensor:
        return value if divisor == 1 else self.both(self.semantic.floordiv, value, divisor)

    def mod(self, value: tl.tensor, divisor: int) -> tl.tensor:
        return self.both(self.semantic.mod, value, divisor)

    def both(self, op: Callable, value: tl.tensor, number: int) -> tl.tensor:
        return op(value, self.semantic.to_tensor(_unwrap_if_constexpr(number)))

    def plus(self, left: tl.tensor, right: tl.tensor) -> tl.tensor:
        return self.semantic.add(left, right, False)

    def xor(self, left: tl.tensor, right: tl.tensor) -> tl.tensor:
        return self.semantic.xor_(left, right)
