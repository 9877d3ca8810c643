"""Small kernels that tlx refuses, each with the line that is to blame.

`docs/errors.md` shows the first one of each class.
"""

# ruff: noqa: B007, F841 -- the names that they leave unused are what makes them readable

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import triton
import triton.language as tl

import tlx
from tlx import errors
from tlx.compiler.jit import TLXFunction
from tlx.errors import LanguageError

MARK = "# <- error"
BLOCK = "tensordesc<fp16[64, 64]>"


@dataclass(frozen=True)
class Refused:
    """A kernel that is refused.

    Args:
        error: the class of the error.
        text: what its message says.
        kernel: the kernel.
        signature: types of its run-time arguments.
        options: launch options.
        marked: the function that holds the marked line: the kernel or a helper.
        constexprs: values of its compile-time arguments.
    """

    error: type[LanguageError]
    text: str
    kernel: TLXFunction
    signature: dict[str, str]
    options: dict[str, Any]
    marked: Callable
    constexprs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.error.__name__}-{self.kernel.__name__}"

    @property
    def line(self) -> int:
        """The marked line of the file."""
        lines, start = inspect.getsourcelines(self.marked)
        (offset,) = [i for i, line in enumerate(lines) if MARK in line]
        return start + offset


CASES: list[Refused] = []


def refused(error: type[LanguageError], text: str, *, marked=None, constexprs=None, options=None, **signature: str):
    """Declares a kernel that is refused."""

    def declare(fn: Callable) -> TLXFunction:
        kernel = tlx.jit(fn)
        where = marked.fn if marked is not None else fn
        CASES.append(Refused(error, text, kernel, signature, options or {}, where, constexprs or {}))
        return kernel

    return declare


# --- budgets ---


@refused(
    errors.SharedMemoryExceeded,
    "a 81,920 + b 163,840 + full 40 = 245,800 B of shared memory, sm_90 has 232,448 B",
    constexprs={"STAGES": 5},
)
def rings_too_long(STAGES: tl.constexpr):
    a = tlx.local_alloc((128, 64), tl.float16, STAGES)
    b = tlx.local_alloc((64, 256), tl.float16, STAGES)  # <- error
    full = tlx.alloc_barriers(STAGES)
    tlx.barrier_arrive(full[0])


@refused(errors.RegisterFileExceeded, "256 x 128 + 256 x 128 = 65,536 registers of 64,512")
def too_many_registers():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4, registers=256, replicate=2):
            pass


@refused(errors.TooManyThreads, "default task 4 + tasks 16 + 16 warps, filled up to 36 = 1,152 threads")
def too_many_threads():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=16, replicate=2):
            pass


# --- tasks ---


@refused(errors.InvalidTask, "only tasks may stand inside async_tasks")
def statement_between_tasks():
    with tlx.async_tasks():
        n = 1  # <- error
        with tlx.async_task("default"):
            pass


@refused(errors.InvalidTask, "must be decided at compile time", n="i32")
def run_time_if_between_tasks(n):
    with tlx.async_tasks():
        if n > 0:  # <- error
            with tlx.async_task("default"):
                pass


@refused(errors.InvalidTask, "only `with async_task(...)` may stand inside async_tasks")
def tasks_directly_inside_tasks():
    with tlx.async_tasks():
        with tlx.async_tasks():  # <- error
            pass


@refused(errors.InvalidTask, "async_tasks inside a task")
def tasks_inside_a_task():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            with tlx.async_tasks():  # <- error
                with tlx.async_task("default"):
                    pass


@triton.jit
def opens_tasks():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass


@refused(errors.InvalidTask, "async_tasks inside a task", marked=opens_tasks)
def tasks_inside_a_task_by_a_helper():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            opens_tasks()


@refused(errors.InvalidTask, "shares its `with` with another item")
def two_items_in_one_with():
    with tlx.async_tasks(), tlx.async_task("default"):  # <- error
        pass


