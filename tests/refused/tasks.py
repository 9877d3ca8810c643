"""Budgets and tasks."""

# ruff: noqa: B007, F841 -- names that a kernel leaves unused make it readable

import triton
import triton.language as tl

import tlx
from tlx import errors

from .case import refused

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


@refused(errors.InvalidTask, "async_tasks takes no positional arguments")
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


@refused(errors.InvalidTask, "exclusive is 1, it must be True or False")
def exclusive_as_a_number():
    with tlx.async_tasks(exclusive=1):  # <- error
        with tlx.async_task("default"):
            pass


@refused(errors.InvalidTask, "mbarrier_try_wait_suspend_ns is -1, it must be an integer of at least 0")
def negative_suspension():
    with tlx.async_tasks(mbarrier_try_wait_suspend_ns=-1):  # <- error
        with tlx.async_task("default"):
            pass


@refused(errors.InvalidTask, "async_tasks(exclusive=True) in a kernel of 2 async_tasks")
def exclusive_with_another():
    with tlx.async_tasks(exclusive=True):  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=1):
            pass
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=1):
            pass


@refused(errors.InvalidTask, "warp_group_start_id is -4, it must be an integer of at least 0")
def negative_start():
    with tlx.async_tasks():
        with tlx.async_task(num_warps=4, warp_group_start_id=-4):  # <- error
            pass


@refused(errors.InvalidTask, "some tasks have a warp_group_start_id and others don't")
def start_of_some_tasks():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4, warp_group_start_id=4):
            pass
        with tlx.async_task(num_warps=4):
            pass


@refused(errors.InvalidTask, "task 1 of 4 warps takes warps 2..5, the default task takes 0..3: they overlap")
def start_in_the_default_task():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4, warp_group_start_id=2):
            pass


@refused(errors.InvalidTask, "task 2 of 4 warps takes warps 6..9, task 1 of 2 x 2 warps takes 4..7: they overlap")
def overlapping_starts():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=2, replicate=2, warp_group_start_id=4):
            pass
        with tlx.async_task(num_warps=4, warp_group_start_id=6):
            pass


@refused(errors.InvalidTask, "async_task([ids]) is TLX's older form")
def tasks_by_ids():
    with tlx.async_tasks():
        with tlx.async_task([0]):  # <- error
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


@refused(errors.InvalidWarpCount, "the launch gives the default task 2 warps", options={"num_warps": 2})
def default_task_of_half_a_warp_group():
    with tlx.async_tasks():  # <- error
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4):
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


@refused(errors.TensorCapture, "a task uses 'bias', a register tensor of 64 fp32 computed outside, in line ", y="*fp32")
def captured_tensor(y):
    bias = tl.load(y + tl.arange(0, 64))
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y + tl.arange(0, 64), bias)  # <- error
        with tlx.async_task(num_warps=1):
            pass


@refused(errors.TensorCapture, "a task uses 'total'", y="*fp32")
def captured_tensor_that_a_task_changes(y):
    total = tl.load(y + tl.arange(0, 64))
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for i in range(4):
                total += i  # <- error
            total = tl.zeros((64,), tl.float32)
        with tlx.async_task(num_warps=1):
            pass


@refused(errors.TensorCapture, "a task uses 'pair'", y="*fp32")
def captured_tensor_in_a_tuple(y):
    pair = (1, tl.load(y + tl.arange(0, 64)))
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y + tl.arange(0, 64), pair[1])  # <- error
        with tlx.async_task(num_warps=1):
            pass
