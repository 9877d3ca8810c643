"""The rules for barriers, applied to every arrival, wait and completed phase."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.model import Op
from ..sim.barriers import Barrier
from ..sim.cluster_barrier import ClusterBarrier
from ..sim.cta import CTA
from ..sim.memory import Buffer
from ..sim.named_barriers import NamedBarrier
from ..source import Location
from .clocks import Actor, Components, knows
from .findings import Finding, Rule
from .phases import Event, Phases, Retaken
from .rules import (
    BARRIER_MISUSE,
    BARRIER_UNUSED,
    EARLY_ARRIVAL,
    MISSABLE_PHASE,
    OVER_ARRIVAL,
    PEER_NOT_READY,
    STALE_WAIT,
)
from .words import agent_words, home_of, memory_words, op_words, place_words, task_words

__all__ = ["Protocol"]

AnyBarrier = Barrier | NamedBarrier | ClusterBarrier


_READY = "initialise, fence (tlx.fence_mbarrier_init_cluster), then sync the cluster (tlx.cluster_barrier)"


class Protocol:
    """The barriers of every CTA of one run.

    Args:
        components: of the clocks.
        report: takes findings.
    """

    def __init__(self, components: Components, report: Callable[[Finding], None]):
        self._components = components
        self._report = report
        self._phases: dict[AnyBarrier, Phases] = {}
        self._unpublished: dict[CTA, list[Barrier]] = {}

    def initialize(self, actor: Actor, barrier: Barrier, op: Op) -> None:
        """Phase 0 begins."""
        self._phases[barrier] = Phases(Event(actor, actor.epoch, op))
        if barrier.cta.cluster.size > 1:
            self._unpublished.setdefault(barrier.cta, []).append(barrier)
        self._components.release(actor, op_words(op, barrier.full_name), op)

    def publish(self, actor: Actor, op: Op) -> None:
        """The barriers that an agent has initialised are made known to the cluster."""
        kept = []
        for barrier in self._unpublished.pop(actor.agent.cta, ()):
            phases = self._phases.get(barrier)
            if phases is not None and phases.initialized.actor is actor:
                phases.published = Event(actor, actor.epoch, op)
            elif phases is not None:
                kept.append(barrier)
        if kept:
            self._unpublished[actor.agent.cta] = kept
        self._components.release(actor, op_words(op), op)

    def invalidate(self, actor: Actor, barrier: Barrier, op: Op) -> None:
        """The barrier's memory is given back."""
        phases = self._phases.pop(barrier)
        self._report_stale(barrier, phases)
        for event in phases.last_events():
            if not knows(actor.seen, [event.epoch]):
                what = (
                    f"{_event(barrier, actor, op)} doesn't come after {_event(barrier, event.actor, event.op)}: the "
                    "barrier may still be in use"
                )
                hint = "order all uses of the barrier before its invalidation"
                self._found(BARRIER_MISUSE, barrier, what, actor, op, event, hint)

    def abandon(self, actor: Actor, barrier: Barrier, buffer: Buffer) -> None:
        """The memory of a barrier that nobody has used is given to a buffer."""
        begun = self._phases.pop(barrier).initialized
        what = (
            f"{_event(barrier, actor, begun.op)} begins a barrier that nobody uses, and its memory is given to "
            f"{buffer.name} without an invalidation, which PTX leaves undefined"
        )
        hint = "don't initialise it; Triton 3.6 and 3.7 do so with barriers of their own"
        self._found(BARRIER_UNUSED, barrier, what, actor, begun.op, None, hint)

    def arrive(self, actor: Actor, barrier: AnyBarrier, op: Op) -> None:
        """A group arrives."""
        number = self._of(barrier).open.number
        self._count(actor, barrier, op)
        actor.note_arrival(barrier, number)
        if actor.issued is None:
            self._components.release(actor, op_words(op, barrier.full_name), op)
        else:  # cp.async that arrives is done then
            self._components.finish(actor, op_words(op, barrier.full_name), op)

    def land(self, engine: Actor, barrier: Barrier, op: Op) -> None:
        """All bytes of an engine's operation are counted, which ends it."""
        self._count(engine, barrier, op)
        self._components.finish(engine, op_words(op, barrier.full_name), op)

    def complete(self, barrier: AnyBarrier) -> None:
        """The open phase is complete."""
        phases = self._of(barrier)
        done = phases.complete()
        for wait in phases.missable_waits(done):
            self._missable(barrier, done.number, done.arrivals[-1], wait, done.number - 1)

    def wait(self, actor: Actor, barrier: AnyBarrier, number: int, op: Op) -> None:
        """A group goes on because a phase is complete."""
        phases = self._of(barrier)
        self._check_initialized(actor, barrier, op)
        ahead = phases.unseen_before(actor, number)
        if ahead is not None:
            self._missable(barrier, number - 1, ahead, Event(actor, actor.epoch, op), number - 2)
        phases.take(actor, number)
        self._components.release(actor, op_words(op, barrier.full_name), op)
        if isinstance(barrier, Barrier):  # a wait at a named barrier is bound to the phase of its own arrival
            actor.note_wait(barrier)
            phases.taken(actor, number, op)

    def over_arrival(self, actor: Actor, barrier: Barrier, what: str, hint: str, op: Op) -> None:
        """A group arrives more often than the phase takes; the last event of the open phase is this arrival."""
        arrivals = self._of(barrier).open.arrivals
        if op.attributes.get("count", 1) > barrier.count or len(arrivals) < 2:
            self._found(OVER_ARRIVAL, barrier, f"{what}, by {agent_words(actor.agent)}", actor, op, None, hint)
        else:  # meant for the next phase: where this one happens to be complete by then, nothing else shows it
            self._early(barrier, arrivals[-2], actor, op)

    def blocked(self, actor: Actor, barrier: Barrier, parity: int, op: Op) -> None:
        """A group waits for a phase that will not come: was there one that it has missed?"""
        phases = self._of(barrier)
        wanted = phases.next_phase(actor, parity)
        if phases.open.number > wanted + 1:
            done = phases.last_complete()
            self._missable(barrier, done.number, done.arrivals[-1], Event(actor, actor.epoch, op), wanted)

    def finish(self) -> None:
        """The run has ended."""
        for barrier, phases in self._phases.items():
            self._report_stale(barrier, phases)

    def _of(self, barrier: AnyBarrier) -> Phases:
        if barrier not in self._phases:
            self._phases[barrier] = Phases(None)
        return self._phases[barrier]

    def _count(self, actor: Actor, barrier: AnyBarrier, op: Op) -> None:
        phases = self._of(barrier)
        self._check_initialized(actor, barrier, op)
        before = phases.arrive(actor, op)
        if before is not None:
            self._early(barrier, next(a for a in before.arrivals if not knows(actor.seen, [a.epoch])), actor, op)

    def _check_initialized(self, actor: Actor, barrier: AnyBarrier, op: Op) -> None:
        phases = self._of(barrier)
        begun = phases.initialized
        if begun is None:
            return
        remote = barrier.cta is not home_of(actor.agent)
        if not knows(actor.seen, [begun.epoch]):
            begun_words = _event(barrier, begun.actor, begun.op)
            what = f"{_event(barrier, actor, op)} isn't ordered after {begun_words}: it may come first"
            rule = PEER_NOT_READY if remote else BARRIER_MISUSE
            hint = _READY if remote else "initialise barriers before the warp groups start"
            self._found(rule, barrier, what, actor, op, begun, hint)
        elif remote and not (phases.published and knows(actor.seen, [phases.published.epoch])):
            what = (
                f"{_event(barrier, actor, op)} reaches a barrier of CTA {barrier.cta.rank} whose initialisation"
                f"{place_words(begun.op)} no fence has made known to the cluster"
            )
            self._found(PEER_NOT_READY, barrier, what, actor, op, begun, _READY)

    def _early(self, barrier: AnyBarrier, unseen: Event, actor: Actor, op: Op) -> None:
        number = self._of(barrier).open.number
        what = (
            f"{_event(barrier, actor, op)} is counted in phase {number}, but nothing orders it after "
            f"{_event(barrier, unseen.actor, unseen.op)} in the phase before: it may be counted there"
        )
        hint = "count all arrivals and bytes of a phase, and wait for the phase before arriving in the next"
        self._found(EARLY_ARRIVAL, barrier, what, actor, op, unseen, hint, number)

    def _missable(self, barrier: AnyBarrier, done: int, last: Event, wait: Event, wanted: int) -> None:
        what = (
            f"{_event(barrier, last.actor, last.op)} completes phase {done} and may do so before "
            f"{_event(barrier, wait.actor, wait.op)} has seen phase {wanted}, whose parity is gone then"
        )
        hint = "let every group that waits for a phase arrive before the next phase can be complete"
        self._found(MISSABLE_PHASE, barrier, what, wait.actor, wait.op, last, hint, done)

    def _report_stale(self, barrier: AnyBarrier, phases: Phases) -> None:
        for retaken in phases.stale_waits():
            self._stale(barrier, retaken)

    def _stale(self, barrier: AnyBarrier, retaken: Retaken) -> None:
        first, again = retaken.first, retaken.again
        what = (
            f"{_event(barrier, again.actor, again.op)} passes on phase {retaken.phase}, which the group has taken and "
            "released already: it goes on with the use before"
        )
        hint = "carry the phase on from tile to tile: (use_count // stages) & 1 with a count that is never reset"
        self._found(STALE_WAIT, barrier, what, again.actor, again.op, first, hint, retaken.phase)

    def _found(
        self,
        rule: Rule,
        barrier: AnyBarrier,
        what: str,
        actor: Actor,
        op: Op,
        other: Event | None,
        hint: str,
        phase: int | None = None,
    ) -> None:
        self._report(
            Finding(
                rule,
                what,
                op.location,
                other.op.location if other else Location(),
                task_words(actor.agent),
                task_words(other.actor.agent) if other else "",
                getattr(barrier, "name", barrier.full_name),
                getattr(barrier, "slot", None),
                phase,
                hint,
                actor.agent.cta.program_id,
            )
        )


def _event(barrier: AnyBarrier, actor: Actor, op: Op) -> str:
    """`barrier_arrive(empty[1])` of default at line 41."""
    where = memory_words(barrier.cta) if isinstance(barrier, Barrier) else ""
    return f"{op_words(op, barrier.full_name + where)} of {agent_words(actor.agent)}{place_words(op)}"
