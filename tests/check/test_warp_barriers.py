"""Arrivals of single threads in the checks: each of the task's threads counts, and orders what the task did before."""

import numpy as np
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.check import checking

N, TRIPS = 32, 5


@tlx.jit
def ring(x, y, N: tl.constexpr, TRIPS: tl.constexpr, WARPS: tl.constexpr, RELEASE: tl.constexpr, EARLY: tl.constexpr):
    """y[t] is the sum of row t; two warps free each slot."""
    slots = tlx.local_alloc((1, N), tlx.dtype_of(x), 2)
    full = tlx.alloc_barriers(2)
    empty = tlx.alloc_warp_barrier(2, num_warps=WARPS)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.range(0, TRIPS):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], N * 4)
                tlx.async_descriptor_load(x, slots[slot], [t, 0], full[slot])
        with tlx.async_task(num_warps=2):
            for t in tl.range(0, TRIPS):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(full[slot], phase)
                if EARLY:
                    tlx.barrier_arrive(empty[slot])
                row = tlx.local_load(slots[slot])
                if RELEASE and not EARLY:
                    tlx.barrier_arrive(empty[slot])
                tl.store(y + t, tl.sum(row))


def found(warps: int = 2, release: bool = True, early: bool = False) -> set[str]:
    x, y = np.ones((TRIPS, N), np.float32), np.zeros(TRIPS, np.float32)
    with checking(schedules=3) as checker:
        ring[(1,)](TensorDescriptor.from_tensor(sim.array(x), [1, N]), sim.array(y), N, TRIPS, warps, release, early)
    return {finding.id for finding in checker.findings if finding.severity != "note"}


def test_a_ring():
    assert found() == set()


def test_a_release_before_the_read():
    assert found(early=True) == {"TLX-R001"}


def test_no_release():
    assert {"TLX-R008", "TLX-S010"} <= found(release=False)


def test_a_count_of_more_warps():
    assert {"TLX-R008", "TLX-S006"} <= found(warps=4)
