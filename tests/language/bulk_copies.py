"""Copies of consecutive bytes by the bulk engine, without a descriptor."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output


@tlx.jit
def relayed(x, y, size, trips, N: tl.constexpr, STAGES: tl.constexpr):
    """A ring that bulk copies fill and empty; the last block has `size` bytes."""
    ring = tlx.local_alloc((N,), tlx.dtype_of(x), STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.range(0, trips):
                tlx.barrier_wait(full[t % STAGES], (t // STAGES) & 1)
                tlx.async_store(y + t * N, ring[t % STAGES], tl.where(t == trips - 1, size, N * 4))
                tlx.async_descriptor_store_wait(0)
                tlx.barrier_arrive(empty[t % STAGES])
        with tlx.async_task(num_warps=1):
            for t in tl.range(0, trips):
                tlx.barrier_wait(empty[t % STAGES], ((t // STAGES) & 1) ^ 1)
                tlx.barrier_expect_bytes(full[t % STAGES], N * 4)
                tlx.async_load(x + t * N, ring[t % STAGES], bulk=True, barrier=full[t % STAGES])


@tlx.jit
def doubled(x, y, N: tl.constexpr):
    """Half of a buffer arrives by the bulk engine; the threads double it and the bulk engine sends it."""
    a = tlx.local_alloc((N,), tlx.dtype_of(x), 2)
    full = tlx.alloc_barriers(1)
    tlx.local_store(a[0], tl.full((N,), 5, tlx.dtype_of(x)))
    tlx.barrier_expect_bytes(full[0], N)
    tlx.async_load(x, a[0], bulk=True, bulk_size=N, barrier=full[0])
    tlx.barrier_wait(full[0], 0)
    tlx.local_store(a[1], tlx.local_load(a[0]) * 2)
    tlx.async_store(y, a[1], N * 2)
    tlx.async_descriptor_store_wait(0)


WORDS = integers(5 * 64, dtype=np.int32)
HALVES = integers(256, dtype=np.float16)


def relayed_case(trips: int, stages: int) -> Case:
    arguments = {
        "x": WORDS,
        "y": output(5 * 64, dtype=np.int32),
        "size": 112,
        "trips": trips,
        "N": 64,
        "STAGES": stages,
    }
    kept = (trips - 1) * 64 + 28
    expected = np.concatenate([WORDS[:kept], output(5 * 64 - kept, dtype=np.int32)])
    ttgir = {
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes": 1,
        "cp.async.bulk.global.shared::cta.bulk_group": 1,
        "cp.async.bulk.commit_group": 1,
    }
    return Case(f"{trips} bulk copies through {stages} stages", relayed, arguments, {"y": expected}, ttgir=ttgir)


CASES = [
    *[relayed_case(trips, stages) for trips in (1, 2, 5) for stages in (1, 2)],
    Case(
        "a bulk copy of half a buffer, doubled and sent",
        doubled,
        {"x": HALVES, "y": output(256, dtype=np.float16), "N": 256},
        {"y": np.concatenate([2 * HALVES[:128], np.full(128, 10, np.float16)])},
        ttgir={"ttng.fence_async_shared": 2},
    ),
]
