"""The hardware's barrier of a cluster, as the PTX ISA defines `barrier.cluster`.

It waits for every thread of every CTA that hasn't exited. Warps that run no task of a warp-specialized kernel count
too, and never come: workers before and behind the tasks, and those that fill up a task's warp group.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..ir.model import Op
from .agents import Condition, Observer, Signal
from .errors import BarrierMisuse

if TYPE_CHECKING:
    from .cluster import Cluster
    from .cta import CTA
    from .group import WarpGroup

__all__ = ["ClusterBarrier"]

_NOWHERE = None
"""The phase of a warp that hasn't arrived since its last wait."""


class ClusterBarrier:
    """The one barrier of a cluster.

    Args:
        cluster: whose CTAs meet here.
        warps: of each CTA, from its start to its end, whether or not they run a task.
        observer: sees every event.
    """

    full_name = "the cluster barrier"

    def __init__(self, cluster: Cluster, warps: int, observer: Observer):
        self.observer = observer
        self.phases_done = 0
        self.signal = Signal()
        self._cluster = cluster
        self._phase: dict[int, list[int | None]] = defaultdict(lambda: [_NOWHERE] * warps)

    def arrive(self, group: WarpGroup, op: Op) -> None:
        """`barrier.cluster.arrive` by all warps of the group.

        Raises:
            BarrierMisuse: they have arrived already, and not waited since.
        """
        if any(phase is not _NOWHERE for phase in self._phases_of(group)):
            raise BarrierMisuse(
                f"{group.name} arrives at {self.full_name} twice without a wait in between",
                hint="follow each arrive by one wait",
            )
        self.observer.arrive(group, self, group.num_threads, op)
        self._set(group, self.phases_done)
        self.advance()

    def wait(self, group: WarpGroup, op: Op):
        """`barrier.cluster.wait`.

        Raises:
            BarrierMisuse: the group hasn't arrived.
        """
        phase = self._phases_of(group)[0]
        if phase is _NOWHERE:
            raise BarrierMisuse(
                f"{group.name} waits at {self.full_name} without having arrived",
                hint="arrive before each wait",
            )
        while self.phases_done <= phase:
            yield Condition(self.signal, self._words(), cause=self.absent)
        self._set(group, _NOWHERE)
        self.observer.wait(group, self, phase, op)

    def advance(self) -> None:
        """Completes the phase if every warp that there still is has arrived; called too when a CTA has ended."""
        there = [phase for cta in self._there() for phase in self._phase[cta.rank]]
        if there and all(phase == self.phases_done for phase in there):
            self.observer.complete(self, self.phases_done)
            self.phases_done += 1
            self.signal.notify()

    def absent(self) -> str:
        """Who hasn't come, and what to do."""
        ranks: dict[str, list[int]] = defaultdict(list)
        for cta in self._there():
            for who in self._absent(cta):
                ranks[who].append(cta.rank)
        return "; ".join(
            f"in CTA{'s' if len(where) > 1 else ''} {', '.join(map(str, where))} of the cluster {who}"
            for who, where in ranks.items()
        )

    def _there(self) -> list[CTA]:
        return [cta for cta in self._cluster.ctas if not cta.ended]

    def _phases_of(self, group: WarpGroup) -> list[int | None]:
        return self._phase[group.cta.rank][group.first_warp : group.first_warp + group.num_warps]

    def _set(self, group: WarpGroup, phase: int | None) -> None:
        place = slice(group.first_warp, group.first_warp + group.num_warps)
        self._phase[group.cta.rank][place] = [phase] * group.num_warps

    def _words(self) -> str:
        there = [phase for cta in self._there() for phase in self._phase[cta.rank]]
        come = sum(phase == self.phases_done for phase in there)
        warps = "warp" if len(there) == 1 else "warps"
        return f"{self.full_name}: {come} of {len(there)} {warps} have come in phase {self.phases_done}"

    def _absent(self, cta: CTA) -> list[str]:
        """Those of a CTA that haven't come, each in words."""
        missing = {warp for warp, phase in enumerate(self._phase[cta.rank]) if phase != self.phases_done}
        words = []
        for group in reversed(cta.groups):  # a later task may run in the warps of an earlier one
            own = set(range(group.first_warp, group.first_warp + group.num_warps))
            if own <= missing:
                missing -= own
                words.append(f"{group.name} {_why(group)}")
        if missing:
            words.append(
                f"{len(missing)} warp(s) wait for tasks to start: outside of the tasks nobody may sync; let each task "
                "sync at its start"
            )
        return words[::-1]


def _why(group: WarpGroup) -> str:
    if not group.done:
        return "hasn't come: every task must come to every sync"
    if group.fills_up:
        return (
            f"({group.num_warps} warp(s) that only fill up a warp group) never comes: give each task a multiple of 4 "
            "warps, or add tasks that only sync"
        )
    return "has ended without coming: every task must come to every sync"
