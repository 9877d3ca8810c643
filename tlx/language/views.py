"""Other views of the bytes of a buffer: another shape, another element type."""

from __future__ import annotations

import math

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..errors import InvalidBuffer, NotABuffer, ShapeMismatch
from .arguments import constant_shape, describe, list_text
from .buffers import as_buffer, asked_layout, buffered_tensor, buffered_tensor_type

__all__ = ["local_reinterpret", "local_reshape"]


@builtin
def local_reinterpret(src, dtype, shape=None, layout=None, _semantic=None):
    """The bytes of a buffer, or of each slot of a ring, as elements of another type in another shape.

    By default the view is laid out as a new buffer of its type and shape would be. What was written through one view
    is scrambled in the other where the two are laid out differently.

    Args:
        src: a buffer or a whole ring; no slice and no transposed view.
        dtype: the view's element type.
        shape: the view's shape, compile-time powers of two; by default that of `src`.
        layout: the view's layout, as for `local_alloc`.

    Raises ShapeMismatch unless both have the same number of bytes; InvalidBuffer, InvalidLayout. Lowers to
    `ttg.memdesc_reinterpret`.
    """
    if not isinstance(src, buffered_tensor):
        raise NotABuffer(f"local_reinterpret's src must be a shared buffer, not {describe(src)}")
    dtype = _unwrap_if_constexpr(dtype)
    if not isinstance(dtype, tl.dtype):
        raise InvalidBuffer(f"dtype must be an element type, not {describe(dtype)}")
    whole(src, "local_reinterpret")
    shape = list(src.shape) if _unwrap_if_constexpr(shape) is None else constant_shape(shape, "shape")
    if any(size < 1 or size & (size - 1) for size in shape):
        raise InvalidBuffer(f"shape is {list_text(shape)}, each dimension must be a power of two")
    kind = buffered_tensor_type(dtype, shape, src.type.num, asked_layout(layout, shape, dtype), place=src.type.place)
    if kind.slot_bytes != src.type.slot_bytes:
        raise ShapeMismatch(
            f"local_reinterpret of {src.type}, {src.type.slot_bytes} bytes, as {list_text(shape)} {dtype}, "
            f"{kind.slot_bytes} bytes",
            hint="pass a shape of as many bytes",
        )
    builder = _semantic.builder
    return buffered_tensor(builder.create_memdesc_reinterpret(kind.to_ir(builder), src.handle), kind)


@builtin
def local_reshape(src, shape, _semantic=None):
    """A view of one buffer in another shape, elements in the same order; no data moves.

    Args:
        src: one buffer; no slice.
        shape: compile-time integers.

    Raises ShapeMismatch unless both have the same number of elements; InvalidBuffer for a slice. Lowers to
    `ttg.memdesc_reshape`.
    """
    buffer = as_buffer(src, "local_reshape's src")
    whole(buffer, "local_reshape")
    shape = constant_shape(shape, "shape")
    if math.prod(shape) != math.prod(buffer.shape):
        raise ShapeMismatch(f"local_reshape of {buffer.type} to {list_text(shape)}: the numbers of elements differ")
    view = _semantic.memdesc_reshape(buffer.memdesc, shape)
    return buffered_tensor(view.handle, buffered_tensor_type(buffer.dtype, shape, 0, view.layout))


def whole(buffer: buffered_tensor, op: str) -> None:
    """Raises for a slice, whose bytes don't lie in a row."""
    if buffer.type.alloc_shape != buffer.type.shape:
        raise InvalidBuffer(f"{op} of a slice of a buffer", hint=f"call {op} on the whole buffer")
