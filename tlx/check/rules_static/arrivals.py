"""Arrivals against waits: as many phases must complete as are waited for, however long the loops run.

A phase of `count` arrivals lets one wait of each task through. So `count * waits - arrivals` tells, as a polynomial in
trip counts, whether waits starve (it grows) or phases complete that nobody has waited for (it falls).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.barriers import ARRIVE, EXPECT, INIT, OTHER, WAIT, Barrier, Event, first_trip
from ..analysis.expressions import Linear, constant, factors_of
from ..findings import Finding
from .context import Context, undecided
from .rules import ARRIVALS_AND_WAITS, ARRIVE_COUNT

__all__ = ["arrivals"]

BALANCED, STARVING, RUNNING_AHEAD, RESTARTING, UNKNOWN = "balanced", "starving", "ahead", "restarting", "unknown"


def arrivals(context: Context) -> Iterator[Finding]:
    """Compares the arrivals on each barrier with each task's waits for it."""
    if context.barriers.lost:
        return  # said by `signals`
    for barrier in context.barriers:
        signals, waits = barrier.of(ARRIVE, EXPECT), barrier.of(WAIT)
        if not signals or not waits or not barrier.of(INIT) or barrier.of(OTHER):
            continue  # said by `signals`
        yield from _compared(context, barrier, signals, waits)


def _compared(context: Context, barrier: Barrier, signals: list[Event], waits: list[Event]) -> Iterator[Finding]:
    arriving = constant(0)
    for event in signals:
        arriving += context.barriers.executions(barrier, event).scaled(event.amount)
    by_task: dict[str, list[Event]] = {}
    for event in waits:
        by_task.setdefault(event.task, []).append(event)
    if len(barrier.counts) > 1:
        yield from _odd_slots(context, barrier, arriving, by_task)
        return
    (count,) = barrier.counts
    verdicts = {task: _verdict(context, barrier, count, arriving, own) for task, own in by_task.items()}
    for task, own in by_task.items():
        if verdicts[task] == STARVING:
            yield _finding(context, barrier, arriving, own, "it waits for ever once the loops run long enough")
        elif verdicts[task] == RESTARTING:
            yield from _restarting(context, barrier, own[0])
        elif verdicts[task] == UNKNOWN:
            both = f"arrivals on {barrier.name} and waits of {task}"
            reason = f"{both} stand under conditions or in loops that can't be compared"
            yield undecided(ARRIVALS_AND_WAITS, reason, own[0].op, task, barrier.name)
    ahead = [task for task, verdict in verdicts.items() if verdict == RUNNING_AHEAD]
    if len(ahead) == len(by_task) and not _take_turns(context, barrier, count, arriving, by_task):
        yield _finding(context, barrier, arriving, by_task[ahead[0]], "phases complete that it doesn't wait for")
    else:
        for task in ahead:
            reason = f"{task} waits for fewer phases of {barrier.name} than complete"
            yield undecided(ARRIVALS_AND_WAITS, reason, by_task[task][0].op, task, barrier.name)


def _take_turns(
    context: Context, barrier: Barrier, count: int, arriving: Linear, by_task: dict[str, list[Event]]
) -> bool:
    """Whether tasks that arrive wait as often, together, as phases complete: then each may have phases of its own."""
    waited = constant(0)
    for own in by_task.values():
        for event in own:
            waited += context.barriers.executions(barrier, event)
    signalling = {event.task for event in barrier.of(ARRIVE, EXPECT)}
    return len(by_task) > 1 and by_task.keys() <= signalling and waited.scaled(count) == arriving


def _restarting(context: Context, barrier: Barrier, wait: Event) -> Iterator[Finding]:
    """Waits whose slot and phase start anew in each trip of an outer loop: right after rounds of both parities."""
    phases, period = context.barriers.until_repeated(barrier, wait), 2 * barrier.slots
    starts = f"the slot and phase that {wait.task} waits for on {barrier.name} start anew in each trip of an outer loop"
    if not phases.is_constant:
        reason = f"{starts}: right only after a multiple of {period} phases"
        yield undecided(ARRIVALS_AND_WAITS, reason, wait.op, wait.task, barrier.name)
    elif phases.constant % period:
        yield Finding(
            ARRIVALS_AND_WAITS,
            f"{starts}, after {phases.constant} phases; that is right only after a multiple of {period}",
            wait.op.location,
            group=wait.task,
            buffer=barrier.name,
            slot=barrier.slot,
            hint="count the uses of the ring on through the outer loop",
        )


