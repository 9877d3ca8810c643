"""Async MMA results that are used before a wait completes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...ir.model import Op, Value
from ..analysis.flow import Flow
from ..analysis.tasks import places_of
from ..findings import Finding
from .context import Context
from .rules import RESULT_USED_EARLY

__all__ = ["used_early"]

_MMA, _WAIT = "ttng.warp_group_dot", "ttng.warp_group_dot_wait"
_ACCUMULATOR = 2
_HANDED_ON = frozenset({_WAIT, "scf.yield", "cf.br", "cf.cond_br", "scf.condition"})
_MOST_PENDING = 16
"""Where counting stops: no wait leaves as many MMAs in flight."""

Pending = Mapping[Value, int]
"""Results that may be unfinished, with the least number of MMAs issued since."""


class _Pending(Flow[Pending]):
    def __init__(self):
        self.early: dict[tuple[Op, Value], Op] = {}

    def start(self) -> Pending:
        return {}

    def join(self, a: Pending, b: Pending) -> Pending:
        return {value: min(a.get(value, _MOST_PENDING), b.get(value, _MOST_PENDING)) for value in {*a, *b}}

    def assign(self, facts: Pending, targets: Sequence[Value], sources: Sequence[Value]) -> Pending:
        pairs = list(zip(targets, sources))
        kept = {value: age for value, age in facts.items() if value not in set(targets)}
        return {**kept, **{target: facts[source] for target, source in pairs if source in facts}}

    def after(self, op: Op, facts: Pending) -> Pending:
        if not facts and op.name != _MMA:
            return facts
        if op.name not in _HANDED_ON:
            for index, operand in enumerate(op.operands):
                if operand in facts and not (op.name == _MMA and index == _ACCUMULATOR):
                    self.early[op, operand] = op
        if op.name == _MMA:
            older = {value: min(age + 1, _MOST_PENDING) for value, age in facts.items()}
            return {**older, op.result: 0} if op.attributes.get("isAsync") else {}
        if op.name == _WAIT:
            left = {value: age for value, age in facts.items() if age < op.attributes["pendings"]}
            return self.assign(left, op.results, op.operands)
        return facts


def used_early(context: Context) -> Iterator[Finding]:
    """Uses on any path, through branches and from trip to trip, other than as the accumulator of the next MMA."""
    flow = _Pending()
    flow.run(context.module)
    if not flow.early:
        return
    tasks = {place.op: place.task for place in places_of(context.module)}
    for op, value in flow.early:
        source = value.owner.location if isinstance(value.owner, Op) else value.location
        yield Finding(
            RESULT_USED_EARLY,
            f"`{op.name}` reads the result of an async MMA that may still be in flight",
            op.location,
            source,
            group=tasks[op],
            other_group=tasks[op],
            hint="wait for the MMA with `async_dot_wait(0, ...)` and use what it returns",
        )
