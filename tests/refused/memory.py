"""Buffers, barriers, shapes and element types."""

# ruff: noqa: B007, F841 -- names that a kernel leaves unused make it readable

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

BLOCK = "tensordesc<fp16[64, 64]>"


# --- buffers ---


@refused(errors.InvalidBuffer, "shape is 48x64, each dimension must be a power of two")
def odd_shape():
    tlx.local_alloc((48, 64), tl.float16, 1)  # <- error


@refused(errors.InvalidBuffer, "num is 0, it must be at least 1")
def empty_ring():
    tlx.local_alloc((64, 64), tl.float16, 0)  # <- error


@refused(errors.InvalidBuffer, "num must be a compile-time integer", n="i32")
def ring_of_run_time_length(n):
    tlx.local_alloc((64, 64), tl.float16, n)  # <- error


@refused(errors.InvalidBuffer, "dtype must be an element type, not 16")
def no_element_type():
    tlx.local_alloc((64, 64), 16, 1)  # <- error


@refused(errors.InvalidBuffer, "allocated inside a task, helper, loop or branch")
def allocated_in_a_task():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.local_alloc((64, 64), tl.float16, 1)  # <- error


@refused(errors.InvalidBuffer, "allocated inside a task, helper, loop or branch", n="i32")
def allocated_in_a_loop(n):
    for _ in range(n):
        tlx.alloc_barriers(1)  # <- error


@refused(errors.InvalidBuffer, "this is one slot already, not a ring")
def slot_of_a_slot():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    a[0][0]  # <- error


@refused(errors.InvalidBuffer, "storage is 'gmem', only shared memory can be allocated")
def unknown_storage():
    tlx.local_alloc((64,), tl.float16, 1, "gmem")  # <- error


@refused(errors.NotABuffer, "local_load's src must be a shared buffer, not a mbarrier of type mbarrier")
def barrier_as_buffer():
    bars = tlx.alloc_barriers(1)
    tlx.local_load(bars[0])  # <- error


@refused(errors.NotABuffer, "local_view takes a ring of buffers or barriers, not a tensor", n="i32")
def view_of_a_number(n):
    tlx.local_view(n, 0)  # <- error


@refused(errors.NotABarrier, "barrier_wait takes an mbarrier, not a buffered_tensor")
def buffer_as_barrier():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.barrier_wait(a[0], 0)  # <- error


# --- buffers without local_load ---


@refused(errors.NotATensor, "a buffered_tensor of type 64 fp32 in shared memory is used as a tensor")
def sum_with_a_buffer():
    a = tlx.local_alloc((64,), tl.float32, 2)
    a[0] + 1  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor")
def buffer_behind_the_operator():
    a = tlx.local_alloc((64,), tl.float32, 2)
    total = tl.zeros((64,), tl.float32)
    total += a[1]  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor")
def comparison_with_a_buffer():
    a = tlx.local_alloc((64,), tl.float32, 2)
    positive = a[0] > 0  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor")
def negative_buffer():
    a = tlx.local_alloc((64,), tl.float32, 2)
    -a[0]  # <- error


@refused(errors.NotATensor, "2 x 64 fp32 in shared memory is used as a tensor")
def product_with_a_whole_ring():
    a = tlx.local_alloc((64,), tl.float32, 2)
    2 * a  # <- error


@refused(errors.NotATensor, "a mbarrier of type mbarrier is used as a tensor")
def sum_with_a_barrier():
    bars = tlx.alloc_barriers(1)
    bars[0] + 1  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor", x="*fp32")
def stored_buffer(x):
    a = tlx.local_alloc((64,), tl.float32, 2)
    tl.store(x + tl.arange(0, 64), a[0])  # <- error


@refused(errors.NotATensor, "64 int32 in shared memory is used as a tensor", x="*fp32")
def buffer_as_offsets(x):
    a = tlx.local_alloc((64,), tl.int32, 2)
    tl.load(x + a[0])  # <- error


@refused(errors.NotATensor, "64 int8 in shared memory is used as a tensor", x="*fp32")
def buffer_as_mask(x):
    a = tlx.local_alloc((64,), tl.int8, 1)
    tl.load(x + tl.arange(0, 64), mask=a[0])  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor")
