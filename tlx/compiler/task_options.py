"""Options of `async_tasks` and of its tasks together: what they mean, and which of them stock Triton can't honour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InvalidTask
from ..language.ignored import note_ignored
from ..language.tasks import TaskOptions
from .task_context import KernelState

__all__ = ["check_exclusive", "check_start_ids", "read_region_options"]

NOT_IN_TRITON = "stock Triton has nothing of the kind"


def read_region_options(options: dict[str, Any], semantic) -> bool:
    """Reads the options of `async_tasks`; returns whether the region is the kernel's only one by declaration.

    Raises InvalidTask for values that have no meaning.
    """
    for name in ("exclusive", "no_ending_cluster_sync"):
        if not isinstance(options.get(name, False), bool):
            raise InvalidTask(f"{name} is {options[name]!r}, it must be True or False")
    suspend = options.get("mbarrier_try_wait_suspend_ns")
    if suspend is not None and (isinstance(suspend, bool) or not isinstance(suspend, int) or suspend < 0):
        raise InvalidTask(f"mbarrier_try_wait_suspend_ns is {suspend!r}, it must be an integer of at least 0")
    for name, value in options.items():
        if value is not None and value is not False:
            note_ignored("async_tasks", f"{name}={value!r}", NOT_IN_TRITON, semantic)
    return options.get("exclusive", False)


def check_exclusive(kernel: KernelState) -> None:
    """Raises InvalidTask where a kernel has a region that excludes others, and others."""
    places = {region.location: region for region in kernel.regions}
    exclusive = [place for place, region in places.items() if region.exclusive]
    if exclusive and len(places) > 1:
        raise InvalidTask(
            f"async_tasks(exclusive=True) in a kernel of {len(places)} async_tasks: it promises to be the only one",
            location=exclusive[0],
        )


def check_start_ids(tasks: Sequence[TaskOptions], default_warps: int, note: Callable[[int], None]) -> None:
    """Raises InvalidTask unless all tasks or none say at which warp they start, and their warps don't overlap.

    Args:
        tasks: of one region.
        default_warps: warps of the default task, which starts at 0.
        note: called with a start that is right.
    """
    on_own_warps = [task for task in tasks if not task.default or task.replicate > 1]
    starts = [task.warp_group_start_id for task in on_own_warps]
    if all(start is None for start in starts):
        return
    if None in starts:
        raise InvalidTask(
            "some tasks have a warp_group_start_id and others don't",
            hint="give it to every task on warps of its own, replicas of the default task included",
        )
    taken = [(0, default_warps, "the default task")]
    for number, task in enumerate(on_own_warps, 1):
        copies = task.replicate - 1 if task.default else task.replicate
        warps = default_warps if task.default else task.num_warps
        start, end = task.warp_group_start_id, task.warp_group_start_id + warps * copies
        name = f"task {number} of {copies} x {warps} warps" if copies > 1 else f"task {number} of {warps} warps"
        for other_start, other_end, other in taken:
            if start < other_end and other_start < end:
                raise InvalidTask(
                    f"{name} takes warps {start}..{end - 1}, {other} takes {other_start}..{other_end - 1}: "
                    "they overlap",
                    hint="start each task where the one before it ends",
                )
        taken.append((start, end, name))
    note(starts[0])
