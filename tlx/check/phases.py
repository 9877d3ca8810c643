"""The phases of a barrier: what its arrivals pass on to its waits, and three rules that hold in every right kernel.

Happens-before alone misses mistakes with phases: each access may be ordered and the data one use of the slot old. The
rules say that nobody can run ahead of a phase or miss one, whatever the schedule:

- early arrival: who arrives in phase p has seen phase p - 1 complete. Else the arrival may count for phase p - 1.
- missable phase: phase k + 1 completes after every wait that takes phase k, and who waits for phase k + 2 knows that it
  is complete. Else the wait may find the parity gone, or pass two phases early or late.
- stale wait: no group takes phase k again once it has released what the phase guards. What an arrival releases shows in
  who waits for it: the one who then arrives in phase k + 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..ir.model import Op
from .clocks import Actor, Clock, join, knows

__all__ = ["Event", "Phase", "Phases", "Retaken"]


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
        gates: the barriers on which those who arrived had waited for their turn.
    """

    number: int
    seen: Clock = field(default_factory=dict)
    fenced: Clock = field(default_factory=dict)
    arrivals: list[Event] = field(default_factory=list)
    waits: list[Event] = field(default_factory=list)
    gates: set = field(default_factory=set)

    def known_to(self, actor: Actor) -> bool:
        """Whether the actor knows that the phase is complete."""
        return knows(actor.seen, (arrival.epoch for arrival in self.arrivals))


@dataclass
class Retaken:
    """A phase that a group has taken twice.

    Args:
        phase: its number.
        first, again: the two waits.
        made: how many arrivals the group had made by the first of them, by the second, and by the wait that took a
            later phase; None if none did.
    """

    phase: int
    first: Event
    again: Event
    made: tuple[int, int, int | None]

    def releases(self, gates: set) -> bool:
        """Whether the group arrives in two phases of one of these barriers, before and after the second wait."""
        begin, middle, end = self.made
        arrivals = self.again.actor.arrivals
        between = {arrival for arrival in arrivals[begin:middle] if arrival[0] in gates}
        after = {arrival for arrival in arrivals[middle:end] if arrival[0] in gates}
        return any(barrier is other and one != two for barrier, one in between for other, two in after)


@dataclass
class _Taken:
    """The phase that a group took last: at which wait, and how many arrivals it had made by then."""

    phase: int
    wait: Event
    made: int
    retaken: Retaken | None = None


class Phases:
    """The phases of one barrier.

    Args:
        initialized: when phase 0 began; None for a barrier of the hardware, which is always there.

    `published` is when it was made known to the cluster, None if it hasn't been.
    """

    def __init__(self, initialized: Event | None):
        self.initialized = initialized
        self.published: Event | None = None
        self.open = Phase(0)
        self.retaken: list[Retaken] = []
        self._complete = {-1: Phase(-1)}
        self._gates: dict[int, set] = {}
        self._taken: dict[Actor, _Taken] = {}

    def arrive(self, actor: Actor, op: Op) -> Phase | None:
        """Counts an arrival, or bytes, in the open phase; gives the phase before it if that is an early arrival."""
        self.open.arrivals.append(Event(actor, actor.epoch, op))
        self.open.gates |= actor.gates
        join(self.open.seen, actor.seen)
        join(self.open.fenced, actor.fenced)
        before = self.last_complete()
        return None if before.known_to(actor) else before

    def complete(self) -> Phase:
        """Ends the open phase and gives it."""
        done = self.open
        self._complete[done.number] = done
        self._gates[done.number] = done.gates
        if self.initialized is not None:  # a wait at a named barrier is for its own arrival's phase, however late
            self._complete.pop(done.number - 2, None)
        self.open = Phase(done.number + 1)
        return done

    def missable_waits(self, done: Phase) -> Iterator[Event]:
        """The waits for the phase before `done` that it isn't ordered after."""
        before = self._complete[done.number - 1]
        return (wait for wait in before.waits if not knows(done.seen, [wait.epoch]))

    def unseen_before(self, actor: Actor, number: int) -> Event | None:
        """An arrival of the phase before `number`, which the actor takes without knowing that the other is complete."""
        before = self._complete.get(number - 1)
        arrivals = before.arrivals if before is not None else ()
        return next((arrival for arrival in arrivals if not knows(actor.seen, [arrival.epoch])), None)

    def take(self, actor: Actor, number: int) -> None:
        """The actor learns what a complete phase passes on."""
        phase = self._complete[number]
        actor.learn(phase.seen, phase.fenced)

    def taken(self, actor: Actor, number: int, op: Op) -> None:
        """Notes a wait that took a phase, after its actor's time has moved on."""
        event = Event(actor, actor.epoch, op)
        self._complete[number].waits.append(event)
        made = len(actor.arrivals)
        last = self._taken.get(actor)
        self._taken[actor] = taken = _Taken(number, event, made)
        if last is None:
            return
        if last.retaken is not None and last.retaken.made[2] is None:
            last.retaken.made = (*last.retaken.made[:2], made)
        if last.phase == number and made > last.made:
            taken.retaken = Retaken(number, last.wait, event, (last.made, made, None))
            self.retaken.append(taken.retaken)

    def next_phase(self, actor: Actor, parity: int) -> int:
        """The phase of that parity that the actor hasn't taken yet."""
        after = self._taken[actor].phase + 1 if actor in self._taken else -1
        return after if after & 1 == parity else after + 1

    def last_complete(self) -> Phase:
        """The phase that was completed last."""
        return self._complete[self.open.number - 1]

    def stale_waits(self) -> Iterator[Retaken]:
        """Phases that were taken again after their release, where a later phase came."""
        for retaken in self.retaken:
            gates = self._gates.get(retaken.phase + 1)
            if gates and retaken.releases(gates):
                yield retaken

    def last_events(self) -> Iterator[Event]:
        """What whoever ends the use of the barrier must know of."""
        last = self.last_complete()
        yield from last.arrivals
        yield from last.waits
        yield from self.open.arrivals
