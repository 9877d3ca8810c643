"""Data overwritten or read too early: silent wrong results in some schedules."""

import triton.language as tl

import tlx
from tlx.check.rules import DEADLOCK, EARLY_ARRIVAL, GLOBAL_RACE, MISSABLE_PHASE, RACE_READ_WRITE, RACE_WRITE_WRITE

from .hangs import produce
from .row import BYTES, put, row


@row(33, "one of two operands has a ring of one", (RACE_READ_WRITE, RACE_WRITE_WRITE))
@tlx.jit
def one_operand_buffered(x, y, z, n, FIXED: tl.constexpr):
    B_SLOTS: tl.constexpr = 2 if FIXED else 1
    a = tlx.local_alloc((64, 64), tl.float16, 2)
    b = tlx.local_alloc((64, 64), tl.float16, B_SLOTS)
    full = tlx.alloc_barriers(2)
    empty = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(k, 2)
                tlx.barrier_wait(full[slot], phase)
                acc = tlx.async_dot(a[slot], b[slot % B_SLOTS], acc)
                acc = tlx.async_dot_wait(0, acc)
                tlx.barrier_arrive(empty[slot])
            put(z, acc)
        with tlx.async_task(num_warps=1):
            for k in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(k, 2)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], 2 * BYTES)
                tlx.async_descriptor_load(x, a[slot], [64 * k, 0], full[slot])
                tlx.async_descriptor_load(y, b[slot % B_SLOTS], [64 * k, 0], full[slot])


@row(36, "two tiles use one P buffer, and nothing says that it is free", MISSABLE_PHASE)
@tlx.jit
def shared_p(z, n, FIXED: tl.constexpr):
    p_tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for k in tl.range(0, n):
                if FIXED:
                    tlx.barrier_wait(empty[0], (k & 1) ^ 1)
                tlx.local_store(p_tile[0], tl.full((64, 64), k, tl.float16))
                tlx.barrier_arrive(full[0])
        with tlx.async_task(num_warps=4):
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                total += tlx.local_load(p_tile[0])
                tlx.barrier_arrive(empty[0])
            put(z, total)


@row(36, "an arrival on the other barrier of the pair", (DEADLOCK, EARLY_ARRIVAL))
@tlx.jit
def wrong_arrival(z, n, FIXED: tl.constexpr):
    p_tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for k in tl.range(0, n):
                tlx.barrier_wait(empty[0], (k & 1) ^ 1)
                tlx.local_store(p_tile[0], tl.full((64, 64), k, tl.float16))
                tlx.barrier_arrive(full[0])
        with tlx.async_task(num_warps=4):
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                total += tlx.local_load(p_tile[0])
                tlx.barrier_arrive(empty[0] if FIXED else full[0])
            put(z, total)


