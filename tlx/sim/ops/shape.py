"""Ops that move elements and leave their values alone; on pointers as on numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import UndefinedValue
from ..per_thread import agreed
from ..pointers import Pointers
from ..values import shape_of
from .registry import simulates


def _moved(move: Callable, *values):
    """`move` of the arrays, or of the addresses of pointers; pointers of one argument stay its pointers."""
    if not isinstance(values[0], Pointers):
        return move(*values)
    argument = values[0].argument if all(v.argument is values[0].argument for v in values) else None
    return Pointers(move(*(v.addresses for v in values)), argument)


@simulates("tt.splat")
def splat(group, op, value):
    """Repeats a scalar to the result's shape."""
    return broadcast(group, op, agreed(value, "a scalar that becomes a tensor"))


@simulates("tt.broadcast")
def broadcast(group, op, value):
    """Repeats the dimensions of size 1 to the result's shape."""
    return _moved(lambda array: np.broadcast_to(array, shape_of(op.result.type)), value)


@simulates("tt.unsplat")
def unsplat(group, op, value):
    """The only element of a tensor."""
    return _moved(lambda array: array.reshape(())[()], value)


@simulates("tt.expand_dims", "tt.reshape")
def reshape(group, op, value):
    """The elements in row-major order in the result's shape.

    With `allow_reorder` the GPU may permute them; here they stay in order.
    """
    return _moved(lambda array: array.reshape(shape_of(op.result.type)), value)


@simulates("tt.trans")
def trans(group, op, value):
    """Permutes the dimensions: result dimension `i` is `order[i]` of the operand."""
    return _moved(lambda array: array.transpose(op.attributes["order"]), value)


@simulates("tt.join")
def join(group, op, first, second):
    """Both operands along a new last dimension of size 2."""
    return _moved(lambda a, b: np.stack([a, b], -1), first, second)


@simulates("tt.split")
def split(group, op, value):
    """The two halves of a last dimension of size 2."""
    return tuple(_moved(lambda array, i=i: array[..., i][()], value) for i in (0, 1))


@simulates("tt.cat")
def cat(group, op, first, second):
    """Both operands along the first dimension. The GPU may permute the elements; here they stay in order."""
    return _moved(lambda a, b: np.concatenate([a, b]), first, second)


@simulates("ttg.convert_layout")
def convert_layout(group, op, value):
    """The same tensor, held by other threads."""
    return value


@simulates("tt.gather")
def gather(group, op, source, indices):
    """`source[i, indices[i, j], ...]` with the index along `axis`."""
    axis = op.attributes["axis"]
    return np.take_along_axis(source, indices.astype(np.int64), axis)


@simulates("tt.histogram")
def histogram(group, op, values, mask=None):
    """How many elements, unmasked ones, fall into each bin.

    Raises:
        UndefinedValue: a value without a bin: Triton 3.6 counts its low bits on a GPU, 3.9 drops it.
    """
    (bins,) = shape_of(op.result.type)
    kept = values if mask is None else values[mask]
    outside = (kept < 0) | (kept >= bins)
    if outside.any():
        raise UndefinedValue(
            f"tl.histogram: {kept[outside][0]} is outside the bins 0..{bins - 1}; what a GPU does with it differs "
            "between Triton minors",
            hint="clamp the values, or mask them",
        )
    return np.bincount(kept, minlength=bins).astype(np.int32)
