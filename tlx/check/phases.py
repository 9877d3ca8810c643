"""The phases of a barrier: what its arrivals pass on to its waits, and three rules that hold in every right kernel.

Happens-before alone misses mistakes with phases: each access may be ordered and the data one use of the slot old. The
rules say that nobody can run ahead of a phase or miss one, whatever the schedule:

- early arrival: who arrives in phase p has seen phase p - 1 complete. Else the arrival may count for phase p - 1.
- missable phase: phase k + 1 completes after every wait that takes phase k. Else the wait may find the parity gone.
- stale wait: no group takes phase k again once it has released it, if phase k + 1 builds on that release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..ir.model import Op
from .clocks import Actor, Clock, join, knows

__all__ = ["Event", "Phase", "Phases"]


@dataclass(frozen=True)
class Event:
    """An arrival, or a wait that went on.

    Args:
        actor: whose.
        epoch: its component and time then.
        op: where.
    """

    actor: Actor
    epoch: tuple[int, int]
    op: Op


@dataclass
class Phase:
    """One phase of a barrier.

    Args:
        number: counted from 0; -1 is the one before the first.
        seen, fenced: the joined clocks of its arrivals.
        arrivals: in the order in which they were counted.
        waits: those that took it.
    """

    number: int
    seen: Clock = field(default_factory=dict)
    fenced: Clock = field(default_factory=dict)
    arrivals: list[Event] = field(default_factory=list)
    waits: list[Event] = field(default_factory=list)

    def known_to(self, actor: Actor) -> bool:
        """Whether the actor knows that the phase is complete."""
        return knows(actor.seen, (arrival.epoch for arrival in self.arrivals))


@dataclass
class _Taken:
    """The phase that a group took last: at which wait, and how many arrivals it had made by then."""

    phase: int
    wait: Event
    arrivals: int


class Phases:
    """The phases of one barrier.

    Args:
        initialized: when phase 0 began; None for a barrier of the hardware, which is always there.
    """

    def __init__(self, initialized: Event | None):
        self.initialized = initialized
        self.open = Phase(0)
        self._complete = {-1: Phase(-1)}
        self._taken: dict[Actor, _Taken] = {}
        self._stale: list[tuple[Event, Event]] = []

    def arrive(self, actor: Actor, op: Op) -> Phase | None:
        """Counts an arrival, or bytes, in the open phase; gives the phase before it if that is an early arrival."""
        self.open.arrivals.append(Event(actor, actor.epoch, op))
        join(self.open.seen, actor.seen)
        join(self.open.fenced, actor.fenced)
        before = self._complete[self.open.number - 1]
        return None if before.known_to(actor) else before

    def complete(self) -> Phase:
        """Ends the open phase and gives it."""
        done = self.open
        self._complete[done.number] = done
        if self.initialized is not None:  # a wait at a named barrier is for its own arrival's phase, however late
            self._complete.pop(done.number - 2, None)
        self.open = Phase(done.number + 1)
        return done

    def missable_waits(self, done: Phase) -> Iterator[Event]:
        """The waits for the phase before `done` that it isn't ordered after."""
        before = self._complete[done.number - 1]
        return (wait for wait in before.waits if not knows(done.seen, [wait.epoch]))

    def take(self, actor: Actor, number: int) -> None:
        """The actor learns what a complete phase passes on."""
        phase = self._complete[number]
        actor.learn(phase.seen, phase.fenced)

    def taken(self, actor: Actor, number: int, op: Op) -> None:
        """Notes a wait that took a phase, after its actor's time has moved on."""
        event = Event(actor, actor.epoch, op)
        self._complete[number].waits.append(event)
        last = self._taken.get(actor)
        if last is not None and last.phase == number and number >= 0 and actor.arrivals > last.arrivals:
            self._stale.append((last.wait, event))
        self._taken[actor] = _Taken(number, event, actor.arrivals)

    def stale_waits(self, done: Phase) -> list[tuple[Event, Event]]:
        """Pairs of waits that took the phase before `done` with a release in between."""
        stale, self._stale = self._stale, []
        return [pair for pair in stale if pair[1] in self._complete[done.number - 1].waits]

    def last_events(self) -> Iterator[Event]:
        """What whoever ends the use of the barrier must know of."""
        last = self._complete[self.open.number - 1]
        yield from last.arrivals
        yield from last.waits
        yield from self.open.arrivals
