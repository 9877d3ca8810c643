"""Shared memory reached by its address, in inline PTX that tlx writes."""

from __future__ import annotations

import numpy as np

from ...compiler.versions import SHARED_ADDRESS_HAS_RANK
from ...language.thread_arrivals import ARRIVE_PTX
from .external import group_ptx
from .registry import simulates


@simulates("tti.experimental_memdesc_to_i32", "tti.experimental_memdesc_to_i64")
def memdesc_to_int(group, op, view):
    """The address of a view's first element, with the CTA's rank where Triton's lowering keeps it."""
    rank = group.cta.rank if SHARED_ADDRESS_HAS_RANK else 0
    address = group.cta.cluster.address(rank, view.first)
    return (np.int32 if op.name.endswith("i32") else np.int64)(address)


@group_ptx(ARRIVE_PTX)
def arrive_each_thread(group, op, address, predicate):
    """Each thread arrives once. The group's threads are one agent here, so that its last access counts for all."""
    if predicate:
        group.cta.cluster.barrier_at(group, int(address), op).arrive(group, group.num_threads, op)
    return np.int32(0)
