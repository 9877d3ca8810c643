"""Buffers that share memory, used as if each had its own."""

import triton.language as tl

import tlx
from tlx.check.rules import RACE_READ_WRITE, RACE_WRITE_WRITE

from .row import put, row


@row(36, "a result stored over an input that is still read", (RACE_READ_WRITE, RACE_WRITE_WRITE))
@tlx.jit
def over_what_is_read(z, FIXED: tl.constexpr):
    spec = tlx.storage_alias_spec()
    p = tlx.local_alloc((64, 64), tl.float16, 1, reuse=spec)
    sums = tlx.local_alloc((64,), tl.float32, 1, reuse=spec)
    full, free = tlx.alloc_barriers(1), tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(full[0], 0)
            put(z, tlx.local_load(p[0]))
            tlx.barrier_arrive(free[0])
        with tlx.async_task(num_warps=4):
            tlx.local_store(p[0], tl.full((64, 64), 1, tl.float16))
            tlx.barrier_arrive(full[0])
            if FIXED:
                tlx.barrier_wait(free[0], 0)
            tlx.local_store(sums[0], tl.full((64,), 2, tl.float32))


@row(10, "rings that overlap in a slot that has another number", RACE_READ_WRITE)
@tlx.jit
def over_the_other_slot(z, FIXED: tl.constexpr):
    wide = tlx.local_alloc((64, 64), tl.float32, 2)
    narrow = tlx.local_alloc((64, 64), tl.float16, 4, reuse=wide)
    full = tlx.alloc_barriers(1)
    tlx.local_store(wide[0], tl.zeros((64, 64), tl.float32))
    tlx.barrier_arrive(full[0])
    with tlx.async_tasks():
        with tlx.async_task("default"):
            put(z, tlx.local_load(wide[0]))
        with tlx.async_task(num_warps=4):
            tlx.barrier_wait(full[0], 0)
            # Slots 0 and 1 of `narrow` lie in slot 0 of `wide`.
            tlx.local_store(narrow[2 if FIXED else 1], tl.zeros((64, 64), tl.float16))
