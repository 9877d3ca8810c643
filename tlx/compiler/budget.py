"""Budgets of a CTA: shared memory, registers, threads. All are known before ptxas runs."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import RegisterFileExceeded, SharedMemoryExceeded, TooManyThreads
from .targets import Target
from .task_context import Allocation, KernelState

__all__ = ["TaskDemand", "check_registers", "check_shared_memory", "check_threads", "default_task_registers"]


# --- shared memory ---


def check_shared_memory(kernel: KernelState) -> None:
    """Raises SharedMemoryExceeded with the sum and the longest rings that fit."""
    total = sum(a.bytes for a in kernel.allocations)
    limit = kernel.target.shared_bytes
    if total > limit:
        raise shared_memory_exceeded(kernel.allocations, total, kernel.target)


def shared_memory_exceeded(allocations: list[Allocation], total: int, target: Target) -> SharedMemoryExceeded:
    """The error for buffers of `total` bytes, scratch of the compiler included."""
    parts = [f"{a.name or 'unnamed'} {a.bytes:,}" for a in allocations]
    scratch = total - sum(a.bytes for a in allocations)
    if scratch:
        parts.append(f"compiler's scratch {scratch:,}")
    largest = max(allocations, key=lambda a: a.bytes)
    return SharedMemoryExceeded(
        f"{' + '.join(parts)} = {total:,} B of shared memory, {target.name} has {target.shared_bytes:,} B",
        hint=stages_that_fit(allocations, scratch, largest, target.shared_bytes),
        location=largest.location,
    )


def stages_that_fit(allocations: list[Allocation], scratch: int, largest: Allocation, limit: int) -> str:
    """How long the largest ring, and with it every ring of the same length, may be."""
    same = [a for a in allocations if a.slots == largest.slots and a.slots > 1]
    if not same:
        return "make the largest buffers smaller"
    fixed = scratch + sum(a.bytes for a in allocations if a not in same)
    fit = (limit - fixed) // sum(a.bytes_per_slot for a in same)
    names = ", ".join(a.name or "unnamed" for a in same)
    if fit < 1:
        return f"not even 1 stage of {names} fits; make the blocks smaller"
    return f"at most {fit} stages of {names} fit"


# --- registers and threads ---


@dataclass(frozen=True)
class TaskDemand:
    """Warps and registers that one task other than the default asks for."""

    num_warps: int
    registers: int | None


def padded_warps(default_warps: int, tasks: list[TaskDemand], target: Target) -> int:
    """Warps of the CTA: the tasks' together, filled up to whole warp groups, on top of the default task's."""
    group = target.warp_group
    asked = sum(task.num_warps for task in tasks)
    return default_warps + -(-asked // group) * group


def check_threads(default_warps: int, tasks: list[TaskDemand], target: Target) -> None:
    """Raises TooManyThreads."""
    warps = padded_warps(default_warps, tasks, target)
    if warps * target.warp_size > target.threads:
        sizes = " + ".join(str(task.num_warps) for task in tasks)
        raise TooManyThreads(
            f"default task {default_warps} + tasks {sizes} warps, filled up to {warps} = "
            f"{warps * target.warp_size:,} threads; a CTA of {target.name} has at most {target.threads:,}",
            hint="use fewer or smaller tasks",
        )


def warp_groups(tasks: list[TaskDemand], target: Target) -> list[int]:
    """The largest request in each warp group.

    As stock `allocate_warp_groups` does it: tasks are placed by falling size, small ones share a group, and a group
    of hardware has one register count. The filler that completes the last group asks for the least.
    """
    group, requests = target.warp_group, []
    room = 0
    for task in sorted(tasks, key=lambda t: -t.num_warps):
        asked = task.registers or target.register_range[0]
        if task.num_warps >= group:
            requests += [asked] * (task.num_warps // group)
        elif room >= task.num_warps:
            requests[-1] = max(requests[-1], asked)
            room -= task.num_warps
        else:
            requests.append(asked)
            room = group - task.num_warps
    return requests


def default_task_registers(
    default_warps: int, tasks: list[TaskDemand], maxnreg: int | None, target: Target
) -> tuple[int, int, int]:
    """Registers per thread left for the default task, those in the pool, and those that the other tasks take."""
    threads = padded_warps(default_warps, tasks, target) * target.warp_size
    step = target.register_step
    per_thread = maxnreg or target.registers // threads // step * step
    pool = per_thread * threads
    group_threads = target.warp_group * target.warp_size
    taken = sum(requests * group_threads for requests in warp_groups(tasks, target))
    left = (pool - taken) // (default_warps * target.warp_size)
    return left // step * step, pool, taken


def check_registers(default_warps: int, tasks: list[TaskDemand], maxnreg: int | None, target: Target) -> None:
    """Raises RegisterFileExceeded where Triton would silently drop every request."""
    if all(task.registers is None for task in tasks):
        return
    left, pool, taken = default_task_registers(default_warps, tasks, maxnreg, target)
    least = target.register_range[0]
    if left >= least:
        return
    groups = " + ".join(
        f"{requests} x {target.warp_group * target.warp_size}" for requests in warp_groups(tasks, target)
    )
    raise RegisterFileExceeded(
        f"the tasks ask for {groups} = {taken:,} registers of {pool:,}; that leaves {left} for each thread of the "
        f"default task of {default_warps} warps, which needs at least {least}",
        hint="ask for fewer registers in the largest tasks",
    )
