"""The barrier of the cluster: it waits for every warp of every CTA, also for those that run no task."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.model import Module, Op
from ..analysis.counts import Counter
from ..analysis.expressions import constant
from ..analysis.tasks import DEFAULT, Place, places_of
from ..findings import Finding
from .context import Context, undecided
from .rules import CLUSTER_SYNC

__all__ = ["syncs"]

_ARRIVE = "nvvm.cluster.arrive"
_TASKS = "ttg.warp_specialize"


def syncs(context: Context) -> Iterator[Finding]:
    """Syncs outside of the tasks, and tasks of one `warp_specialize` that don't sync equally often."""
    regions = context.ops(_TASKS)
    places = [place for place in places_of(context.module) if place.op.name == _ARRIVE]
    if not regions or not places:
        return
    for place in places:
        if _tasks_around(place) is None:
            what = "the cluster is synced outside of the tasks, where the warps of the tasks never come"
            yield _finding(what, place, "sync at the start or the end of every task")
    for tasks in regions:
        own = [place for place in places if _tasks_around(place) is tasks]
        if own:
            yield from _compared(context, tasks, own)
            yield from _idle(context.module, tasks, own[0])


def _compared(context: Context, tasks: Op, places: list[Place]) -> Iterator[Finding]:
    counter = Counter(context.values)
    names = [DEFAULT, *(region.name for region in tasks.regions[1:])]
    counts = dict.fromkeys(names, constant(0))
    for place in places:
        inside = place.path[next(i for i, step in enumerate(place.path) if step.op is tasks) + 1 :]
        counts[place.task] += counter.executions(inside)
    most = max(counts, key=lambda task: sum(place.task == task for place in places))
    at = next(place for place in places if place.task == most)
    for region, task in zip(tasks.regions, names):
        difference = counts[most] - counts[task]
        if difference == constant(0):
            continue
        if len(region.entry.ops) == 1 and task != DEFAULT:
            what = f"{task}, warps that only fill up a warp group, never syncs the cluster, but {most} does"
            yield _finding(what, at, "give each task a multiple of 4 warps, or add tasks that only sync")
        elif counts[task] == constant(0) or difference.is_constant:
            times = "never" if counts[task] == constant(0) else "another number of times"
            yield _finding(f"{most} syncs the cluster and {task} {times}", at, "let every task come to every sync")
        else:
            reason = f"the syncs of {most} and {task} stand under conditions or in loops that can't be compared"
            yield undecided(CLUSTER_SYNC, reason, at.op, task)


def _idle(module: Module, tasks: Op, at: Place) -> Iterator[Finding]:
    """Warps that another, larger set of tasks needs, and that run none of these."""
    running = module.attributes["ttg.num-warps"] + sum(tasks.attributes["num_warps"])
    idle = module.attributes.get("ttg.total-num-warps", running) - running
    if idle > 0:
        yield _finding(f"{idle} warps run none of the tasks and never sync the cluster", at, "add tasks that only sync")


def _tasks_around(place: Place) -> Op | None:
    return next((step.op for step in place.path if step.op is not None and step.op.name == _TASKS), None)


def _finding(what: str, place: Place, hint: str) -> Finding:
    return Finding(CLUSTER_SYNC, f"{what}: everyone waits for ever", place.op.location, group=place.task, hint=hint)
