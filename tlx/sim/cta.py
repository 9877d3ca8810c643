"""A CTA: its warp groups, its shared memory, and what must hold when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.model import Op
from .agents import Agent, Condition, Observer
from .barriers import Barriers
from .engines import Engine
from .errors import EngineInFlight
from .group import Coroutine, WarpGroup
from .memory import SharedMemory
from .named_barriers import NamedBarriers
from .scheduler import Scheduler

if TYPE_CHECKING:
    from .cluster import Cluster
    from .launch import Launch

__all__ = ["CTA"]


class CTA:
    """One CTA of a launch.

    Args:
        launch: the launch it belongs to.
        cluster: the cluster it belongs to, of one CTA where the kernel has none.
        rank: its place in the cluster.
        scheduler: runs its agents.
        observer: sees its events.

    `started` and `ended` say whether it has begun to run the kernel, and whether it has come to the end of it.
    """

    def __init__(self, launch: Launch, cluster: Cluster, rank: int, scheduler: Scheduler, observer: Observer):
        self.launch = launch
        self.cluster = cluster
        self.rank = rank
        self.started = False
        self.ended = False
        self.scheduler = scheduler
        self.observer = observer
        self.memory = SharedMemory(launch.code.shared_bytes, observer, self)
        self.barriers = Barriers(self.memory, observer)
        self.named_barriers = NamedBarriers(observer)
        self.loads: dict[Engine, None] = {}
        self.groups: list[WarpGroup] = []
        self.main = self.start_group("default", launch.code.num_warps, self._main)

    @property
    def ctaid(self) -> tuple[int, int, int]:
        """Its place in the grid of the hardware, whose clusters lie along x."""
        x, y, z = self.cluster.place
        return x * self.launch.code.cluster_size + self.rank, y, z

    @property
    def program_id(self) -> tuple[int, int, int]:
        """Its place in the grid as the user sees it, in which clusters have their own shape; x runs fastest."""
        width, height, _ = shape = self.cluster.shape
        inside = self.rank % width, self.rank // width % height, self.rank // (width * height)
        return tuple(place * size + own for place, size, own in zip(self.cluster.place, shape, inside))

    def start_group(self, name: str, num_warps: int, code, first_warp: int = 0, fills_up: bool = False) -> WarpGroup:
        """Adds a warp group that runs the generator function `code`."""
        group = WarpGroup(self, name, num_warps, code, first_warp, fills_up)
        self.groups.append(group)
        self.scheduler.start(group)
        return group

    def join(self, groups: list[Agent], op: Op) -> Coroutine:
        """Waits until the groups have ended."""
        for group in groups:
            while not group.done:
                yield Condition(group.finished, f"{group.name} to end")
        self.observer.synchronize([self.main, *groups], op)

    def _main(self, group: WarpGroup) -> Coroutine:
        self.started = True
        self.observer.start_cta(self)
        yield from group.call(self.launch.code.kernel, self.launch.arguments, 0)
        self._check_engines()
        self.observer.end_cta(self)
        self.ended = True
        self.cluster.barrier.advance()
        self.launch.cta_ended(self)

    def _check_engines(self) -> None:
        """Nothing may touch shared memory once the CTA is gone."""
        unretired = [e for g in self.groups for q in (g.mma, g.stores, g.copies) for e in q.unretired()]
        in_flight = [*self.loads, *unretired]
        if not in_flight:
            return
        first = in_flight[0]
        error = EngineInFlight(
            f"the CTA ends while {len(in_flight)} operation(s) of an engine may still touch its shared memory: "
            + ", ".join(sorted({e.name for e in in_flight})),
            hint="wait for each TMA load, TMA store, cp.async and MMA before the kernel ends",
            location=first.op.location,
        )
        self.observer.mistake(first, error, first.op)
