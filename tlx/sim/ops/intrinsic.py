"""LLVM intrinsics that stand in TTGIR under their own name: named barriers, thread indices, votes, the clock."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import UnsupportedOp
from ..per_thread import per_thread
from .registry import simulates


def named_barrier_arrive(group, op, number, threads):
    """`barrier.cta.arrive`: goes on at once."""
    group.cta.named_barriers[int(number)].arrive(group, group.num_threads, int(threads), op)


def named_barrier_wait(group, op, number, threads):
    """`barrier.cta.sync`: arrives and waits for the phase."""
    barrier = group.cta.named_barriers[int(number)]
    phase = barrier.phases_done
    barrier.arrive(group, group.num_threads, int(threads), op)
    yield from barrier.wait(group, phase, op)


def clock64(group, op):
    """`%clock64`: counts the ops that this launch has executed, which only ever grows."""
    return np.int64(sum(group.launch.counts))


def thread_id_x(group, op):
    """`%tid.x`: warps of a CTA are numbered through all its groups."""
    first = group.first_warp * group.warp_size
    return np.arange(first, first + group.num_threads, dtype=np.int32)


def thread_id_yz(group, op):
    """`%tid.y` and `%tid.z`: Triton's blocks are one-dimensional."""
    return np.int32(0)


def vote_ballot_sync(group, op, mask, predicate):
    """`vote.sync.ballot`: each warp gets a bit for each of its lanes."""
    lanes = np.broadcast_to(predicate, group.num_threads).reshape(group.num_warps, group.warp_size)
    ballots = np.packbits(lanes, axis=1, bitorder="little").view("<i4")[:, 0]
    return per_thread(np.repeat(ballots, group.warp_size))


INTRINSICS: dict[str, Callable] = {
    "llvm.nvvm.barrier.cta.arrive.aligned.count": named_barrier_arrive,
    "llvm.nvvm.barrier.cta.sync.aligned.count": named_barrier_wait,
    "llvm.nvvm.read.ptx.sreg.clock64": clock64,
    "llvm.nvvm.read.ptx.sreg.tid.x": thread_id_x,
    "llvm.nvvm.read.ptx.sreg.tid.y": thread_id_yz,
    "llvm.nvvm.read.ptx.sreg.tid.z": thread_id_yz,
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
