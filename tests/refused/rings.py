"""Rings that own their phases."""

# ruff: noqa: B007, B018, F841 -- names that a kernel leaves unused make it readable

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

DESCRIPTOR = "tensordesc<fp16[64, 64]>"


# --- declarations ---


@refused(errors.InvalidRing, "stages is 0, it must be at least 1")
def no_stages():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=0)  # <- error


@refused(errors.InvalidRing, "consumers is 0, it must be at least 1")
def no_consumers():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, consumers=0)  # <- error


@refused(errors.InvalidRing, "a ring without buffers: its slots hold 0 bytes")
def no_buffers():
    ring = tlx.ring(stages=2)  # <- error


@refused(errors.InvalidRing, "buffer 'a' of a ring is declared as (shape, dtype) or (shape, dtype, count)")
def no_dtype():
    ring = tlx.ring(a=((64, 64),), stages=2)  # <- error


@refused(errors.InvalidRing, "the count of 'a' is 0, it must be at least 1")
def no_buffers_of_a_name():
    ring = tlx.ring(a=((64, 64), tl.float16, 0), stages=2)  # <- error


@refused(errors.InvalidRing, "a buffer of a ring can't be called 'full'")
def reserved_name():
    ring = tlx.ring(full=((64, 64), tl.float16), stages=2)  # <- error


@refused(errors.InvalidRing, "filler is 'dma'")
def unknown_filler():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler="dma")  # <- error


@refused(errors.InvalidRing, "a slot's 8192 bytes can't be shared by 3 producers")
def unequal_shares():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, producers=3)  # <- error


@refused(errors.InvalidBuffer, "inside a task, helper, loop or branch")
def ring_in_a_task():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            ring = tlx.ring(a=((64, 64), tl.float16), stages=2)  # <- error


# --- uses ---


@refused(errors.InvalidRing, "use -1 of a ring, uses are counted from 0")
def use_before_the_first():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    ring.wait(-1)  # <- error


@refused(errors.InvalidRing, "counted by a scalar integer, not by a tensor of type fp32", x="fp32")
def counted_by_a_float(x):
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    ring.wait(x)  # <- error


@refused(errors.InvalidRing, "fill opens a block")
def fill_without_with():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    ring.fill(0)  # <- error


@refused(errors.InvalidRing, "TMA load into a slot that was not acquired for TMA", x=DESCRIPTOR)
def tma_into_a_stored_ring(x):
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler="local_store")
    with ring.fill(0) as slot:
        slot.load(x, slot.a, [0, 0])  # <- error


@refused(errors.InvalidRing, "TMA load into a slot that was not acquired for TMA", x=DESCRIPTOR)
def tma_into_a_slot_in_use(x):
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    with ring.use(0) as slot:
        slot.load(x, slot.a, [0, 0])  # <- error


@refused(errors.ShapeMismatch, "the descriptor's block is 64x64, the buffer is 64x32", x=DESCRIPTOR)
def wrong_block(x):
    ring = tlx.ring(a=((64, 32), tl.float16), stages=2)
    with ring.fill(0) as slot:
        slot.load(x, slot.a, [0, 0])  # <- error


@refused(errors.NotARingBuffer, "this slot has no 'b'")
def unknown_buffer():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    with ring.use(0) as slot:
        slot.b  # <- error


@refused(errors.IndexOutOfRange, "index 2 is outside the 2 buffers")
def buffer_out_of_range():
    ring = tlx.ring(a=((64, 64), tl.float16, 2), stages=2)
    with ring.use(0) as slot:
        tlx.local_load(slot.a[2])  # <- error


# --- tasks ---


@refused(errors.RingTaskMismatch, "2 tasks release a ring declared with consumers=1")
def more_consumers_than_declared():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler="local_store")
    with tlx.async_tasks():
        with tlx.async_task("default", replicate=2):
            with ring.use(0) as slot:  # <- error
                tlx.local_load(slot.a)
        with tlx.async_task(num_warps=4):
            with ring.fill(0) as slot:
                tlx.local_store(slot.a, tl.zeros((64, 64), tl.float16))


@refused(errors.RingTaskMismatch, "1 task releases a ring declared with consumers=2")
def fewer_consumers_than_declared():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, consumers=2, filler="local_store")
    with tlx.async_tasks():
        with tlx.async_task("default"):
            with ring.use(0) as slot:  # <- error
                tlx.local_load(slot.a)
        with tlx.async_task(num_warps=4):
            with ring.fill(0) as slot:
                tlx.local_store(slot.a, tl.zeros((64, 64), tl.float16))


@refused(errors.RingTaskMismatch, "2 tasks fill a ring declared with producers=1", x=DESCRIPTOR)
def fill_in_a_consumer(x):
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            with ring.fill(0) as slot:
                tlx.local_load(slot.a)
        with tlx.async_task(num_warps=1):
            with ring.fill(0) as slot:  # <- error
                slot.load(x, slot.a, [0, 0])


@refused(errors.RingTaskMismatch, "1 task releases a ring declared with consumers=2")
def two_consumers_without_tasks():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, consumers=2)
    with ring.use(0) as slot:  # <- error
        tlx.local_load(slot.a)


@tlx.jit
def release_in_a_helper(ring):
    ring.release(0)  # <- error


@refused(errors.RingOrder, "this task calls release on a ring, but never wait", marked=release_in_a_helper)
def release_without_wait():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            ring.wait(0)
        with tlx.async_task(num_warps=4):
            release_in_a_helper(ring)


@refused(errors.RingOrder, "this task calls commit on a ring, but never acquire")
def commit_without_acquire():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            ring.wait(0)
        with tlx.async_task(num_warps=1):
            ring.commit(0)  # <- error


# --- rings that threads fill by cp.async ---


@refused(errors.InvalidRing, 'filler="cp.async" without filler_warps: each thread of the filling task arrives')
def copies_by_unknown_threads():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler="cp.async")  # <- error


@refused(errors.InvalidRing, "filler_warps=4 with filler='tma', which arrives once for each task")
def warps_of_tma():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler_warps=4)  # <- error


@refused(errors.RingTaskMismatch, "1 warps x 32 = 32 threads arrive, the ring is declared with filler_warps=4 x 32")
def copied_by_other_warps():
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler="cp.async", filler_warps=4)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            with ring.use(0) as slot:
                tlx.local_load(slot.a)
        with tlx.async_task(num_warps=1):
            with ring.fill(0) as slot:  # <- error
                tlx.local_load(slot.a)


@refused(errors.InvalidRing, "TMA load into a slot that was not acquired for TMA", x=DESCRIPTOR)
def tma_into_a_copied_ring(x):
    ring = tlx.ring(a=((64, 64), tl.float16), stages=2, filler="cp.async", filler_warps=4)
    with ring.fill(0) as slot:
        slot.load(x, slot.a, [0, 0])  # <- error
