"""Where the CTAs of a cluster wait for each other, beside the author's own cluster barriers.

A CTA may reach another one only after that one has started and initialized its barriers, and must not end while a peer
may still reach it. So the compiler puts a barrier of the cluster before and one behind whatever reaches other CTAs.

The hardware's barrier counts every thread of the CTA. Warps that have no task wait in Triton's dispatch loop and never
join, so that in a kernel with tasks both barriers stand in each task, and idle warps get a task that only joins.
Whether a region needs them shows when its tasks have been traced: until then they are stand-ins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ..errors import ClusterSyncMismatch, RemoteOutsideTasks
from ..source import Location
from .late_ops import emit, emit_undecided
from .task_context import ClusterUse, KernelState

__all__ = ["Syncs", "TracedTask", "check_outside_tasks", "check_same_warps", "join_syncs", "straight_barriers"]


@dataclass
class Syncs:
    """Barriers of the cluster that are dropped where nothing reaches other CTAs.

    Args:
        entries: those before what reaches them.
        exits: those behind.
    """

    entries: list[str] = field(default_factory=list)
    exits: list[str] = field(default_factory=list)

    def enter(self, semantic) -> None:
        """Publishes this CTA's barriers and waits until the peers have published theirs."""
        if semantic.task.kernel.cluster is not None:
            self.entries.append(emit_undecided("cluster_entry", semantic))
            semantic.task.cluster_use.entry = self.entries[-1]

    def leave(self, semantic) -> None:
        """Waits until no peer can reach this CTA any more."""
        if semantic.task.kernel.cluster is not None:
            self.exits.append(emit_undecided("cluster_barrier", semantic))

    @property
    def all(self) -> list[str]:
        """Both."""
        return [*self.entries, *self.exits]

    def keep(self, kept: Collection[str], kernel: KernelState) -> None:
        """Drops all but those, when everything between is traced."""
        kernel.dropped.update(name for name in self.all if name not in kept)


@dataclass(frozen=True)
class TracedTask:
    """What one copy of a task does in the cluster, and where it stands."""

    use: ClusterUse
    location: Location


def straight_barriers(tasks: Sequence[TracedTask], idle_warps: int) -> int:
    """How many barriers of the cluster each task joins once and in order; idle warps must join as many.

    Args:
        tasks: the copies of the tasks of one region.
        idle_warps: warps without a task.

    Raises ClusterSyncMismatch where the tasks join other numbers of barriers, or idle warps an unknown one.
    """
    joining = [task for task in tasks if task.use.barriers]
    if not joining:
        return 0
    first = next(iter(joining[0].use.barriers))
    for task in tasks:
        if not task.use.barriers:
            raise ClusterSyncMismatch(
                "cluster_barrier waits for every warp of the cluster's CTAs, but "
                f"{_the_task(task)} never calls it: this hangs",
                hint="call it in every task of the region, or use mbarriers between single tasks",
                location=first,
            )
    counts = {task.use.straight: task for task in tasks if not task.use.conditional}
    if len(counts) > 1:
        (few, fewer), (many, more) = sorted(counts.items(), key=lambda item: item[0])[:2]
        raise ClusterSyncMismatch(
            f"{_the_task(more)} calls cluster_barrier {many} times, {_the_task(fewer)} {few} times: this hangs",
            hint="call it equally often in every task of the region",
            location=first,
        )
    conditional = next((place for task in tasks for place in task.use.conditional), None)
    if idle_warps and conditional is not None:
        raise ClusterSyncMismatch(
            f"cluster_barrier in a loop, a branch or a helper, while {idle_warps} warps of the CTA have no task: they "
            "can't know how often to join",
            hint="let the warps of all tasks but the default one sum up to a multiple of 4",
            location=conditional,
        )
    return next(iter(counts), 0)


def _the_task(task: TracedTask) -> str:
    return f"the task in line {task.location.line}"


def join_syncs(barriers: int, reaches_others: bool, semantic) -> None:
    """What idle warps do: joining as many barriers of the cluster as the tasks."""
    for _ in range(barriers + 2 * reaches_others):
        emit("cluster_barrier", [], None, semantic)


def check_outside_tasks(kernel: KernelState, use: ClusterUse) -> None:
    """Raises where a kernel with tasks waits for its cluster, or reaches other CTAs, outside of them."""
    if not kernel.regions:
        return
    for place in use.barriers:
        raise ClusterSyncMismatch(
            "cluster_barrier outside of the tasks of this kernel: the warps of the other tasks never join, this hangs",
            hint="call it in every task",
            location=place,
        )
    if use.remote is not None:
        raise RemoteOutsideTasks(
            "this kernel has tasks, and reaches another CTA outside of them",
            hint="move it into a task: the compiler makes the tasks of a cluster wait for their peers",
            location=use.remote,
        )


def check_same_warps(kernel: KernelState) -> None:
    """Raises ClusterSyncMismatch if a region that waits for the cluster leaves warps of a larger one without a task."""
    warps = [sum(task.num_warps for task in region.tasks) for region in kernel.regions]
    for region, own in zip(kernel.regions, warps):
        if region.joins_cluster and own < max(warps):
            raise ClusterSyncMismatch(
                f"these tasks have {own} warps besides the default task's and wait for their cluster, other tasks of "
                f"the kernel have {max(warps)}: {max(warps) - own} warps never join",
                hint="give all async_tasks of the kernel as many warps",
                location=region.location,
            )
