"""What the threads of a task store and an engine of the same task reads, without a proxy fence in between."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.model import MemDescType, Op
from ..analysis.flow import Flow
from ..analysis.tasks import places_of
from ..analysis.trips import Access, behind_loop, one_trip_later
from ..analysis.values import Values
from ..analysis.views import View, overlap, view_of
from ..findings import Finding
from .context import Context, undecided
from .rules import MISSING_FENCE
from .store_staging import STORES

__all__ = ["fences"]

_FENCE = "ttng.fence_async_shared"
_COPY = "ttg.async_copy_global_to_local"
_WRITTEN = {"ttg.local_store": 1, _COPY: 1, "ttg.local_scatter": 0}  # which operand is the buffer
_MMAS = frozenset({"ttng.warp_group_dot", "ttng.tc_gen5_mma", "ttng.tc_gen5_mma_scaled"})


Unfenced = frozenset[Access]
"""Ordinary stores, and copies by threads, that no fence covers yet."""


class _Stores(Flow[Unfenced]):
    def __init__(self, values: Values):
        self._values = values
        self.unfenced: dict[tuple[Op, Op], bool] = {}

    def start(self) -> Unfenced:
        return frozenset()

    def join(self, a: Unfenced, b: Unfenced) -> Unfenced:
        return a | b

    def next_trip(self, loop: Op, facts: Unfenced) -> Unfenced:
        return one_trip_later(self._values, loop, facts)

    def left(self, loop: Op, facts: Unfenced) -> Unfenced:
        return behind_loop(self._values, loop, facts)

    def after(self, op: Op, facts: Unfenced) -> Unfenced:
        if op.name == _FENCE:
            return frozenset()
        if op.name in _WRITTEN:
            return facts | {Access(op, view_of(op.operands[_WRITTEN[op.name]], self._values))}
        if op.name == "ttg.local_alloc" and op.operands:
            return facts | {Access(op, View(op))}
        if facts and (op.name in STORES or op.name in _MMAS):
            self._read(op, facts)
        return facts

    def _read(self, op: Op, facts: Unfenced) -> None:
        buffers = op.operands[-1:] if op.name in STORES else op.operands[:2]
        for buffer in buffers:
            if not isinstance(buffer.type, MemDescType):
                continue
            view = view_of(buffer, self._values)
            for stored in facts:
                if stored.op.name == _COPY and op.name in _MMAS:
                    continue  # as the checker has it (`tlx.check.shadow`)
                shared = overlap(stored.view, view)
                if shared is not False:
                    key = (op, stored.op)
                    self.unfenced[key] = self.unfenced.get(key, False) or shared is True


def fences(context: Context) -> Iterator[Finding]:
    """Buffers that a task fills by `local_store` and that its own TMA stores and MMAs read."""
    flow = _Stores(context.values)
    flow.run(context.module)
    tasks = {place.op: place.task for place in places_of(context.module)}
    for (reader, writer), certain in flow.unfenced.items():
        name = _buffer_of(writer, context.values).label
        if not certain:
            reason = f"whether an engine reads {name} before a proxy fence depends on the slot"
            yield undecided(MISSING_FENCE, reason, reader, tasks[reader], name)
            continue
        yield Finding(
            MISSING_FENCE,
            f"an engine reads {name}, and no proxy fence lies between the store before and it",
            reader.location,
            writer.location,
            group=tasks[reader],
            other_group=tasks[writer],
            buffer=name,
            hint="put `fence_async_shared()` behind the store",
        )


def _buffer_of(writer: Op, values: Values) -> View:
    return View(writer) if writer.name == "ttg.local_alloc" else view_of(writer.operands[_WRITTEN[writer.name]], values)
