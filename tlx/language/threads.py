"""What single threads and warps see: thread index, cycle counter, warp votes."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import builtin

from ..compiler.late_ops import emit
from ..errors import InvalidThreadOp
from .arguments import constant_int, int32_tensor, predicate

__all__ = ["clock64", "thread_id", "vote_ballot_sync"]

AXES = "xyz"


@builtin
def thread_id(axis, _semantic=None):
    """The hardware's index of the calling thread in its CTA, i32; it differs from thread to thread.

    Args:
        axis: 0, 1 or 2.

    Raises InvalidThreadOp. PTX `%tid`.
    """
    axis = constant_int(axis, "axis", InvalidThreadOp, least=0)
    if axis >= len(AXES):
        raise InvalidThreadOp(f"axis is {axis}, it must be 0, 1 or 2")
    handle = emit(f"thread_id_{AXES[axis]}", [], tl.int32.to_ir(_semantic.builder), _semantic)
    return tl.tensor(handle, tl.int32)


@builtin
def clock64(_semantic=None):
    """The multiprocessor's cycle counter, i64. PTX `%clock64`."""
    return tl.tensor(emit("clock64", [], tl.int64.to_ir(_semantic.builder), _semantic), tl.int64)


@builtin
def vote_ballot_sync(mask, pred, _semantic=None):
    """Bit i of the result is the predicate of the warp's lane i, i32.

    Args:
        mask: i32 with a bit for each lane that takes part; all of them must come here.
        pred: scalar condition.

    PTX `vote.sync.ballot.b32`.
    """
    operands = [int32_tensor(mask, _semantic).handle, predicate(pred, _semantic).handle]
    return tl.tensor(emit("vote_ballot_sync", operands, tl.int32.to_ir(_semantic.builder), _semantic), tl.int32)
