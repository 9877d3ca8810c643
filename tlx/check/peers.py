"""Who reaches into the shared memory of other CTAs of its cluster, and whether those CTAs are there.

Whatever the schedule, an access comes after the other CTA's start, and before its end: both must be ordered with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir.model import Op
from ..sim.cta import CTA
from .clocks import Actor, Components
from .findings import Finding
from .phases import Event
from .rules import PEER_GONE, PEER_NOT_READY
from .words import agent_words, home_of, op_words, place_words, task_words

__all__ = ["Peers"]


@dataclass
class _Visited:
    """A CTA that others reach into.

    Args:
        component: of its default warp group; None before it has started.
        events: the last access by each component, with the name of what it reached.
    """

    component: int | None = None
    events: dict[int, tuple[Event, str]] = field(default_factory=dict)


class Peers:
    """The CTAs of one run.

    Args:
        components: of the clocks.
        report: takes findings.
    """

    def __init__(self, components: Components, report: Callable[[Finding], None]):
        self._components = components
        self._report = report
        self._visited: dict[CTA, _Visited] = {}

    def start(self, main: Actor) -> None:
        """A CTA starts to run the kernel."""
        if main.agent.cta.cluster.size > 1:
            self._visited_of(main.agent.cta).component = main.component
            self._components.release(main, "the start of the CTA", None)

    def touch(self, actor: Actor, cta: CTA, name: str, op: Op) -> None:
        """An agent reads, writes or signals something in a CTA, its own or another one."""
        if actor.agent.cta is cta is home_of(actor.agent):
            return
        if cta.ended:
            self._gone(Event(actor, actor.epoch, op), cta, name)
        else:
            self._visited_of(cta).events[actor.component] = Event(actor, actor.epoch, op), name

    def access(self, actor: Actor, cta: CTA, name: str, op: Op) -> None:
        """An agent reads or writes bytes in a CTA; unlike a barrier they needn't be initialised, but must be there."""
        self.touch(actor, cta, name, op)
        if home_of(actor.agent) is cta or cta.ended:
            return
        if self._visited_of(cta).component not in actor.seen:
            what = (
                f"{_access(actor, name, op)} reaches into CTA {cta.rank} of the cluster, but isn't ordered after the "
                "start of that CTA"
            )
            hint = "sync the cluster first (tlx.cluster_barrier): until then a CTA may not be there"
            self._found(PEER_NOT_READY, what, actor, op, name, hint)

    def end(self, main: Actor) -> None:
        """A CTA ends: it must know of every access by others."""
        visited = self._visited.pop(main.agent.cta, None)
        for event, name in visited.events.values() if visited else ():
            if main.seen.get(event.epoch[0], 0) < event.epoch[1]:
                self._gone(event, main.agent.cta, name)

    def _visited_of(self, cta: CTA) -> _Visited:
        return self._visited.setdefault(cta, _Visited())

    def _gone(self, event: Event, cta: CTA, name: str) -> None:
        what = (
            f"{_access(event.actor, name, event.op)} reaches into CTA {cta.rank} of the cluster, which may have ended: "
            "its end isn't ordered after the access"
        )
        hint = "sync the cluster (tlx.cluster_barrier) before the kernel ends, or let the other CTA wait for the access"
        self._found(PEER_GONE, what, event.actor, event.op, name, hint)

    def _found(self, rule, what: str, actor: Actor, op: Op, name: str, hint: str) -> None:
        self._report(
            Finding(
                rule,
                what,
                op.location,
                group=task_words(actor.agent),
                buffer=name.partition("[")[0],
                hint=hint,
                program_id=home_of(actor.agent).program_id,
            )
        )


def _access(actor: Actor, name: str, op: Op) -> str:
    return f"{op_words(op, name)} of {agent_words(actor.agent)}{place_words(op)}"
