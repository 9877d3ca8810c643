"""Races in shared memory: two accesses of the same bytes, one of them a write, that nothing orders."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.model import Op
from ..sim.cta import CTA
from ..sim.memory import MemDesc
from .clocks import Actor, Components
from .edges import missing_edge
from .findings import Finding
from .rules import MISSING_FENCE, RACE_READ_WRITE, RACE_WRITE_WRITE, UNINITIALIZED_READ
from .shadow import Access, Shadow
from .words import agent_words, memory_words, op_words, place_words, slot_of, task_words

__all__ = ["Races"]

_ASYNC_PROXY = ("tma_load", "tma_store", "mma", "bulk_copy")


class Races:
    """The shared memory of every CTA of one run.

    Args:
        components: of the clocks.
        nbytes: of a CTA's shared memory.
        report: takes findings.
    """

    def __init__(self, components: Components, nbytes: int, report: Callable[[Finding], None]):
        self._components = components
        self._nbytes = nbytes
        self._report = report
        self._shadows: dict[CTA, Shadow] = {}
        self._reported: set[tuple[Op, Op]] = set()
        self._unwritten: dict[tuple[Op, str], Finding] = {}

    def access(self, actor: Actor, cta: CTA, view: MemDesc, writes: bool, op: Op) -> None:
        """Checks an access to a CTA's memory against those before it, and notes it."""
        if cta not in self._shadows:
            self._shadows[cta] = Shadow(self._nbytes)
        access = Access(actor, view, writes, actor.agent.kind in _ASYNC_PROXY, op)
        for cell in self._shadows[cta].cells(view):
            for earlier in cell.conflicts(access):
                if not earlier.before(actor):
                    self._race(earlier, access, cta)
                elif not earlier.visible_to(access):
                    self._unfenced(earlier, access)
            cell.record(access)

    def unwritten(self, actor: Actor, view: MemDesc, what: str, op: Op) -> None:
        """Notes a read of bytes that nothing has written yet. Whether something should have shows at the end."""
        self._unwritten.setdefault(
            (op, view.buffer.name),
            Finding(
                UNINITIALIZED_READ,
                f"{what}, by {agent_words(actor.agent)}",
                op.location,
                view.buffer.op.location,
                task_words(actor.agent),
                buffer=view.buffer.name,
                slot=slot_of(view.path),
                hint="wait for the copy that fills the buffer, or store to it first",
                program_id=actor.agent.cta.program_id,
            ),
        )

    def end_cta(self, cta: CTA) -> None:
        """Forgets the shared memory of a CTA that nothing touches any more."""
        self._shadows.pop(cta, None)

    def finish(self) -> None:
        """Reports the reads of unwritten bytes, but for those that race with the write that came too late."""
        raced = {op for pair in self._reported for op in pair}
        for (op, _), finding in self._unwritten.items():
            if op not in raced:
                self._report(finding)

    def _race(self, earlier: Access, later: Access, cta: CTA) -> None:
        if not self._first_time(earlier, later):
            return
        both_write = earlier.writes and later.writes
        # In one order whichever came first, so that every schedule gives the same finding.
        first, second = sorted((earlier, later), key=lambda access: (access.writes, _line(access), access.op.name))
        edge, hint = missing_edge(self._components, earlier, later)
        self._report(
            self._finding(
                RACE_WRITE_WRITE if both_write else RACE_READ_WRITE,
                first,
                second,
                f"{_who(first)} and {_who(second)}{memory_words(cta)} are not ordered: {edge}",
                hint,
            )
        )

    def _unfenced(self, store: Access, access: Access) -> None:
        if not self._first_time(store, access):
            return
        what = (
            f"no fence.proxy.async is between {op_words(store.op, store.view.name)}{place_words(store.op)} and "
            f"{agent_words(access.actor.agent)}{place_words(access.op)}, which {_verb(access)} {access.view.name}"
        )
        hint = "call tlx.fence_async_shared() after the store, before its group arrives or starts the engine"
        self._report(self._finding(MISSING_FENCE, access, store, what, hint))

    def _first_time(self, one: Access, other: Access) -> bool:
        # Later slots and trips add nothing.
        if (one.op, other.op) in self._reported or (other.op, one.op) in self._reported:
            return False
        self._reported.add((one.op, other.op))
        return True

    def _finding(self, rule, access: Access, other: Access, message: str, hint: str) -> Finding:
        return Finding(
            rule,
            message,
            access.op.location,
            other.op.location,
            task_words(access.actor.agent),
            task_words(other.actor.agent),
            access.view.buffer.name,
            slot_of(access.view.path),
            hint=hint,
            program_id=access.actor.agent.cta.program_id,
        )


def _line(access: Access) -> tuple[str, int, int]:
    location = access.op.location
    return location.file, location.line, location.column


def _verb(access: Access) -> str:
    return "writes" if access.writes else "reads"


def _who(access: Access) -> str:
    verb = "write" if access.writes else "read"
    return f"the {verb} of {access.view.name} by {agent_words(access.actor.agent)}{place_words(access.op)}"
