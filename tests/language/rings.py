"""Rings of buffers and barriers between tasks, through TMA and through registers."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output

SLOTS = (1, 2, 3, 4)
BLOCK = 32


@tlx.jit
def copy_through_ring(x, y, n, BLOCK: tl.constexpr, SLOTS: tl.constexpr):
    """Copies `n` blocks, one below the other, through a ring: TMA in, pointers out."""
    ring = tlx.local_alloc((BLOCK, BLOCK), tlx.dtype_of(x), SLOTS)
    full = tlx.alloc_barriers(SLOTS)
    empty = tlx.alloc_barriers(num_barriers=SLOTS, arrive_count=1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(t, SLOTS)
                tlx.barrier_wait(full[slot], phase)
                block = tlx.local_load(ring[slot])
                tlx.barrier_arrive(empty[slot], 1)
                i = t * BLOCK + tl.arange(0, BLOCK)
                tl.store(y + i[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :], block)
        with tlx.async_task(num_warps=1):
            for t in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(t, SLOTS)
                tlx.barrier_wait(bar=empty[slot], phase=phase ^ 1)
                tlx.barrier_expect_bytes(bar=full[slot], size=BLOCK * BLOCK * tlx.size_of(tlx.dtype_of(x)))
                tlx.async_descriptor_load(x, ring[slot], [t * BLOCK, 0], full[slot])


@tlx.jit
def from_task_to_task(x, y, n, N: tl.constexpr, SLOTS: tl.constexpr):
    """One task stores what another loads; `local_view` and `[]` name the same slot."""
    ring = tlx.local_alloc((N,), tl.float32, SLOTS, tlx.storage_kind.smem)
    full = tlx.alloc_barriers(SLOTS)
    empty = tlx.alloc_barriers(SLOTS)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for t in range(n):
                tlx.barrier_wait(tlx.local_view(empty, t % SLOTS), (t // SLOTS) & 1 ^ 1)
                tlx.local_store(tlx.local_view(ring, t % SLOTS), tl.load(x + t * N + tl.arange(0, N)))
                tlx.barrier_arrive(tlx.local_view(full, t % SLOTS))
        with tlx.async_task(num_warps=2):
            for t in range(n):
                tlx.barrier_wait(full[t % SLOTS], (t // SLOTS) & 1)
                tl.store(y + t * N + tl.arange(0, N), tlx.local_load(ring[t % SLOTS]) + 1)
                tlx.barrier_arrive(empty[t % SLOTS])


@tlx.jit
def two_producers(y, N: tl.constexpr):
    """A phase completes with the arrivals of both producers."""
    halves = tlx.local_alloc((N,), tl.int32, 2)
    full = tlx.alloc_barriers(1, arrive_count=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full, 0)
            i = tl.arange(0, N)
            tl.store(y + i, tlx.local_load(halves[0]) + tlx.local_load(halves[1]))
        with tlx.async_task(num_warps=1, replicate=2):
            replica: tl.constexpr = tlx.async_task_replica_id()
            tlx.local_store(halves[replica], tl.arange(0, N) * (10 * replica + 1))
            tlx.barrier_arrive(full[0])


@tlx.jit
def one_arrive_counts_twice(y):
    done = tlx.alloc_barriers(1, arrive_count=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(done[0], 0)
            tl.store(y, 1)
        with tlx.async_task(num_warps=1):
            tlx.barrier_arrive(done[0], 2)


@tlx.jit
def predicated(x, y, take, BLOCK: tl.constexpr):
    """Where `take` is 0, nothing is expected, copied or waited for."""
    buffer = tlx.local_alloc((BLOCK, BLOCK), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0, pred=take > 0)
            if take > 0:
                i = tl.arange(0, BLOCK)
                tl.store(y + i[:, None] * BLOCK + i[None, :], tlx.local_load(buffer[0]))
            tlx.barrier_arrive(full[0], 1, pred=take > 1)
        with tlx.async_task(num_warps=1):
            tlx.barrier_expect_bytes(full[0], BLOCK * BLOCK * 2, pred=take > 0)
            tlx.async_descriptor_load(x, buffer[0], [0, 0], full[0], pred=take > 0)


def blocks(count: int) -> np.ndarray:
    return integers(count * BLOCK, BLOCK, dtype=np.float16)


def copy_case(slots: int, trips: int) -> Case:
    # The tensor has a block more than is copied, so that a trip too many shows.
    x = blocks(trips + 1)
    y = output(*x.shape, dtype=np.float16)
    expected = np.concatenate([x[: trips * BLOCK], y[trips * BLOCK :]])
    arguments = {"x": TMA(x, (BLOCK, BLOCK)), "y": y, "n": trips, "BLOCK": BLOCK, "SLOTS": slots}
    return Case(f"{slots} slots, {trips} trips", copy_through_ring, arguments, {"y": expected})


HANDED_OVER = integers(5 * 64)
ONE = blocks(1)
CASES = [copy_case(slots, trips) for slots in SLOTS for trips in range(1, 2 * slots + 2)] + [
    Case(
        "from task to task",
        from_task_to_task,
        {"x": HANDED_OVER, "y": output(320), "n": 5, "N": 64, "SLOTS": 2},
        {"y": HANDED_OVER + 1},
    ),
    Case(
        "a barrier counts the arrivals of two tasks",
        two_producers,
        {"y": output(32, dtype=np.int32), "N": 32},
        {"y": 12 * np.arange(32)},
    ),
    Case("one arrive counts twice", one_arrive_counts_twice, {"y": output(1, dtype=np.int32)}, {"y": np.array([1])}),
    Case(
        "predicate true",
        predicated,
        {"x": TMA(ONE, (BLOCK, BLOCK)), "y": output(BLOCK, BLOCK, dtype=np.float16), "take": 1, "BLOCK": BLOCK},
        {"y": ONE},
    ),
    Case(
        "predicate false",
        predicated,
        {"x": TMA(ONE, (BLOCK, BLOCK)), "y": output(BLOCK, BLOCK, dtype=np.float16), "take": 0, "BLOCK": BLOCK},
        {"y": output(BLOCK, BLOCK, dtype=np.float16)},
    ),
]