@row(39, "staging in a slot of the ring, guarded by a constant phase", (RACE_READ_WRITE, RACE_WRITE_WRITE))
@tlx.jit
def staging_in_the_ring(x, y, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    stored = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for tile in tl.range(0, n):
                tlx.barrier_wait(full[0], tile & 1)
                values = tlx.local_load(ring[0])
                tlx.local_store(ring[0], values + values)
                tlx.async_descriptor_store(y, ring[0], [64 * tile, 0])
                tlx.async_descriptor_store_wait(0)
                tlx.barrier_arrive(stored[0])
        with tlx.async_task(num_warps=1):
            for tile in tl.range(0, n):
                tlx.barrier_wait(stored[0], (tile & 1) ^ 1 if FIXED else 1)
                tlx.barrier_expect_bytes(full[0], BYTES)
                tlx.async_descriptor_load(x, ring[0], [64 * tile, 0], full[0])


@row(40, "the wait for MMAs leaves the one whose slot is released", RACE_READ_WRITE)
@tlx.jit
def wait_off_by_one(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(2)
    empty = tlx.alloc_barriers(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                slot, phase = tlx.get_bufidx_phase(k, 2)
                tlx.barrier_wait(full[slot], phase)
                acc = tlx.async_dot(ring[slot], ring[slot], acc)
                acc = tlx.async_dot_wait(0 if FIXED else 1, acc)
                tlx.barrier_arrive(empty[slot])
            put(z, tlx.async_dot_wait(0, acc))
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, n, 2)


@row(44, "two readers, one of which counts", EARLY_ARRIVAL)
@tlx.jit
def two_readers(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1, arrive_count=2 if FIXED else 1)
    with tlx.async_tasks():
        with tlx.async_task("default", replicate=2):
            total = tl.zeros((64, 64), tl.float32)
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                total += tlx.local_load(ring[0])
                tlx.barrier_arrive(empty[0])
            put(z, total, tlx.async_task_replica_id())
        with tlx.async_task(num_warps=1):
            produce(x, ring, full, empty, n, 1)


@row(45, "the next load is started before the buffer is read", RACE_READ_WRITE)
@tlx.jit
def overwrite_hoisted(x, z, n, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    total = tl.zeros((64, 64), tl.float32)
    tlx.barrier_expect_bytes(full[0], BYTES)
    tlx.async_descriptor_load(x, tile[0], [0, 0], full[0])
    for k in tl.range(0, n):
        tlx.barrier_wait(full[0], k & 1)
        if FIXED:
            total += tlx.local_load(tile[0])
        if k + 1 < n:
            tlx.barrier_expect_bytes(full[0], BYTES)
            tlx.async_descriptor_load(x, tile[0], [64 * (k + 1), 0], full[0])
        if not FIXED:
            total += tlx.local_load(tile[0])
    put(z, total)


@row(46, "a load that nothing orders after another group's store", GLOBAL_RACE)
@tlx.jit
def load_before_store(z, flag, FIXED: tl.constexpr):
    done = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(flag, 5)
            tlx.barrier_arrive(done[0])
        with tlx.async_task(num_warps=4):
            if FIXED:
                tlx.barrier_wait(done[0], 0)
            tl.store(z, tl.load(flag).to(tl.float32))


@row(48, "a bias staged before the loop, outside of any barrier", RACE_READ_WRITE)
@tlx.jit
def staged_bias(x, z, FIXED: tl.constexpr):
    bias = tlx.local_alloc((64, 64), tl.float16, 1)
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    staged = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            if FIXED:
                tlx.barrier_wait(staged[0], 0)
            tlx.barrier_wait(full[0], 0)
            put(z, tlx.local_load(tile[0]) + tlx.local_load(bias[0]))
        with tlx.async_task(num_warps=4):
            tlx.barrier_expect_bytes(full[0], BYTES)
            tlx.async_descriptor_load(x, tile[0], [0, 0], full[0])
            tlx.local_store(bias[0], tl.full((64, 64), 1, tl.float16))
            tlx.barrier_arrive(staged[0])


@row(52, "a wait that leaves the store of the slot to be refilled", RACE_READ_WRITE)
@tlx.jit
def pending_store(y, n, FIXED: tl.constexpr):
    staging = tlx.local_alloc((64, 64), tl.float16, 2)
    for k in tl.range(0, n):
        tlx.async_descriptor_store_wait(1 if FIXED else 2)
        tlx.local_store(staging[k % 2], tl.full((64, 64), k, tl.float16))
        tlx.async_descriptor_store(y, staging[k % 2], [64 * k, 0])
    tlx.async_descriptor_store_wait(0)


@row(53, "the staging buffer is waited for in one iteration only", RACE_READ_WRITE)
@tlx.jit
def waited_for_once(y, n, FIXED: tl.constexpr):
    staging = tlx.local_alloc((64, 64), tl.float16, 1)
    for k in tl.range(0, n):
        if FIXED or k == 1:
            tlx.async_descriptor_store_wait(0)
        tlx.local_store(staging[0], tl.full((64, 64), k, tl.float16))
        tlx.async_descriptor_store(y, staging[0], [64 * k, 0])
    tlx.async_descriptor_store_wait(0)


@row(55, "a prologue as deep as the ring, and a load before the read", RACE_READ_WRITE)
@tlx.jit
def full_prologue(x, z, n, FIXED: tl.constexpr):
    ring = tlx.local_alloc((64, 64), tl.float16, 2)
    full = tlx.alloc_barriers(2)
    DEPTH: tl.constexpr = 1 if FIXED else 2
    total = tl.zeros((64, 64), tl.float32)
    for k in tl.static_range(DEPTH):
        tlx.barrier_expect_bytes(full[k], BYTES)
        tlx.async_descriptor_load(x, ring[k], [64 * k, 0], full[k])
    for k in tl.range(0, n):
        ahead = k + DEPTH
        tlx.barrier_wait(full[k % 2], (k // 2) & 1)
        if ahead < n:
            tlx.barrier_expect_bytes(full[ahead % 2], BYTES)
            tlx.async_descriptor_load(x, ring[ahead % 2], [64 * ahead, 0], full[ahead % 2])
        total += tlx.local_load(ring[k % 2])
    put(z, total)


@row(56, "a flag that doesn't wait for the writes of a TMA store", GLOBAL_RACE, grid=2)
@tlx.jit
def flag_before_data(y, p, z, flag, FIXED: tl.constexpr):
    tile = tlx.local_alloc((64, 64), tl.float16, 1)
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    if tl.program_id(0) == 0:
        values = tl.full((64, 64), 3, tl.float16)
        if FIXED:
            tl.store(p + i * 64 + j, values)
        else:
            tlx.local_store(tile[0], values)
            tlx.async_descriptor_store(y, tile[0], [0, 0])
            tlx.async_descriptor_store_wait(0)
        tl.atomic_xchg(flag, 1)
    else:
        while tl.atomic_cas(flag, 1, 1) != 1:
            pass
        if FIXED:
            put(z, tl.load(p + i * 64 + j))
        else:
            put(z, y.load([0, 0]))


@row(56, "a flag that is set by a relaxed atomic", GLOBAL_RACE, grid=2)
@tlx.jit
def relaxed_flag(z, flag, FIXED: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(flag + 1, 5)
        tl.atomic_xchg(flag, 1, sem="release" if FIXED else "relaxed")
    else:
        while tl.atomic_cas(flag, 1, 1, sem="acquire") != 1:
            pass
        tl.store(z, tl.load(flag + 1).to(tl.float32))