def _odd_slots(
    context: Context, barrier: Barrier, arriving: Linear, by_task: dict[str, list[Event]]
) -> Iterator[Finding]:
    """Slots of a ring with another count than the one that its arrivals and waits match."""
    right = [
        count
        for count in barrier.counts
        if all(_verdict(context, barrier, count, arriving, own) == BALANCED for own in by_task.values())
    ]
    odd = [event for event in barrier.of(INIT) if event.amount not in right]
    if len(right) != 1:
        reason = f"the slots of {barrier.name} are initialized with different counts"
        yield undecided(ARRIVE_COUNT, reason, barrier.of(INIT)[0].op, buffer=barrier.name)
        return
    for event in odd:
        yield Finding(
            ARRIVE_COUNT,
            f"a phase of {event.view.label} takes {event.amount} arrival(s), but {right[0]} come for each wait, as the "
            "other slots have it",
            event.op.location,
            group=event.task,
            buffer=barrier.name,
            slot=event.view.slot,
            hint=f"initialize {event.view.label} with a count of {right[0]}",
        )


def _verdict(context: Context, barrier: Barrier, count: int, arriving: Linear, waits: list[Event]) -> str:
    """How the waits of one task stand to the arrivals.

    Two waits may be for one phase or for two: each alone is the least, their sum the most that the task waits for.
    """
    each = [context.barriers.distinct(barrier, event) for event in _unrepeated(waits)]
    total = constant(0)
    for waited in each:
        total += waited
    exact = all(event.parity.is_constant and event.view.slot is not None for event in waits) or len(each) == 1
    least = [total] if exact else each
    # A first wait for the phase before the first one passes at once, in each slot.
    free = 0 if first_trip(context.values, waits[0].parity) == 0 else barrier.slots
    shortages = [waited.scaled(count) - arriving for waited in least]
    if any(_starves(shortage, count * free) for shortage in shortages):
        return STARVING
    most = total.scaled(count) - arriving
    if max(most.coefficients) <= 0 and any(_grows(most, -1)):
        repeated = context.barriers.executions(barrier, waits[0]).scaled(count) == arriving
        return RESTARTING if len(each) == 1 and repeated else RUNNING_AHEAD
    balanced = [*shortages, most]
    if any(x.is_constant and x.constant <= count * free for x in balanced):
        return BALANCED
    return UNKNOWN


def _unrepeated(waits: list[Event]) -> list[Event]:
    """Without waits that follow one for the same phase at once."""
    kept: list[Event] = []
    for event in waits:
        if not kept or (kept[-1].identity, kept[-1].place.path) != (event.identity, event.place.path):
            kept.append(event)
    return kept


def _grows(expression: Linear, sign: int) -> Iterator[bool]:
    """Whether each term of that sign has no bound."""
    return (
        coefficient * sign > 0 and any(factor.kind != "holds" for factor in factors_of(atom))
        for atom, coefficient in expression.terms
    )


def _starves(shortage: Linear, free: int) -> bool:
    """Whether the waits outnumber the arrivals by more than those that are free, once the loops run long enough."""
    if min(shortage.coefficients) < 0:
        return False
    return max(shortage.coefficients) > free or any(_grows(shortage, 1))


def _finding(context: Context, barrier: Barrier, arriving: Linear, waits: list[Event], outcome: str) -> Finding:
    signals, wait = barrier.of(ARRIVE, EXPECT), waits[0]
    (count,) = barrier.counts
    each = context.barriers.distinct(barrier, wait)
    per_wait = _ratio(arriving, each) if len(_unrepeated(waits)) == 1 else None
    parts = ", ".join(f"{event.task} {event.amount} at line {event.op.location.line}" for event in signals)
    if per_wait is not None:
        rule = ARRIVE_COUNT
        message = (
            f"a phase of {barrier.name} takes {count} arrival(s), but {per_wait} come for each wait of "
            f"{wait.task} ({parts}): {outcome}"
        )
        hint = f"initialize {barrier.name} with a count of {per_wait}"
    else:
        rule = ARRIVALS_AND_WAITS
        message = (
            f"arrivals on {barrier.name} ({parts}; {count} for a phase) and the waits of {wait.task} don't "
            f"keep step: {outcome}"
        )
        hint = "arrive in the same trips of the same loops as are waited for"
    return Finding(
        rule,
        message,
        wait.op.location,
        signals[0].op.location,
        group=wait.task,
        other_group=signals[0].task,
        buffer=barrier.name,
        slot=barrier.slot,
        hint=hint,
    )


def _ratio(arriving: Linear, waits: Linear) -> int | None:
    """How many times the waits the arrivals are, if that is a whole number."""
    largest = max(arriving.coefficients, default=0)
    unit = max(waits.coefficients, default=0)
    if unit <= 0 or largest % unit:
        return None
    factor = largest // unit
    return factor if factor and waits.scaled(factor) == arriving else None
