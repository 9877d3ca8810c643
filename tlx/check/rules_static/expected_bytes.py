"""The bytes that a barrier expects against those of the boxes that are copied with it."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.barriers import EXPECT, LOAD, OTHER, Barrier, Event
from ..analysis.expressions import Linear, constant
from ..findings import Finding
from .context import Context, undecided
from .rules import EXPECTED_BYTES

__all__ = ["expected_bytes"]


def expected_bytes(context: Context) -> Iterator[Finding]:
    """Sums both over the whole kernel: each times how often its op executes."""
    if context.barriers.lost:
        return  # said by `signals`
    for barrier in context.barriers:
        if not barrier.of(EXPECT, LOAD) or barrier.of(OTHER):
            continue
        excess = _total(context, barrier, EXPECT) - _total(context, barrier, LOAD)
        if excess == constant(0):
            continue
        coefficients = excess.coefficients
        place = (barrier.of(EXPECT) or barrier.of(LOAD))[0]
        arithmetic = _arithmetic(context, barrier)
        if min(coefficients) >= 0:
            yield _finding(barrier, place, f"{arithmetic}: a wait for it never ends")
        elif max(coefficients) <= 0:
            yield _finding(barrier, place, f"{arithmetic}: a phase may complete before all of them have landed")
        else:
            reason = f"{arithmetic}, under conditions or in loops that can't be compared"
            yield undecided(EXPECTED_BYTES, reason, place.op, place.task, barrier.name)


def _total(context: Context, barrier: Barrier, kind: str) -> Linear:
    total = constant(0)
    for event in barrier.of(kind):
        total += context.barriers.executions(barrier, event).scaled(event.nbytes)
    return total


def _arithmetic(context: Context, barrier: Barrier) -> str:
    happening = [e for e in barrier.of(EXPECT, LOAD) if context.barriers.executions(barrier, e) != constant(0)]
    expected = [event.nbytes for event in happening if event.kind == EXPECT]
    copied = [event.nbytes for event in happening if event.kind == LOAD]
    return f"{barrier.name} expects {_sum(expected)}, but the copies bring {_sum(copied)}"


def _sum(sizes: list[int]) -> str:
    parts = " + ".join(f"{size:,}" for size in sizes)
    return f"{parts} = {sum(sizes):,} B" if len(sizes) > 1 else f"{sum(sizes):,} B"


def _finding(barrier: Barrier, place: Event, message: str) -> Finding:
    copies = barrier.of(LOAD)
    return Finding(
        EXPECTED_BYTES,
        message,
        place.op.location,
        copies[0].op.location if copies else place.op.location,
        group=place.task,
        other_group=copies[0].task if copies else "",
        buffer=barrier.name,
        slot=barrier.slot,
        hint=f"expect {sum(event.nbytes for event in copies):,} B",
    )
