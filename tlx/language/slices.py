"""Parts of a buffer, at offsets known to the compiler or at run time."""

from __future__ import annotations

import math
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import NVMMASharedLayout, SwizzledSharedLayout
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import IndexOutOfRange, InvalidBuffer, NotInTriton, ShapeMismatch
from .arguments import constant_shape, describe, int32_scalar, list_text
from .buffers import as_buffer, buffered_tensor, buffered_tensor_type
from .views import whole

__all__ = ["local_slice"]

LEAST_BYTES = 16  # of a part: threads read and write shared memory by up to 16 aligned bytes
SWIZZLE_ROWS = 8  # after which the swizzle of TMA and the tensor cores begins again
BOX = 256  # the longest side of a TMA box


@builtin
def local_slice(buffer, offset, shape, _semantic=None):
    """A view of a part of one buffer.

    One offset may be an i32 scalar known at run time only: along the axis on which whole parts of the buffer lie one
    after the other in memory. For a buffer laid out for TMA and the tensor cores that is axis 0 where a row fits one
    swizzle span (128 bytes), and else the axis of the columns, in units of a span. The offset must then be a multiple
    of the part's size, a power of two; any other offset is an index outside of the buffer.

    Args:
        buffer: one buffer.
        offset: start along each axis, in elements.
        shape: compile-time size along each axis.

    Raises IndexOutOfRange where the slice leaves the buffer, NotInTriton for a run-time offset along another axis.
    Lowers to `ttg.memdesc_subslice`; at run time to `ttg.memdesc_reinterpret` and `ttg.memdesc_index`.
    """
    buffer = as_buffer(buffer, "local_slice's buffer")
    shape = constant_shape(shape, "shape")
    offset = _unwrap_if_constexpr(offset)
    if not isinstance(offset, list | tuple | tl.tuple):
        raise ShapeMismatch(f"local_slice's offset must be a list, not {describe(offset)}")
    offset = [_unwrap_if_constexpr(start) for start in offset]
    if not len(offset) == len(shape) == len(buffer.shape):
        raise ShapeMismatch(f"offset and shape {list_text(shape)} must have the rank of {buffer.type}")
    at_run_time = [axis for axis, start in enumerate(offset) if isinstance(start, tl.tensor)]
    if at_run_time:
        buffer = run_time_slice(buffer, at_run_time, offset, shape, _semantic)
        offset = [0 if axis in at_run_time else start for axis, start in enumerate(offset)]
        if shape == buffer.shape:
            return buffer
    return constant_slice(buffer, constant_shape(offset, "offset"), shape, _semantic)


def constant_slice(buffer: buffered_tensor, offset: list[int], shape: list[int], semantic) -> buffered_tensor:
    """The part at compile-time offsets."""
    for start, size, extent in zip(offset, shape, buffer.shape):
        if start < 0 or size < 1 or start + size > extent:
            raise IndexOutOfRange(f"slice {start}:{start + size} leaves the buffer's 0:{extent} ({buffer.type})")
        if size & (size - 1) or start % size:
            raise InvalidBuffer(
                f"slice {start}:{start + size} of {buffer.type}: along each axis a slice has a power of two of "
                "elements and begins at a multiple of that"
            )
    check_swizzle_rows(buffer, shape)
    kind = buffered_tensor_type(buffer.dtype, shape, 0, buffer.type.layout, buffer.type.alloc_shape)
    builder = semantic.builder
    return buffered_tensor(builder.create_memdesc_subslice(kind.to_ir(builder), buffer.handle, offset), kind)


def check_swizzle_rows(buffer: buffered_tensor, shape: list[int]) -> None:
    """Raises InvalidBuffer for a part that begins or ends within the rows that are swizzled together."""
    layout = buffer.type.layout
    if not isinstance(layout, NVMMASharedLayout) or not layout.swizzle_byte_width:
        return
    axis = len(shape) - (1 if layout.transposed else 2)
    if shape[axis] < min(SWIZZLE_ROWS, buffer.shape[axis]):
        raise InvalidBuffer(
            f"slice of {shape[axis]} along axis {axis} of {buffer.type}: its rows are swizzled by {SWIZZLE_ROWS}s",
            hint=f"take a multiple of {SWIZZLE_ROWS} there, or give the buffer another layout",
        )


