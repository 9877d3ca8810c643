"""A ring between one producer and some consumers, over several tiles, with faults to switch on."""

from __future__ import annotations

import numpy as np
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.check import Finding, checking

ROWS, COLUMNS = 16, 64
SLOT_BYTES = ROWS * COLUMNS * 2


@tlx.jit
def ring(
    x,
    y,
    tiles,
    steps,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    STAGES: tl.constexpr,
    CONSUMERS: tl.constexpr,
    EMPTY_COUNT: tl.constexpr,
    BYTES: tl.constexpr,
    FIRST_PARITY: tl.constexpr,
    RESET: tl.constexpr,
    ARRIVE_EARLY: tl.constexpr,
    ARRIVE: tl.constexpr,
    WAIT_FULL: tl.constexpr,
    WAIT_EMPTY: tl.constexpr,
    FULL_TWICE: tl.constexpr,
):
    """y[i] is the sum of all blocks of x, as consumer i sees it."""
    slots = tlx.local_alloc((ROWS, COLUMNS), tl.float16, STAGES)
    full = tlx.alloc_barriers(STAGES)
    empty = tlx.alloc_barriers(STAGES, arrive_count=EMPTY_COUNT)
    with tlx.async_tasks():
        with tlx.async_task("default", replicate=CONSUMERS):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            total = tl.zeros((ROWS, COLUMNS), tl.float32)
            use = 0
            for _ in tl.range(0, tiles):
                if RESET:
                    use = 0
                for _ in tl.range(0, steps):
                    slot, phase = tlx.get_bufidx_phase(use, STAGES)
                    if WAIT_FULL:
                        tlx.barrier_wait(full[slot], phase)  # consumer waits
                    if ARRIVE_EARLY:
                        tlx.barrier_arrive(empty[slot])  # early release
                    if FULL_TWICE:
                        tlx.barrier_wait(full[slot], phase)
                    total += tlx.local_load(slots[slot])  # consumer reads
                    if ARRIVE and not ARRIVE_EARLY:
                        tlx.barrier_arrive(empty[slot])  # consumer releases
                    use += 1
            i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
            tl.store(y + consumer * ROWS * COLUMNS + i * COLUMNS + j, total)
        with tlx.async_task(num_warps=1):
            use = 0
            for tile in tl.range(0, tiles):
                if RESET:
                    use = 0
                for k in tl.range(0, steps):
                    slot, phase = tlx.get_bufidx_phase(use, STAGES)
                    if WAIT_EMPTY:
                        tlx.barrier_wait(empty[slot], phase ^ FIRST_PARITY)  # producer waits
                    tlx.barrier_expect_bytes(full[slot], BYTES)
                    row = (tile * steps + k) * ROWS
                    tlx.async_descriptor_load(x, slots[slot], [row, 0], full[slot])  # producer loads
                    use += 1


def run(
    tiles: int = 2,
    steps: int = 4,
    *,
    stages: int = 2,
    consumers: int = 1,
    seed: int = 0,
    schedules: int = 1,
    empty_count: int | None = None,
    **faults,
) -> tuple[list[Finding], bool]:
    """What the check finds, and whether the sums are right."""
    values = np.random.default_rng(0).integers(-3, 4, (tiles * steps * ROWS, COLUMNS)).astype(np.float16)
    sums = np.full((consumers, ROWS, COLUMNS), 7, np.float32)
    right = {
        "BYTES": SLOT_BYTES,
        "FIRST_PARITY": 1,
        "RESET": False,
        "ARRIVE_EARLY": False,
        "ARRIVE": True,
        "WAIT_FULL": True,
        "WAIT_EMPTY": True,
        "FULL_TWICE": False,
    }
    with checking(seed=seed, schedules=schedules) as checker:
        ring[(1,)](
            TensorDescriptor.from_tensor(sim.array(values), [ROWS, COLUMNS]),
            sim.array(sums),
            tiles,
            steps,
            ROWS,
            COLUMNS,
            stages,
            consumers,
            consumers if empty_count is None else empty_count,
            **right | faults,
        )
    expected = values.astype(np.float32).reshape(-1, ROWS, COLUMNS).sum(axis=0)
    return [f for f in checker.findings if f.severity != "note"], bool((sums == expected).all())