@refused(errors.InvalidTask, "async_tasks takes no arguments")
def tasks_with_arguments():
    with tlx.async_tasks(4):  # <- error
        with tlx.async_task("default"):
            pass


@refused(errors.InvalidTask, "async_task is used outside of `with async_tasks():`")
def task_without_tasks():
    with tlx.async_task("default"):  # <- error
        pass


@refused(errors.InvalidTask, "async_tasks is used outside of a `with` statement")
def tasks_without_with():
    tlx.async_tasks()  # <- error


@refused(errors.InvalidTask, "only calls of functions declared with @tlx.task")
def call_of_no_task():
    with tlx.async_tasks():
        opens_tasks()  # <- error


@refused(errors.InvalidTask, "async_task has no option warps")
def unknown_option():
    with tlx.async_tasks():
        with tlx.async_task(warps=4):  # <- error
            pass


@refused(errors.InvalidTask, 'takes only "default" as a positional argument')
def positional_argument():
    with tlx.async_tasks():
        with tlx.async_task(4):  # <- error
            pass


@refused(errors.InvalidTask, "two spellings of one option")
def registers_twice():
    with tlx.async_tasks():
        with tlx.async_task(num_warps=4, registers=24, num_regs=24):  # <- error
            pass


@refused(errors.InvalidTask, "the default task runs on the kernel's own warps")
def warps_of_the_default_task():
    with tlx.async_tasks():
        with tlx.async_task("default", num_warps=4):  # <- error
            pass


@refused(errors.InvalidTask, "needs num_warps")
def task_without_warps():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(registers=24):  # <- error
            pass


@refused(errors.InvalidTask, "replicate is 0")
def no_replica():
    with tlx.async_tasks():
        with tlx.async_task(num_warps=4, replicate=0):  # <- error
            pass


@refused(errors.InvalidTask, "outside of a task", y="*i32")
def replica_id_outside(y):
    tl.store(y, tlx.async_task_replica_id())  # <- error


@refused(errors.DefaultTaskError, "no default task")
def no_default_task():
    with tlx.async_tasks():  # <- error
        with tlx.async_task(num_warps=4):
            pass


@refused(errors.DefaultTaskError, "2 default tasks")
def two_default_tasks():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task("default"):  # <- error
            pass


@refused(errors.InvalidWarpCount, "num_warps is 3, it must be a power of two")
def three_warps():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=3):  # <- error
            pass


@refused(errors.InvalidWarpCount, "async_dot in a task of 2 warps: wgmma is issued by whole groups of 4")
def mma_in_two_warps():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=2):
            tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.InvalidRegisterCount, "registers is 100, sm_90 takes multiples of 8 from 24 to 256")
def hundred_registers():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4, registers=100):  # <- error
            pass


@refused(errors.InvalidRegisterCount, "some tasks ask for registers and others don't")
def registers_of_some_tasks():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4, registers=40):
            pass
        with tlx.async_task(num_warps=4):
            pass


@refused(errors.ReturnInTask, "return inside a task", n="i32")
def return_in_a_task(n):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            if n > 0:
                return  # <- error


@refused(errors.TensorCapture, "a task uses 'bias', a register tensor", y="*fp32")
def captured_tensor(y):
    bias = tl.load(y + tl.arange(0, 64))
    with tlx.async_tasks():
        with tlx.async_task("default"):  # <- error
            tl.store(y + tl.arange(0, 64), bias)
        with tlx.async_task(num_warps=1):
            pass


@refused(errors.TensorCapture, "a task uses 'pair'", y="*fp32")
def captured_tensor_in_a_tuple(y):
    pair = (1, tl.load(y + tl.arange(0, 64)))
    with tlx.async_tasks():
        with tlx.async_task("default"):  # <- error
            tl.store(y + tl.arange(0, 64), pair[1])
        with tlx.async_task(num_warps=1):
            pass


# --- control flow ---


@refused(errors.InvalidLoop, "x changes its type: int32 becomes fp32", n="i32", y="*fp32")
def changing_element_type(n, y):
    x = 0
    for i in range(n):  # <- error
        x = x + 1.5
    tl.store(y, x)