def run_time_slice(
    buffer: buffered_tensor, axes: list[int], offset: list, shape: list[int], semantic
) -> buffered_tensor:
    """The part along the one axis whose offset is known at run time, whole along the others."""
    whole(buffer, "local_slice at a run-time offset")
    (axis, *more), kind = axes, buffer.type
    what = f"local_slice of {list_text(shape)} of {kind} at a run-time offset along axis {axis}"
    if more:
        raise NotInTriton(f"{what} and axis {more[0]}: only one offset may be known at run time")
    size, extent = shape[axis], buffer.shape[axis]
    if not 1 <= size <= extent:
        raise IndexOutOfRange(f"{what}: a part of {size} leaves the buffer's 0:{extent}")
    along, unit = consecutive_parts(kind.layout, buffer.shape, kind.element_ty.primitive_bitwidth)
    if along != axis:
        raise NotInTriton(
            f"{what}: "
            + ("its layout has no" if along is None else f"only along axis {along} it has")
            + " parts that lie one after the other in memory",
            hint="allocate a ring of parts, local_alloc(part_shape, dtype, num), and index it: ring[i]",
        )
    part = [size if a == axis else n for a, n in enumerate(buffer.shape)]
    part_bytes = math.prod(part) * kind.element_ty.primitive_bitwidth // 8
    if size & (size - 1) or size % unit or part_bytes < LEAST_BYTES:
        raise NotInTriton(
            f"{what}: a part of {size} along it, {part_bytes} bytes, must be a power of two, a multiple of {unit} and "
            f"of at least {LEAST_BYTES} bytes",
            hint="slice larger parts at run time, and smaller ones of those at compile time",
        )
    parts = buffered_tensor_type(kind.element_ty, part, extent // size, kind.layout)
    builder = semantic.builder
    ring = builder.create_memdesc_reinterpret(parts.to_ir(builder), buffer.handle)
    index = number_of_part(offset[axis], size, semantic)
    one = parts.slot_type
    return buffered_tensor(builder.create_memdesc_index(one.to_ir(builder), ring, index.handle), one)


def number_of_part(offset: Any, size: int, semantic) -> tl.tensor:
    """`offset / size`, and a number far outside of any buffer where that leaves a remainder: a rotation of its bits."""
    offset = int32_scalar(offset, "an offset of local_slice", InvalidBuffer, semantic)
    shift = size.bit_length() - 1
    if not shift:
        return offset
    bits = semantic.cast(offset, tl.uint32)
    high = bits.__lshift__(32 - shift, _semantic=semantic)
    return semantic.cast(bits.__rshift__(shift, _semantic=semantic).__or__(high, _semantic=semantic), tl.int32)


def consecutive_parts(layout, shape: list[int], bits: int) -> tuple[int | None, int]:
    """The axis along which whole parts of a buffer lie one after the other, and what their size is a multiple of."""
    if len(shape) == 1:
        plain = isinstance(layout, NVMMASharedLayout | SwizzledSharedLayout)
        return (0, 1) if plain else (None, 1)
    if isinstance(layout, SwizzledSharedLayout):
        slowest, *_ = reversed(layout.order)
        return slowest, layout.per_phase * layout.max_phase if slowest == layout.order[1] else 1
    if not isinstance(layout, NVMMASharedLayout) or len(shape) > 2 or layout.fp4_padded:
        return None, 1
    rows, columns = (1, 0) if layout.transposed else (0, 1)
    span = layout.swizzle_byte_width * 8 // bits if layout.swizzle_byte_width else BOX
    if shape[columns] > span:
        return columns, span
    return rows, SWIZZLE_ROWS if layout.swizzle_byte_width else 1
