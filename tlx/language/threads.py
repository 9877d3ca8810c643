"""What single threads and warps see: thread index, cycle counter, warp votes."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.late_ops import emit
from ..errors import InvalidThreadOp
from .arguments import constant_int, int32_tensor, predicate

__all__ = ["clock64", "thread_id", "vote_ballot_sync"]

AXES = "xyz"
ALL_LANES = 2**32 - 1

# Inline PTX for tensors, because the intrinsic takes scalars. `vote.sync` makes the lanes of the mask wait for each
# other wherever they stand, so that a compiler that doubles it does no harm.
BALLOT_PTX = "{ .reg .pred p; setp.ne.b32 p, $1, 0; vote.sync.ballot.b32 $0, p, 0xffffffff; }"


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
        mask: the lanes that take part. All of a warp come here, and PTX leaves a vote undefined for a lane that isn't
            in the mask: a constant must be -1, all lanes.
        pred: scalar condition, or a tensor of them: in each of its registers, a warp votes on the elements that its
            lanes hold there. Which these are is the layout's business: `require_layout` says it.

    Returns:
        i32, or a tensor of them with the layout of `pred`.

    Raises InvalidThreadOp. PTX `vote.sync.ballot.b32`.
    """
    constant = _unwrap_if_constexpr(mask)
    if isinstance(constant, int) and constant & ALL_LANES != ALL_LANES:
        raise InvalidThreadOp(
            f"the mask is {constant:#x}, but every lane of the warp votes here", hint="use -1, and put lanes into pred"
        )
    if isinstance(pred, tl.tensor) and pred.type.is_block():
        return vote_elementwise(constant, pred, _semantic)
    operands = [
        int32_tensor(-1 if isinstance(constant, int) else mask, _semantic).handle,
        predicate(pred, _semantic).handle,
    ]
    return tl.tensor(emit("vote_ballot_sync", operands, tl.int32.to_ir(_semantic.builder), _semantic), tl.int32)


def vote_elementwise(mask, pred: tl.tensor, semantic) -> tl.tensor:
    """The ballots of each register of a tensor of conditions, whose layout no pass may change."""
    if not isinstance(mask, int):
        raise InvalidThreadOp("the mask of a tensor's votes must be a compile-time integer", hint="use -1, all lanes")
    pred = pred if pred.dtype == tl.int1 else semantic.not_equal(pred, semantic.to_tensor(0))
    flags = semantic.pinned(semantic.cast(pred, tl.int32))
    call = semantic.builder.create_inline_asm(
        BALLOT_PTX, "=r,r", [flags.handle], [flags.type.to_ir(semantic.builder)], False, 1
    )
    return semantic.pinned(tl.tensor(call.get_result(0), flags.type))
