"""`tl.program_id` and `tl.num_programs` of a kernel in clusters: the user's numbering, whatever the hardware's.

The hardware has `size` CTAs of a cluster side by side along x, whatever the cluster's shape; their rank counts x first.
"""

from __future__ import annotations

from collections.abc import Callable

import triton.language as tl

from .clusters import size_of_cluster
from .late_ops import emit

__all__ = ["num_programs", "program_id"]

Stock = Callable[[int], tl.tensor]


def program_id(axis: int, stock: Stock, semantic) -> tl.tensor:
    """The program's index along an axis of the user's grid.

    Args:
        axis: 0, 1 or 2.
        stock: the hardware's index along an axis.
        semantic: of the trace.
    """
    shape = semantic.task.kernel.cluster
    index = stock(axis)
    if shape is None or shape[1:] == (1, 1):
        return index
    if axis == 0:
        index = semantic.floordiv(index, semantic.to_tensor(size_of_cluster(shape)))
    if shape[axis] == 1:
        return index
    rank = tl.tensor(emit("cluster_rank", [], tl.int32.to_ir(semantic.builder), semantic), tl.int32)
    before, own = size_of_cluster(shape[:axis]), semantic.to_tensor(shape[axis])
    place = semantic.floordiv(rank, semantic.to_tensor(before)) if before > 1 else rank
    if axis < 2:
        place = semantic.mod(place, own)
    return semantic.add(semantic.mul(index, own, False), place, False)


def num_programs(axis: int, stock: Stock, semantic) -> tl.tensor:
    """The size of the user's grid along an axis; arguments as for `program_id`."""
    shape = semantic.task.kernel.cluster
    number = stock(axis)
    if shape is None or shape[1:] == (1, 1):
        return number
    if axis == 0:
        number = semantic.floordiv(number, semantic.to_tensor(size_of_cluster(shape)))
    return number if shape[axis] == 1 else semantic.mul(number, semantic.to_tensor(shape[axis]), False)
