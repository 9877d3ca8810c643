"""Warp groups: the regions of code that run at the same time on warps of their own.

`async_tasks` and `async_task` are read from the syntax tree (`tlx.compiler.tasks`); here they are declared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import triton.language as tl
from triton.language.core import builtin

from ..compiler.jit import TLXFunction
from ..errors import InvalidTask

__all__ = ["TaskFunction", "TaskOptions", "async_task", "async_task_replica_id", "async_tasks", "task"]


@dataclass(frozen=True)
class TaskOptions:
    """What a task asks for.

    Args:
        default: whether it runs on the kernel's own warps.
        num_warps: warps of its own; None for the default task.
        registers: 32-bit registers per thread; None leaves the choice to the compiler.
        replicate: number of copies, each traced with a replica id of its own.
        warp_group_start_id: first warp of the first copy; the others follow.
    """

    default: bool = False
    num_warps: int | None = None
    registers: int | None = None
    replicate: int = 1
    warp_group_start_id: int | None = None


def async_tasks(exclusive=False, no_ending_cluster_sync=False, mbarrier_try_wait_suspend_ns=None, **options):
    """Opens a region of tasks that run at the same time: `with tlx.async_tasks():`.

    The body holds only `with tlx.async_task(...)` blocks, calls of functions declared with `tlx.task`, and
    compile-time `if`s around them. Exactly one is the default task. Names assigned in a task are not visible
    outside; values used in a task are captured, register tensors excepted. The region ends when all tasks have.

    The arguments are TLX's. Stock Triton can honour none of them: they are checked, and reported once as ignored.

    Args:
        exclusive: promises that the kernel has no other region of tasks.
        no_ending_cluster_sync: promises that the author orders what follows the region.
        mbarrier_try_wait_suspend_ns: how long a wait may sleep, in nanoseconds.
        options: whatever else TLX knows.

    Raises DefaultTaskError, InvalidTask, InvalidWarpCount, InvalidRegisterCount, RegisterFileExceeded,
    TooManyThreads, ReturnInTask, TensorCapture. sm_90. Lowers to `ttg.warp_specialize`.
    """
    raise InvalidTask("async_tasks is used outside of a `with` statement of a tlx-jitted function")


def async_task(*args, num_warps=None, registers=None, num_regs=None, replicate=1, warp_group_start_id=None):
    """One task: `with tlx.async_task("default"):` or `with tlx.async_task(num_warps=4, registers=240):`.

    Args:
        args: "default" for the task that runs on the kernel's own warps.
        num_warps: warps of the task, a power of two.
        registers: registers per thread (PTX `setmaxnreg`), a multiple of 8 from 24 to 256; all tasks but the default
            one ask or none does. The default task gets what the others leave.
        num_regs: another spelling of `registers`.
        replicate: number of copies; `async_task_replica_id` tells them apart.
        warp_group_start_id: first warp of the first copy, for all tasks on warps of their own or for none. Checked
            for overlaps, and reported once as ignored: Triton places tasks itself, the largest first.
    """
    raise InvalidTask("async_task is used outside of `with async_tasks():`")


async_tasks.__triton_builtin__ = True
async_task.__triton_builtin__ = True


@builtin
def async_task_replica_id(_semantic=None):
    """Number of the replica of the task being traced, a compile-time integer from 0.

    Raises InvalidTask outside of tasks.
    """
    if not _semantic.task.in_task:
        raise InvalidTask("async_task_replica_id is called outside of a task")
    return tl.constexpr(_semantic.task.replica)


class TaskFunction(TLXFunction):
    """A function that is a task: called inside `async_tasks()`, it runs on warps of its own."""

    def __init__(self, fn: Callable, options: TaskOptions):
        super().__init__(fn)
        self.options = options


def task(
    name: str | None = None,
    *,
    num_warps: int | None = None,
    registers: int | None = None,
    replicate: int = 1,
    warp_group_start_id: int | None = None,
) -> Callable[[Callable], TaskFunction]:
    """Declares a function to be a task; calling it inside `async_tasks()` equals a `with async_task(...)` block.

    Args:
        name: "default" for the task that runs on the kernel's own warps.
        num_warps: warps of the task, a power of two.
        registers: registers per thread.
        replicate: number of copies.
        warp_group_start_id: first warp of the first copy.
    """
    args = (name,) if name else ()

    def declare(fn: Callable) -> TaskFunction:
        return TaskFunction(fn, task_options(args, num_warps, registers, None, replicate, warp_group_start_id))

    return declare


def task_options(
    args: tuple, num_warps: Any, registers: Any, num_regs: Any, replicate: Any, warp_group_start_id: Any = None
) -> TaskOptions:
    """The options of a task as written, checked for sense but not yet against the target."""
    if len(args) == 1 and isinstance(args[0], list | tl.tuple):
        raise InvalidTask(
            "async_task([ids]) is TLX's older form, for tasks outside of a region",
            hint='write `with async_task("default"):` or `with async_task(num_warps=4):` inside `with async_tasks():`',
        )
    if args not in ((), ("default",)):
        raise InvalidTask(f'async_task takes only "default" as a positional argument, not {args}')
    if registers is not None and num_regs is not None:
        raise InvalidTask("registers and num_regs are two spellings of one option; give one")
    default = bool(args)
    if default and num_warps is not None:
        raise InvalidTask("the default task runs on the kernel's own warps", "give num_warps to the launch")
    if not default and num_warps is None:
        raise InvalidTask("a task other than the default one needs num_warps")
    if isinstance(replicate, bool) or not isinstance(replicate, int) or replicate < 1:
        raise InvalidTask(f"replicate is {replicate!r}, it must be an integer of at least 1")
    start = warp_group_start_id
    if start is not None and (isinstance(start, bool) or not isinstance(start, int) or start < 0):
        raise InvalidTask(f"warp_group_start_id is {start!r}, it must be an integer of at least 0")
    return TaskOptions(default, num_warps, registers if registers is not None else num_regs, replicate, start)
