"""Copies from global to shared memory by the threads of a group, without registers (cp.async)."""

from __future__ import annotations

import numpy as np

from .pointer import reported
from .registry import simulates


@simulates("ttg.async_copy_global_to_local")
def async_copy_global_to_local(group, op, pointers, view, mask=None, other=None):
    """Copies where the mask holds; elsewhere writes `other`, or 0 (`cp.async` with a source size of 0)."""

    def work(engine):
        addresses = np.asarray(pointers.addresses)
        kept = np.ones(addresses.shape, np.bool_) if mask is None else np.broadcast_to(mask, addresses.shape)
        values = np.zeros(addresses.shape, view.dtype)
        if other is not None:
            values[...] = other
        with reported(group, op):
            values[kept] = group.launch.memory.read(pointers.argument, addresses[kept], view.dtype)
        group.cta.memory.write(engine, view, values, op)
        yield None

    group.issue("cp_async", op, work, group.copies)


@simulates("ttg.async_commit_group")
def async_commit_group(group, op, *tokens):
    """Closes a group of copies (`cp.async.commit_group`)."""
    group.copies.commit()


@simulates("ttg.async_wait")
def async_wait(group, op, *tokens):
    """Waits until all but the last `num` groups are complete (`cp.async.wait_group`)."""
    yield from group.copies.wait(group, op.attributes["num"])


@simulates("ttng.async_copy_mbarrier_arrive")
def async_copy_mbarrier_arrive(group, op, word):
    """Arrives for every thread once the group's copies so far are complete (`cp.async.mbarrier.arrive`).

    Unless `noIncrement` is set, the phase waits for these arrivals beside those of the barrier's count.
    """
    barrier = group.cta.barriers.at(word)
    copies = group.copies.unretired()
    if not op.attributes.get("noIncrement", False):
        barrier.add_arrivals(group.num_threads)

    def work(engine):
        yield from group.copies.follow(engine, copies)
        barrier.arrive(engine, group.num_threads, op)
        del loads[engine]

    loads = group.cta.loads
    loads[group.issue("cp_async", op, work, signals=barrier)] = None
