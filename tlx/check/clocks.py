"""Vector clocks: what an agent knows of the others, and what of it the async proxy may read.

The order is the least one that the PTX memory model promises: program order, issue of an engine's operation, its
completion at the wait that retires it or the phase that counts its bytes, and barriers from arrivals to waits.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from ..ir.model import Op
from ..sim.agents import Agent

__all__ = ["Actor", "Clock", "Components", "Release", "join", "knows"]

Clock = dict[int, int]
"""For each component the last release of it that is known; none if it is missing."""


def join(clock: Clock, other: Clock) -> None:
    """Adds to `clock` what `other` knows."""
    for component, time in other.items():
        if clock.get(component, 0) < time:
            clock[component] = time


def knows(clock: Clock, epochs: Iterable[tuple[int, int]]) -> bool:
    """Whether all the epochs, pairs of component and time, are before the clock."""
    return all(clock.get(component, 0) >= time for component, time in epochs)


@dataclass(frozen=True)
class Release:
    """Something an agent did that others may learn of.

    Args:
        words: what it was, such as "`barrier_arrive(empty[1])`".
        op: where.
    """

    words: str
    op: Op | None


class Actor:
    """An agent with its clocks.

    Args:
        agent: a warp group or an operation of an engine.
        component: its place in the clocks.
        seen: what it knows.
        fenced: what it knows that a proxy fence has made visible to the async proxy.
        issued: component and time of the warp group that issued it; None for a warp group.

    `arrivals` has each of its arrivals, a barrier and the number of a phase; `gates` the barriers that it waited on
    before the last of them.
    """

    __slots__ = ("agent", "arrivals", "component", "fenced", "finished", "gates", "issued", "seen", "_released")

    def __init__(self, agent: Agent, component: int, seen: Clock, fenced: Clock, issued: tuple[int, int] | None = None):
        self.agent = agent
        self.component = component
        self.seen = seen
        self.fenced = fenced
        self.issued = issued
        self.arrivals: list[tuple[object, int]] = []
        self.gates: frozenset = frozenset()
        self._released = False
        self.finished = False

    @property
    def time(self) -> int:
        """The time of what it does now."""
        return self.seen[self.component]

    @property
    def epoch(self) -> tuple[int, int]:
        """Component and time of what it does now."""
        return self.component, self.seen[self.component]

    def known_to(self, other: Actor) -> bool:
        """Whether it has ended, and the other knows."""
        return self.finished and other.seen.get(self.component, 0) >= self.time

    def note_arrival(self, barrier, phase: int) -> None:
        """It has arrived on a barrier."""
        self.arrivals.append((barrier, phase))
        self._released = True

    def note_wait(self, barrier) -> None:
        """It has waited on a barrier."""
        self.gates = frozenset([barrier]) if self._released else self.gates | {barrier}
        self._released = False

    def learn(self, seen: Clock, fenced: Clock) -> None:
        """Comes after whoever had these clocks."""
        join(self.seen, seen)
        join(self.fenced, fenced)


class Components:
    """Hands out the components of clocks, and remembers what each released when.

    A component is given to a new agent once whoever starts that agent knows that the one before has ended. So there are
    no more components than agents at one time, however many operations the engines do.
    """

    def __init__(self):
        self._releases: list[list[Release]] = []
        self._last: dict[Hashable, list[Actor]] = {}

    def first(self, agent: Agent) -> Actor:
        """An actor that comes after nothing."""
        return self._begin(agent, self._new(), {}, {}, None)

    def start(self, agent: Agent, pool: Hashable, parent: Actor) -> Actor:
        """An actor that comes after what `parent` knows and has done.

        Args:
            pool: components are shared among the agents that have this in common.
        """
        last = self._last.setdefault(pool, [])
        free = next((index for index, actor in enumerate(last) if actor.known_to(parent)), None)
        component = self._new() if free is None else last[free].component
        issued = parent.epoch if agent.issuer is not None else None
        actor = self._begin(agent, component, parent.seen, parent.fenced, issued)
        if free is None:
            last.append(actor)
        else:
            last[free] = actor
        return actor

    def last_started(self, pool: Hashable) -> list[Actor]:
        """Those agents of a pool that may not have ended when others were started."""
        return self._last.get(pool, [])

    def _new(self) -> int:
        self._releases.append([])
        return len(self._releases) - 1

    def _begin(self, agent, component: int, seen: Clock, fenced: Clock, issued) -> Actor:
        actor = Actor(agent, component, dict(seen), dict(fenced), issued)
        actor.seen[component] = len(self._releases[component]) + 1
        return actor

    def release(self, actor: Actor, words: str, op: Op | None) -> None:
        """What the actor did up to now may be learned of; what it does from now on is later."""
        self._releases[actor.component].append(Release(words, op))
        actor.seen[actor.component] += 1

    def finish(self, actor: Actor, words: str, op: Op | None) -> None:
        """What the actor did may be learned of; it does nothing more."""
        if not actor.finished:
            actor.finished = True
            self._releases[actor.component].append(Release(words, op))

    def last_known(self, clock: Clock, component: int) -> Release | None:
        """The last release of a component that the clock knows; None if it knows none."""
        known = self._releases[component][: clock.get(component, 0)]  # of its own, an actor's time is one ahead
        return known[-1] if known else None
