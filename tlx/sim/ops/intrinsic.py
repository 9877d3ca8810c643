"""LLVM intrinsics that stand in TTGIR under their own name: named barriers, votes, the clock."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import UnsupportedOp
from .registry import simulates

WARP_SIZE = 32


def named_barrier_arrive(group, op, number, threads):
    """`barrier.cta.arrive`: goes on at once."""
    group.cta.named_barriers[int(number)].arrive(group, group.num_warps * WARP_SIZE, int(threads), op)


def named_barrier_wait(group, op, number, threads):
    """`barrier.cta.sync`: arrives and waits for the phase."""
    barrier = group.cta.named_barriers[int(number)]
    phase = barrier.phases_done
    barrier.arrive(group, group.num_warps * WARP_SIZE, int(threads), op)
    yield from barrier.wait(group, phase, op)


def clock64(group, op):
    """`%clock64`: counts the ops that this launch has executed, which only ever grows."""
    return np.int64(sum(group.launch.counts))


def vote_ballot_sync(group, op, mask, predicate):
    """`vote.sync.ballot`: a uniform predicate gives all bits of the mask or none."""
    return np.int32(mask) if predicate else np.int32(0)


INTRINSICS: dict[str, Callable] = {
    "llvm.nvvm.barrier.cta.arrive.aligned.count": named_barrier_arrive,
    "llvm.nvvm.barrier.cta.sync.aligned.count": named_barrier_wait,
    "llvm.nvvm.read.ptx.sreg.clock64": clock64,
    "llvm.nvvm.vote.ballot.sync": vote_ballot_sync,
}


@simulates("llvm.call_intrinsic")
def call_intrinsic(group, op, *operands):
    """The intrinsic that `intrin` names.

    Raises:
        UnsupportedOp: it has no meaning here.
    """
    name = op.attributes["intrin"]
    if name not in INTRINSICS:
        raise UnsupportedOp(f"the intrinsic {name} is not simulated", hint="run the kernel on a GPU")
    yield None
    outcome = INTRINSICS[name](group, op, *operands)
    if INTRINSICS[name] is named_barrier_wait:
        outcome = yield from outcome
    return outcome
