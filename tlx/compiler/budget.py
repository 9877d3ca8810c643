"""Budgets of a CTA: shared memory, registers, threads. All are known before ptxas runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import RegisterFileExceeded, SharedMemoryExceeded, TooManyThreads
from ..language.ignored import warn_ignored
from .targets import Target
from .task_context import Allocation, KernelState, RegionDemand, TaskDemand
from .versions import FILLER_REGISTERS

__all__ = ["check_registers", "check_shared_memory", "check_threads", "register_shares", "shared_memory_exceeded"]


# --- shared memory ---


def check_shared_memory(kernel: KernelState) -> None:
    """Raises SharedMemoryExceeded with the sum and the longest rings that fit."""
    total = sum(a.bytes for a in kernel.allocations)
    limit = kernel.target.shared_bytes
    if total > limit:
        raise shared_memory_exceeded(kernel.allocations, total, kernel.target)


def shared_memory_exceeded(allocations: list[Allocation], total: int, target: Target) -> SharedMemoryExceeded:
    """The error for buffers of `total` bytes, scratch of the compiler included; the list is empty where it is lost."""
    if not allocations:
        return SharedMemoryExceeded(
            f"buffers and the compiler's scratch need {total:,} B of shared memory, {target.name} has "
            f"{target.shared_bytes:,} B",
            hint="shorten the rings or make the blocks smaller",
        )
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


def extra_groups(tasks: Sequence[TaskDemand], target: Target) -> int:
    """Warp groups that the tasks fill on top of the default task's."""
    return -(-sum(task.num_warps for task in tasks) // target.warp_group)


def check_threads(default_warps: int, tasks: Sequence[TaskDemand], target: Target) -> None:
    """Raises TooManyThreads."""
    warps = default_warps + extra_groups(tasks, target) * target.warp_group
    if warps * target.warp_size > target.threads:
        sizes = " + ".join(str(task.num_warps) for task in tasks)
        raise TooManyThreads(
            f"default task {default_warps} + tasks {sizes} warps, filled up to {warps} = "
            f"{warps * target.warp_size:,} threads; a CTA of {target.name} has at most {target.threads:,}",
            hint="use fewer or smaller tasks",
        )


def fillers(warps: int) -> Iterator[TaskDemand]:
    """The idle tasks that Triton adds until `warps` more warps are there, the largest first."""
    while warps:
        size = 1 << (warps.bit_length() - 1)
        yield TaskDemand(size, FILLER_REGISTERS)
        warps -= size


def warp_groups(tasks: Sequence[TaskDemand], groups: int, target: Target) -> list[int]:
    """The largest request in each of the `groups` warp groups that the tasks and the fillers share.

    As stock `allocate_warp_groups` does it: tasks are placed by falling size, small ones share a group, and a group
    of hardware has one register count.
    """
    group, requests, room = target.warp_group, [], 0
    tasks = [*tasks, *fillers(groups * group - sum(task.num_warps for task in tasks))]
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


@dataclass(frozen=True)
class RegisterShares:
    """How a region's tasks share the registers of a CTA.

    Args:
        pool: all registers of the CTA.
        requests: registers per thread of each warp group other than the default task's.
        taken: registers that these take together.
        left: registers per thread that the default task gets.
    """

    pool: int
    requests: list[int]
    taken: int
    left: int


def register_shares(kernel: KernelState, region: RegionDemand) -> RegisterShares:
    """The shares in one region; the CTA is as large as the kernel's largest region makes it."""
    target = kernel.target
    step, group_threads = target.register_step, target.warp_group * target.warp_size
    groups = max(extra_groups(other.tasks, target) for other in kernel.regions)
    default_threads = kernel.num_warps * target.warp_size
    threads = default_threads + groups * group_threads
    pool = threads * (kernel.maxnreg or target.registers // threads // step * step)
    requests = warp_groups(region.tasks, groups, target)
    taken = sum(requests) * group_threads
    return RegisterShares(pool, requests, taken, (pool - taken) // default_threads // step * step)


def report_default(region: RegionDemand, left: int, reason: str) -> None:
    """Reports a default task that asks for more registers than it gets."""
    asked = region.default_registers
    if asked is not None and asked > left:
        warn_ignored("async_task", f'registers={asked} of the "default" task', reason, region.location)


def check_registers(kernel: KernelState) -> None:
    """Raises RegisterFileExceeded where Triton would silently drop every request of a region; reports a default task
    that asks for more than the others leave."""
    least = kernel.target.register_range[0]
    group_threads = kernel.target.warp_group * kernel.target.warp_size
    for region in kernel.regions:
        if all(task.registers is None for task in region.tasks):
            report_default(region, 0, "no other task asks for any")
            continue
        shares = register_shares(kernel, region)
        if shares.left >= least:
            report_default(region, shares.left, f"it gets the {shares.left} that the other tasks leave")
            continue
        groups = " + ".join(f"{request} x {group_threads}" for request in shares.requests)
        raise RegisterFileExceeded(
            f"the tasks ask for {groups} = {shares.taken:,} registers of {shares.pool:,}; that leaves "
            f"{max(0, shares.left)} for each thread of the default task of {kernel.num_warps} warps, which needs at "
            f"least {least}",
            hint="ask for fewer registers in the largest tasks",
            location=region.location,
        )
