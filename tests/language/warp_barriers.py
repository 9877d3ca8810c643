"""Barriers on which each thread arrives for itself."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output


@tlx.jit
def shared_by_two(x, y, trips, N: tl.constexpr):
    """y[t, c] is the sum of row t that consumer c reads: two tasks of two and four warps free each slot together."""
    ring = tlx.local_alloc((1, N), tlx.dtype_of(x), 2)
    full = tlx.alloc_barriers(2)
    empty = tlx.alloc_warp_barrier(2, num_warps=6)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.range(0, trips):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(full[slot], phase)
                row = tlx.local_load(ring[slot])
                tlx.barrier_arrive(empty[slot])
                tl.store(y + 2 * t, tl.sum(row))
        with tlx.async_task(num_warps=2):
            for t in tl.range(0, trips):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(full[slot], phase)
                row = tlx.local_load(ring[slot])
                tlx.barrier_arrive(empty[slot])
                tl.store(y + 2 * t + 1, tl.sum(row))
        with tlx.async_task(num_warps=1):
            for t in tl.range(0, trips):
                slot, phase = tlx.get_bufidx_phase(t, 2)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], N * 4)
                tlx.async_descriptor_load(x, ring[slot], [t, 0], full[slot])


@tlx.jit
def stored_and_sent(y, n, N: tl.constexpr):
    """Each thread fences its own stores before it arrives, twice in a phase; the second time on a condition."""
    buffer = tlx.local_alloc((N, N), tl.float32, 1)
    bars = tlx.alloc_warp_barrier(num_barriers=2, num_warps=4, num_arrivals=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.local_store(buffer[0], tl.full((N, N), 5, tl.float32))
            tlx.barrier_arrive(bars[1])
            tlx.barrier_arrive(bars[1], pred=n > 3)
            tlx.barrier_arrive(bars[1], pred=n <= 3)
        with tlx.async_task(num_warps=1):
            tlx.barrier_wait(bars[1], 0)
            tlx.async_descriptor_store(y, buffer[0], [0, 0])
            tlx.async_descriptor_store_wait(0)


X = integers(5, 32)


def shared_case(trips: int) -> Case:
    sums = np.repeat(X.sum(axis=1)[:trips], 2)
    arguments = {"x": TMA(X, (1, 32)), "y": output(10), "trips": trips, "N": 32}
    return Case(
        f"{trips} slots freed by the threads of two tasks",
        shared_by_two,
        arguments,
        {"y": np.concatenate([sums, output(10 - 2 * trips)])},
        ptx={"mbarrier.arrive.release.cta.shared::cta.b64 _,": 2},
    )


CASES = [
    *map(shared_case, (0, 1, 5)),
    *[
        Case(
            f"stores fenced by each thread, n = {n}",
            stored_and_sent,
            {"y": TMA(output(32, 32), (32, 32)), "n": n, "N": 32},
            {"y": np.full((32, 32), 5, np.float32)},
            ttgir={"ttng.fence_async_shared": 1},
        )
        for n in (3, 4)
    ],
]
