"""Single elements of a buffer, chosen by index along one axis."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.versions import HAS_LOCAL_GATHER
from ..errors import DtypeMismatch, NotInTriton, ShapeMismatch
from .arguments import constant_int, describe, list_text
from .buffers import as_buffer, buffered_tensor

__all__ = ["local_gather", "local_scatter"]


@builtin
def local_gather(src, indices, axis, token=None, _semantic=None):
    """Loads elements of a buffer: `result[i, j] = src[indices[i, j], j]` for axis 0, and so on.

    Args:
        src: one buffer.
        indices: integer tensor of the buffer's rank.
        axis: along which the indices choose, a compile-time integer.
        token: taken and not needed: copies are ordered by `async_load_wait_group`.

    Returns:
        tensor: of the shape of `indices` and the buffer's element type.

    Raises ShapeMismatch, DtypeMismatch, NotInTriton before Triton 3.7. Lowers to `ttg.local_gather`.
    """
    buffer = as_buffer(src, "local_gather's src")
    axis = chosen_axis(buffer, indices, axis, "local_gather")
    return _semantic.shared_gather(buffer.memdesc, indices, axis)


@builtin
def local_scatter(dst, src, indices, axis, token=None, _semantic=None):
    """Stores elements of a tensor to a buffer: `dst[indices[i, j], j] = src[i, j]` for axis 0, and so on.

    Of elements that go to one place, any may stay there. What TMA and the tensor cores read is fenced as in
    `local_store`.

    Args:
        dst: one buffer.
        src: tensor of the buffer's element type.
        indices: integer tensor of the shape of `src`.
        axis: along which the indices choose, a compile-time integer.
        token: as in `local_gather`.

    Raises ShapeMismatch, DtypeMismatch, NotInTriton before Triton 3.7. Lowers to `ttg.local_scatter`.
    """
    buffer = as_buffer(dst, "local_scatter's dst")
    axis = chosen_axis(buffer, indices, axis, "local_scatter")
    if not isinstance(src, tl.tensor) or dims(src) != dims(indices):
        raise ShapeMismatch(f"local_scatter of {describe(src)} to indices of shape {list_text(indices.shape)}")
    if src.dtype != buffer.dtype:
        raise DtypeMismatch(f"local_scatter of {src.dtype} into {buffer.type}")
    _semantic.shared_scatter(buffer.memdesc, _semantic.like(src, indices), indices, axis)
    _semantic.note_shared_store()


def chosen_axis(buffer: buffered_tensor, indices: Any, axis: Any, op: str) -> int:
    """The axis as an int, once it and the indices fit the buffer."""
    if not HAS_LOCAL_GATHER:
        raise NotInTriton(f"{op} needs Triton 3.7", hint="upgrade Triton, or load the buffer and use tl.gather")
    axis = constant_int(axis, "axis", ShapeMismatch)
    rank = len(buffer.shape)
    if not 0 <= axis < rank:
        raise ShapeMismatch(f"{op}: axis is {axis}, {buffer.type} has {rank}")
    if not isinstance(indices, tl.tensor) or not indices.dtype.is_int():
        raise DtypeMismatch(f"{op}: indices must be a tensor of integers, not {describe(indices)}")
    if len(dims(indices)) != rank:
        raise ShapeMismatch(f"{op}: indices of shape {list_text(indices.shape)} for {buffer.type}: the ranks differ")
    return axis


def dims(value: tl.tensor) -> list[int]:
    """Shape of a tensor, [] for a scalar."""
    return [_unwrap_if_constexpr(d) for d in value.shape] if value.type.is_block() else []