@refused(errors.InvalidLoop, "tile changes its type", n="i32")
def changing_shape(n):
    tile = tl.zeros((16, 16), tl.float32)
    while n > 0:  # <- error
        tile = tl.zeros((16, 32), tl.float32)
        n -= 1


@refused(errors.InvalidLoop, "x after `if` changes its type", n="i32", y="*fp32")
def changing_in_a_branch(n, y):
    if n > 0:  # <- error
        x = tl.zeros((16,), tl.float32)
    else:
        x = tl.zeros((32,), tl.float32)
    tl.store(y, tl.sum(x))


@refused(errors.InvalidLoop, "bounds and step must be integer scalars")
def float_bound():
    for _ in tl.range(0, 1.5):  # <- error
        pass


@refused(errors.InvalidLoop, "COUNT is a compile-time constant outside of the loop", n="i32")
def constant_assigned_in_a_loop(n):
    COUNT: tl.constexpr = 0
    for _ in range(n):  # <- error
        COUNT = n


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


@refused(errors.InvalidBarrier, "no fence has the scope 'cluster'")
def unknown_fence():
    tlx.fence("cluster")  # <- error


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


# --- MMA ---


@refused(errors.InvalidMMA, "M is 32, a task of 4 warps takes multiples of 64")
def too_few_rows():
    a = tlx.local_alloc((32, 64), tl.float16, 1)
    b = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.InvalidMMA, "N is 512, it must be a multiple of 8 from 8 to 256")
def too_many_columns():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((64, 512), tl.float16, 1)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.InvalidMMA, "K is 8, for fp16 it must be a multiple of 16 (32 bytes)")
def too_small_k():
    b = tlx.local_alloc((8, 64), tl.float16, 1)
    tlx.async_dot(tl.zeros((64, 8), tl.float16), b[0])  # <- error


@refused(errors.InvalidMMA, "fp8e5 operands must be K-major: A stored [M, K], B stored [N, K]")
def eight_bits_not_k_major():
    a = tlx.local_alloc((64, 64), tl.float8e5, 1)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.InvalidMMA, "the tensor cores take no int16 x int16")
def operand_type_of_no_mma():
    a = tlx.local_alloc((64, 64), tl.int16, 1)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.InvalidMMA, "async_dot takes matrices")
def vector_operand():
    a = tlx.local_alloc((64,), tl.float16, 1)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores may still be writing it", y="*fp32")
def added_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    acc = acc + 1.0  # <- error
    acc = tlx.async_dot_wait(0, acc)


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def method_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    acc.to(tl.float16)  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def summed_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    tl.store(y, tl.sum(acc))  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def operand_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    tlx.async_dot(acc, a[0])  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def newer_of_two_after_a_wait_for_the_older(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    first = tlx.async_dot(a[0], a[0])
    second = tlx.async_dot(a[0], a[0])
    first = tlx.async_dot_wait(1, first)
    tl.store(y, tl.sum(first + second))  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", n="i32", y="*fp32")
def carried_out_of_a_loop(n, y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tl.zeros((64, 64), tl.float32)
    for _ in range(n):
        acc = tlx.async_dot(a[0], a[0], acc)
    tl.store(y, tl.max(tl.exp2(acc)))  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", n="i32", y="*fp32")
def older_than_the_wait_only_on_one_path(n, y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    first = tlx.async_dot(a[0], a[0])
    if n > 0:
        second = tlx.async_dot_wait(0, tlx.async_dot(a[0], a[0]))
        tl.store(y, tl.sum(second))
    first = tlx.async_dot_wait(1, first)
    first *= 2  # <- error


# --- helpers ---


@triton.jit
def inner(buffer):
    tlx.barrier_wait(buffer, 0)  # <- error


@tlx.jit
def outer(buffer):
    inner(buffer)


@refused(errors.NotABarrier, "barrier_wait takes an mbarrier", marked=inner)
def through_two_helpers():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    outer(a[0])