def chosen_buffer():
    a = tlx.local_alloc((64,), tl.float32, 2)
    tl.where(tl.arange(0, 64) > 3, a[0], 0.0)  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor")
def reduced_buffer():
    a = tlx.local_alloc((64,), tl.float32, 2)
    tl.sum(a[0], 0)  # <- error


@refused(errors.NotATensor, "64 fp32 in shared memory is used as a tensor")
def method_of_tensors():
    a = tlx.local_alloc((64,), tl.float32, 2)
    a[0].to(tl.float16)  # <- error


# --- indices ---


@refused(errors.IndexOutOfRange, "index 2 is outside a ring of 2")
def slot_outside_the_ring():
    a = tlx.local_alloc((64, 64), tl.float16, 2)
    a[2]  # <- error


@refused(errors.IndexOutOfRange, "index -1 is outside a ring of 2")
def slot_from_the_end():
    bars = tlx.alloc_barriers(2)
    bars[-1]  # <- error


@refused(errors.IndexOutOfRange, "slice 32:96 leaves the buffer's 0:64")
def slice_outside_the_buffer():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [0, 32], [64, 64])  # <- error


@refused(errors.RingNotIndexed, "local_load's src is a whole ring (2 x 64x64 fp16 in shared memory)")
def whole_ring_of_buffers():
    a = tlx.local_alloc((64, 64), tl.float16, 2)
    tlx.local_load(a)  # <- error


@refused(errors.RingNotIndexed, "barrier_arrive got a whole ring of 2 mbarriers")
def whole_ring_of_barriers():
    bars = tlx.alloc_barriers(2)
    tlx.barrier_arrive(bars)  # <- error


# --- barriers ---


@refused(errors.InvalidBarrier, "arrive_count is 0, it must be at least 1")
def no_arrivals():
    tlx.alloc_barriers(2, arrive_count=0)  # <- error


@refused(errors.InvalidBarrier, "arrive_count is 1048576, an mbarrier counts to 1048575")
def too_many_arrivals():
    tlx.alloc_barriers(2, arrive_count=1 << 20)  # <- error


@refused(errors.InvalidBarrier, "arrives 2 times at once, a phase of this barrier takes 1")
def arrive_too_often():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], 2)  # <- error


@refused(errors.InvalidBarrier, "size must be a compile-time integer", n="i32")
def run_time_bytes(n):
    bars = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(bars[0], n)  # <- error


@refused(errors.InvalidBarrier, "size is 1048576 bytes, an mbarrier counts to 1048575")
def too_many_bytes():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(bars[0], 1 << 20)  # <- error


@refused(errors.InvalidBarrier, "128 threads of this task arrive 1 times each, a phase of this warp barrier takes 64")
def more_threads_than_the_barrier_takes():
    bars = tlx.alloc_warp_barrier(1, num_warps=2)
    tlx.barrier_arrive(bars[0])  # <- error


@refused(errors.InvalidBarrier, "arrive_count is 1048576, an mbarrier counts to 1048575")
def more_warps_than_count():
    tlx.alloc_warp_barrier(1, num_warps=4, num_arrivals=8192)  # <- error


@refused(errors.InvalidBarrier, "no fence has the scope 'cta'")
def unknown_fence():
    tlx.fence("cta")  # <- error


@refused(errors.InvalidBarrier, "barrier 3 is not free for kernels")
def named_barrier_of_triton():
    tlx.named_barrier_wait(3, 128)  # <- error


@refused(errors.InvalidBarrier, "64 threads; it must be a multiple of 32 that holds the 128 threads of this task")
def named_barrier_of_half_a_task():
    tlx.named_barrier_arrive(9, 64)  # <- error


@refused(errors.InvalidPhase, "phase is 2, it must be 0 or 1")
def third_phase():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_wait(bars[0], 2)  # <- error


# --- shapes and element types ---


@refused(errors.ShapeMismatch, "local_store of a 64x32 tensor into 64x64 fp16 in shared memory")
def store_of_another_shape():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_store(a[0], tl.zeros((64, 32), tl.float16))  # <- error


