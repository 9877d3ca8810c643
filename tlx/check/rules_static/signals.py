"""Barriers that lack something: an initialization, an arrival, a wait."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.barriers import ADDRESS, ARRIVE, EXPECT, INIT, LOAD, OTHER, WAIT, Barrier, first_trip
from ..findings import Finding
from .context import Context, undecided
from .rules import NEVER_SIGNALLED, NEVER_WAITED

__all__ = ["signalled"]


def signalled(context: Context) -> Iterator[Finding]:
    """Barriers that are used but never initialized, waited for but never signalled, signalled but never waited for."""
    for event in context.barriers.lost:
        reason = "the barrier can't be followed to its allocation"
        yield undecided(NEVER_SIGNALLED, reason, event.op, event.task)
    if context.barriers.lost:
        return
    for barrier in context.barriers:
        yield from _initialized(barrier)
        others = barrier.of(OTHER)
        if others:
            by_address = others[0].op.name in ADDRESS
            does = "takes the address of" if by_address else "does something to"
            reason = f"`{others[0].op.name}` {does} {barrier.name}: what is done with it isn't followed"
            yield undecided(NEVER_SIGNALLED, reason, others[0].op, others[0].task, barrier.name)
        else:
            yield from _arrived(context, barrier)
            yield from _waited(barrier)


def _initialized(barrier: Barrier) -> Iterator[Finding]:
    used, inits = barrier.of(ARRIVE, EXPECT, LOAD, WAIT), barrier.of(INIT)
    missing = _slots_left_out(barrier) if inits else [barrier.slot]
    for slot in missing if used else ():
        yield Finding(
            NEVER_SIGNALLED,
            f"{barrier.name if slot == barrier.slot else f'{barrier.name}[{slot}]'} is never initialized",
            used[0].op.location,
            group=used[0].task,
            buffer=barrier.name,
            slot=slot,
            hint="initialize every barrier before the tasks begin",
        )


def _slots_left_out(barrier: Barrier) -> list[int]:
    """Slots of a ring that no initialization names, where each of them names one."""
    named = {event.view.slot for event in barrier.of(INIT)}
    return [] if None in named or barrier.slots == 1 else sorted(set(range(barrier.slots)) - named)


def _arrived(context: Context, barrier: Barrier) -> Iterator[Finding]:
    if barrier.of(ARRIVE, EXPECT):
        return
    for wait in barrier.of(WAIT):
        if wait.parity.is_constant and first_trip(context.values, wait.parity) == 1:
            continue  # passes at once, every time
        landing = "; copies signal it, but bytes alone complete no phase" if barrier.of(LOAD) else ""
        yield Finding(
            NEVER_SIGNALLED,
            f"{wait.task} waits for {barrier.name}, and no task arrives on it{landing}",
            wait.op.location,
            group=wait.task,
            buffer=barrier.name,
            slot=barrier.slot,
            hint=f"expect the bytes of the copies on {barrier.name}" if landing else f"arrive on {barrier.name}",
        )


def _waited(barrier: Barrier) -> Iterator[Finding]:
    signals = barrier.of(ARRIVE, EXPECT, LOAD)
    if signals and not barrier.of(WAIT):
        yield Finding(
            NEVER_WAITED,
            f"{signals[0].task} signals {barrier.name}, and no task waits for it",
            signals[0].op.location,
            group=signals[0].task,
            buffer=barrier.name,
            slot=barrier.slot,
            hint="wait for it, or remove it",
        )
