"""Hangs, and what is a hang in other schedules."""

import triton.language as tl

import tlx
from tlx.check.rules import (
    DEADLOCK,
    EARLY_ARRIVAL,
    ENGINE_IN_FLIGHT,
    MISSABLE_PHASE,
    RACE_READ_WRITE,
    STALE_WAIT,
)

from .row import BYTES, put, row


@row(1, "bytes land that were never expected", DEADLOCK)
@tlx.jit
def never_expected(x, z, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            put(z, tlx.local_load(tile[0]))
        with tlx.async_task(num_warps=1):
            if FIXED:
                tlx.barrier_expect_bytes(full[0], BYTES)
            tlx.async_descriptor_load(x, tile[0], [0, 0], full[0])


@row(2, "two groups wait for each other", DEADLOCK)
@tlx.jit
def circular(FIXED: tl.constexpr):
    released = tlx.alloc_barriers(1)
    copied = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            if FIXED:
                tlx.barrier_arrive(released[0])
                tlx.barrier_wait(copied[0], 0)
            else:
                tlx.barrier_wait(copied[0], 0)
                tlx.barrier_arrive(released[0])
        with tlx.async_task(num_warps=4):
            tlx.barrier_wait(released[0], 0)
            tlx.barrier_arrive(copied[0])


@row(4, "a peeled wait, but no step", DEADLOCK)
@tlx.jit
def zero_steps(x, z, none, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            if none > 0 or not FIXED:
                tlx.barrier_wait(full[0], 0)
                put(z, tlx.local_load(tile[0]))
        with tlx.async_task(num_warps=1):
            if none > 0:
                tlx.barrier_expect_bytes(full[0], BYTES)
                tlx.async_descriptor_load(x, tile[0], [0, 0], full[0])


@row(6, "expected bytes posted for one of two loads", DEADLOCK)
@tlx.jit
def half_expected(x, z, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for i in tl.static_range(2):
                tlx.barrier_wait(full[i], 0)
                put(z, tlx.local_load(tile[i]), i)
        with tlx.async_task(num_warps=1):
            for i in tl.static_range(2):
                if i == 0 or FIXED:
                    tlx.barrier_expect_bytes(full[i], BYTES)
                tlx.async_descriptor_load(x, tile[i], [64 * i, 0], full[i])


@tlx.jit
def produce(x, ring, full, empty, steps, STAGES: tl.constexpr):
    """Fills the slots of a ring in turn."""
    for k in tl.range(0, steps):
        slot, phase = tlx.get_bufidx_phase(k, STAGES)
        tlx.barrier_wait(empty[slot], phase ^ 1)
        tlx.barrier_expect_bytes(full[slot], BYTES)
        tlx.async_descriptor_load(x, ring[slot], [64 * k, 0], full[slot])


@row(9, "the phase follows the slot that is already the next one", MISSABLE_PHASE)
@tlx.jit
def updates_in_the_wrong_order(x, z, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 3)
    full = tlx.alloc_barriers(3)
    empty = tlx.alloc_barriers(3)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            slot = 0
            phase = 0
            total = tl.zeros((64, 64), tl.float32)
            for _ in tl.range(0, 7):
                tlx.barrier_wait(full[slot], phase)
                total += tlx.local_load(ring[slot])
                tlx.barrier_arrive(empty[slot])
                if FIXED:
                    phase = phase ^ (slot == 2).to(tl.int32)
                slot = (slot + 1) % 3
                if not FIXED:
                    phase = phase ^ (slot == 2).to(tl.int32)
            put(z, total)
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, 7, 3)


@row(10, "a release given to another buffer's barrier", (DEADLOCK, EARLY_ARRIVAL))
@tlx.jit
def wrong_release(x, y, z, n, FIXED: tl.constexpr):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((64, 64), tl.float16, 1)
    a_full = tlx.alloc_barriers(1)
    b_full = tlx.alloc_barriers(1)
    a_empty = tlx.alloc_barriers(1)
    b_empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                tlx.barrier_wait(a_full[0], k & 1)
                tlx.barrier_wait(b_full[0], k & 1)
                total += tlx.local_load(a[0])
                tlx.barrier_arrive(a_empty[0] if FIXED else b_empty[0])
                total += tlx.local_load(b[0])
                tlx.barrier_arrive(b_empty[0])
            put(z, total)
        with tlx.async_task(num_warps=1):
            produce(x, a, a_full, a_empty, n, 1)
        with tlx.async_task(num_warps=1):
            produce(y, b, b_full, b_empty, n, 1)


@row(11, "a user of a ring of two stays in slot 0", DEADLOCK)
@tlx.jit
def pinned_slot(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(2)
    empty = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(k, 2)
                if not FIXED:
                    slot = 0
                    phase = k & 1
                tlx.barrier_wait(full[slot], phase)
                total += tlx.local_load(ring[slot])
                tlx.barrier_arrive(empty[slot])
            put(z, total)
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, n, 2)


@row(12, "two copies announced one by one, an arrive count of one", EARLY_ARRIVAL)
@tlx.jit
def two_announcements(x, z, FIXED: tl.constexpr):
    tiles = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(1, arrive_count=2 if FIXED else 1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            put(z, tlx.local_load(tiles[0]) + tlx.local_load(tiles[1]))
        with tlx.async_task(num_warps=1):
            for i in tl.static_range(2):
                tlx.barrier_expect_bytes(full[0], BYTES)
                tlx.async_descriptor_load(x, tiles[i], [64 * i, 0], full[0])


@row(12, "one announcement, an arrive count of two", DEADLOCK)
@tlx.jit
def one_announcement(x, z, FIXED: tl.constexpr):
    tiles = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(1, arrive_count=1 if FIXED else 2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            put(z, tlx.local_load(tiles[0]) + tlx.local_load(tiles[1]))
        with tlx.async_task(num_warps=1):
            tlx.barrier_expect_bytes(full[0], 2 * BYTES)
            for i in tl.static_range(2):
                tlx.async_descriptor_load(x, tiles[i], [64 * i, 0], full[0])


@row(13, "one of two groups that wait for a phase holds up the next", (MISSABLE_PHASE, RACE_READ_WRITE))
@tlx.jit
def one_arrives_for_two(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1, arrive_count=2 if FIXED else 1)
    with tlx.async_tasks():
        with tlx.async_task("default", replicate=2):
            group: tl.constexpr = tlx.async_task_replica_id()
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                total += tlx.local_load(ring[0])
                if FIXED or group == 0:
                    tlx.barrier_arrive(empty[0])
            put(z, total, group)
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, n, 1)


@row(15, "one stage, an MMA that nobody waits for before the release", RACE_READ_WRITE)
@tlx.jit
def one_stage(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                acc = tlx.async_dot(ring[0], ring[0], acc)
                if FIXED:
                    acc = tlx.async_dot_wait(0, acc)
                tlx.barrier_arrive(empty[0])
            put(z, tlx.async_dot_wait(0, acc))
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, n, 1)


@row(19, "one role skips the tiles that are empty", (DEADLOCK, MISSABLE_PHASE, ENGINE_IN_FLIGHT))
@tlx.jit
def skipped_by_one_role(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            total = tl.zeros((64, 64), tl.float32)
            use = 0
            for tile in tl.range(0, n):
                if tile % 2 == 0:
                    tlx.barrier_wait(full[0], use & 1)
                    total += tlx.local_load(ring[0])
                    tlx.barrier_arrive(empty[0])
                    use += 1
            put(z, total)
        with tlx.async_task(num_warps=1):
            use = 0
            for tile in tl.range(0, n):
                if tile % 2 == 0 or not FIXED:
                    tlx.barrier_wait(empty[0], (use & 1) ^ 1)
                    tlx.barrier_expect_bytes(full[0], BYTES)
                    tlx.async_descriptor_load(x, ring[0], [64 * tile, 0], full[0])
                    use += 1


@row(20, "an empty tile lets one role get two phases ahead", MISSABLE_PHASE)
@tlx.jit
def two_ahead(n, FIXED: tl.constexpr):
    go = tlx.alloc_barriers(1)
    done = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for tile in tl.range(0, n):
                tlx.barrier_arrive(go[0])
                if FIXED or tile % 2 == 0:
                    tlx.barrier_wait(done[0], tile & 1)
        with tlx.async_task(num_warps=4):
            for tile in tl.range(0, n):
                tlx.barrier_wait(go[0], tile & 1)
                tlx.barrier_arrive(done[0])


@row(24, "a count of threads where one thread arrives", DEADLOCK)
@tlx.jit
def counted_threads(FIXED: tl.constexpr):
    ready = tlx.alloc_barriers(1, arrive_count=1 if FIXED else 128)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(ready[0], 0)
        with tlx.async_task(num_warps=4):
            tlx.barrier_arrive(ready[0])


@row(25, "ping-pong in which both groups wait first", DEADLOCK)
@tlx.jit
def ping_pong(n, FIXED: tl.constexpr):
    turn = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for k in tl.range(0, n):
                tlx.barrier_wait(turn[0], (k & 1) ^ 1 if FIXED else k & 1)
                tlx.barrier_arrive(turn[1])
        with tlx.async_task(num_warps=4):
            for k in tl.range(0, n):
                tlx.barrier_wait(turn[1], k & 1)
                tlx.barrier_arrive(turn[0])


@row(26, "a tile without work arrives alone where its peers arrive and wait", EARLY_ARRIVAL)
@tlx.jit
def lone_arrival(n, FIXED: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for tile in tl.range(0, n):
                if tile % 2 == 1 and not FIXED:
                    tlx.named_barrier_arrive(9, 256)
                else:
                    tlx.named_barrier_wait(9, 256)
        with tlx.async_task(num_warps=4):
            for _ in tl.range(0, n):
                tlx.named_barrier_wait(9, 256)


@row(27, "one role loops deeper than the other", (DEADLOCK, ENGINE_IN_FLIGHT))
@tlx.jit
def deeper_loop(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(2)
    empty = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(k, 2)
                tlx.barrier_wait(full[slot], phase)
                total += tlx.local_load(ring[slot])
                tlx.barrier_arrive(empty[slot])
            put(z, total)
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, n if FIXED else 2 * n, 2)


@row(28, "expected bytes multiplied once too often", DEADLOCK)
@tlx.jit
def twice_expected(x, z, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            put(z, tlx.local_load(tile[0]))
        with tlx.async_task(num_warps=1):
            tlx.barrier_expect_bytes(full[0], BYTES if FIXED else 2 * BYTES)
            tlx.async_descriptor_load(x, tile[0], [0, 0], full[0])


@row(49, "the phase starts again at each tile", STALE_WAIT, ENGINE_IN_FLIGHT)
@tlx.jit
def restarted_phase(x, z, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 3)
    full = tlx.alloc_barriers(3)
    empty = tlx.alloc_barriers(3)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            total = tl.zeros((64, 64), tl.float32)
            for tile in tl.range(0, 2):
                for k in tl.range(0, 4):
                    slot, phase = tlx.get_bufidx_phase(4 * tile + k if FIXED else k, 3)
                    tlx.barrier_wait(full[slot], phase)
                    total += tlx.local_load(ring[slot])
                    tlx.barrier_arrive(empty[slot])
            put(z, total)
        with tlx.async_task(num_warps=1):
            for tile in tl.range(0, 2):
                for k in tl.range(0, 4):
                    slot, phase = tlx.get_bufidx_phase(4 * tile + k if FIXED else k, 3)
                    tlx.barrier_wait(empty[slot], phase ^ 1)
                    tlx.barrier_expect_bytes(full[slot], BYTES)
                    tlx.async_descriptor_load(x, ring[slot], [64 * (4 * tile + k), 0], full[slot])