@refused(errors.ShapeMismatch, "the descriptor's block is 64x64, the buffer is 64x32", x=BLOCK)
def load_of_another_shape(x):
    a = tlx.local_alloc((64, 32), tl.float16, 1)
    bars = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], bars[0])  # <- error


@refused(errors.ShapeMismatch, "1 offsets for a descriptor of rank 2", x=BLOCK)
def too_few_offsets(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_descriptor_store(x, a[0], [0])  # <- error


@refused(errors.ShapeMismatch, "A is 64x64, B is 32x64: K differs")
def different_k():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((32, 64), tl.float16, 1)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.ShapeMismatch, "acc is 64x32, A @ B is 64x64")
def accumulator_of_another_shape():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot(a[0], a[0], tl.zeros((64, 32), tl.float32))  # <- error


@refused(errors.ShapeMismatch, "dims [0, 0] is no permutation")
def no_permutation():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_trans(a[0], (0, 0))  # <- error


@refused(errors.DtypeMismatch, "local_store of fp32 into 64x64 fp16 in shared memory")
def store_of_another_type():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_store(a[0], tl.zeros((64, 64), tl.float32))  # <- error


@refused(errors.DtypeMismatch, "the descriptor has fp16, the buffer has bf16", x=BLOCK)
def load_of_another_type(x):
    a = tlx.local_alloc((64, 64), tl.bfloat16, 1)
    bars = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], bars[0])  # <- error


@refused(errors.DtypeMismatch, "A has fp16, B has bf16")
def operands_of_two_types():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((64, 64), tl.bfloat16, 1)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.DtypeMismatch, "acc has fp16, this MMA accumulates in fp32")
def accumulator_of_another_type():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot(a[0], a[0], tl.zeros((64, 64), tl.float16))  # <- error


@refused(errors.DtypeMismatch, "dtype_of takes a tensor, pointer, descriptor or buffer")
def type_of_a_barrier():
    bars = tlx.alloc_barriers(1)
    tlx.dtype_of(bars)  # <- error


@refused(errors.DtypeMismatch, "size_of takes an element type, not 3")
def size_of_a_number():
    tlx.size_of(3)  # <- error


@refused(errors.LayoutMismatch, "the descriptor's 64x32 block is laid out as", x="tensordesc<fp16[64, 32]>")
def slice_swizzled_differently(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    bars = tlx.alloc_barriers(1)
    part = tlx.local_slice(a[0], [0, 32], [64, 32])
    tlx.async_descriptor_load(x, part, [0, 0], bars[0])  # <- error


@refused(errors.NotADescriptor, "async_descriptor_load takes a tensor descriptor, not a tensor", x="*fp16")
def pointer_as_descriptor(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    bars = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], bars[0])  # <- error


@refused(errors.InvalidThreadOp, "axis is 3, it must be 0, 1 or 2")
def fourth_axis():
    tlx.thread_id(3)  # <- error


@refused(errors.InvalidBuffer, "shape is empty")
def buffer_without_dimensions():
    tlx.local_alloc((), tl.float16, 1)  # <- error


@refused(errors.InvalidBuffer, "dtype must be an element type, not pointer<fp16>", x="*fp16")
def buffer_of_pointers(x):
    tlx.local_alloc((64,), x.dtype, 1)  # <- error


@refused(errors.InvalidBuffer, "the index of a ring must be an integer scalar, not 0.5")
def index_between_slots():
    a = tlx.local_alloc((64,), tl.float16, 2)
    a[0.5]  # <- error


@refused(errors.InvalidPhase, "phase must be an integer scalar, not a tensor of type fp32", parity="fp32")
def phase_of_floating_point(parity):
    bars = tlx.alloc_barriers(1)
    tlx.barrier_wait(bars[0], parity)  # <- error


@refused(errors.InvalidPhase, "phase must be an integer scalar, not a buffered_tensor")
def buffer_as_phase():
    a = tlx.local_alloc((64,), tl.int32, 1)
    bars = tlx.alloc_barriers(1)
    tlx.barrier_wait(bars[0], a[0])  # <- error


@refused(errors.InvalidPredicate, "pred must be a scalar condition, not a tensor")
def condition_for_each_lane():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], pred=tl.arange(0, 32) > 3)  # <- error
