"""Buffers that a TMA store reads: not written again, and not left, before a wait for the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...ir.model import Op
from ..analysis.flow import Flow
from ..analysis.tasks import places_of
from ..analysis.trips import Access, behind_loop, one_trip_later
from ..analysis.values import Values
from ..analysis.views import View, overlap, view_of
from ..findings import Finding
from .context import Context, undecided
from .rules import STAGING_OVERWRITTEN, STORE_IN_FLIGHT

__all__ = ["STORES", "staging", "written_by"]

STORES = frozenset({"ttng.async_tma_copy_local_to_global", "ttng.async_tma_reduce", "ttng.async_tma_scatter"})
"""Ops that make the TMA engine read shared memory; the buffer is their last operand."""
_STORE_WAIT = "ttng.async_tma_store_wait"
_MOST_PENDING = 16


@dataclass(frozen=True)
class _Store(Access):
    """A store in flight; at least `younger` stores were issued after it."""

    younger: int = 0


Stores = frozenset[_Store]


def written_by(op: Op, values: Values) -> View | None:
    """The buffer that an op writes, by the group's threads or by an engine; None if it writes none."""
    if op.name in ("ttg.local_store", "ttg.async_copy_global_to_local"):
        return view_of(op.operands[1], values)
    if op.name == "ttng.async_tma_copy_global_to_local":
        return view_of(op.operands[-3], values)
    return None


class _InFlight(Flow[Stores]):
    def __init__(self, values: Values):
        self._values = values
        self.overwritten: dict[tuple[Op, Op], bool] = {}
        self.left_behind: dict[tuple[Op, Op], None] = {}

    def start(self) -> Stores:
        return frozenset()

    def join(self, a: Stores, b: Stores) -> Stores:
        least: dict[tuple, _Store] = {}
        for store in a | b:
            known = least.setdefault((store.op, store.view, store.age), store)
            if store.younger < known.younger:
                least[store.op, store.view, store.age] = store
        return frozenset(least.values())

    def next_trip(self, loop: Op, facts: Stores) -> Stores:
        return one_trip_later(self._values, loop, facts)

    def left(self, loop: Op, facts: Stores) -> Stores:
        return behind_loop(self._values, loop, facts)

    def after(self, op: Op, facts: Stores) -> Stores:
        if op.name in STORES:
            view = view_of(op.operands[-1], self._values)
            return frozenset(replace(s, younger=min(s.younger + 1, _MOST_PENDING)) for s in facts) | {_Store(op, view)}
        if op.name == _STORE_WAIT:
            return frozenset(s for s in facts if s.younger < op.attributes["pendings"])
        if facts:
            view = written_by(op, self._values)
            for store in facts if view else ():
                shared = overlap(store.view, view)
                if shared is not False:
                    key = (op, store.op)
                    self.overwritten[key] = self.overwritten.get(key, False) or shared is True
        return facts

    def at_end(self, op: Op, facts: Stores) -> None:
        self.left_behind.update({(op, store.op): None for store in facts})


def staging(context: Context) -> Iterator[Finding]:
    """Buffers of TMA stores that the storing task writes again too early; stores that outlive their task."""
    flow = _InFlight(context.values)
    flow.run(context.module)
    tasks = {place.op: place.task for place in places_of(context.module)}
    for (write, store), certain in flow.overwritten.items():
        name = view_of(store.operands[-1], context.values).label
        if not certain:
            reason = f"whether {name} is written again before a wait for its TMA store depends on the slot"
            yield undecided(STAGING_OVERWRITTEN, reason, write, tasks[write], name)
            continue
        yield Finding(
            STAGING_OVERWRITTEN,
            f"{name} is written while the TMA store before may still read it: no wait for stores lies between",
            write.location,
            store.location,
            group=tasks[write],
            other_group=tasks[store],
            buffer=name,
            hint="put `async_descriptor_store_wait` before the write",
        )
    for _, store in flow.left_behind:
        name = view_of(store.operands[-1], context.values).label
        yield Finding(
            STORE_IN_FLIGHT,
            f"{tasks[store]} may end while its TMA store still reads {name}",
            store.location,
            group=tasks[store],
            buffer=name,
            hint="end the task with `async_descriptor_store_wait(0)`",
        )
