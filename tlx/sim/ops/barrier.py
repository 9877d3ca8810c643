"""mbarriers."""

from __future__ import annotations

from ..memory import MemDesc
from .registry import simulates


@simulates("ttng.init_barrier")
def init_barrier(group, op, view):
    """Begins phase 0 (`mbarrier.init`)."""
    group.cta.barriers.initialize(group, view, op.attributes["count"], op)


@simulates("ttng.inval_barrier")
def inval_barrier(group, op, view):
    """Gives the memory back (`mbarrier.inval`)."""
    group.cta.barriers.invalidate(group, view, op)


@simulates("ttng.barrier_expect")
def barrier_expect(group, op, view, predicate=True):
    """Announces bytes and arrives once (`mbarrier.arrive.expect_tx`)."""
    if predicate:
        group.cta.barriers.at(view).expect(group, op.attributes["size"], op)


@simulates("ttng.arrive_barrier")
def arrive_barrier(group, op, view, predicate=True):
    """Arrives `count` times (`mbarrier.arrive`)."""
    if predicate:
        group.cta.barriers.at(view).arrive(group, op.attributes["count"], op)


@simulates("ttng.wait_barrier")
def wait_barrier(group, op, view, parity, predicate=True, *dependencies):
    """Waits until the phase of that parity is complete (`mbarrier.try_wait.parity` in a loop).

    Raises:
        BarrierMisuse: a parity other than 0, 1 and -1, which is 1.
    """
    # Without a predicate the first dependency stands in its place.
    if not isinstance(predicate, MemDesc) and not predicate:
        return
    barrier = group.cta.barriers.at(view)
    # Triton's own warp specialization extends an i1 by its sign; ptxas keeps the lowest bit (`SHF.L.U32 R, R, 0x1f`).
    parity = 1 if parity == -1 else int(parity)
    while not barrier.passed(parity):
        yield barrier.condition(parity)
    barrier.wait(group, op)
    group.passed[op] += 1
