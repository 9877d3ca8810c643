"""The first trip of every loop, walked through by all tasks together: it must not end with all of them waiting.

Where a number, a branch or a further trip isn't known, the walk takes it that every arrival comes, so that what is
reported is certain once the loops are entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.model import Op, Region
from ..analysis.barriers import ARRIVE, EXPECT, INIT, LOAD, OTHER, WAIT, Event
from ..analysis.expressions import Atom, Linear, constant
from ..analysis.views import name_of
from ..findings import Finding
from .context import Context
from .rules import FIRST_WAITS

__all__ = ["first_waits"]

_WHOLE_LOOPS = 64
"""Trips up to which a loop is walked to its end."""


@dataclass
class _State:
    """A barrier's phase, as far as it is known.

    Args:
        open: whether arrivals may come that aren't counted, so that no wait is certain to block.
    """

    count: int = 0
    arrived: int = 0
    pending_bytes: int = 0
    phase: int = 0
    open: bool = False

    def settle(self) -> None:
        """Completes the phase if nothing is missing."""
        if self.count and self.arrived >= self.count and self.pending_bytes == 0:
            self.arrived -= self.count
            self.phase += 1


class _LostTrack(Exception):
    """A task goes where the walk can't follow."""


@dataclass(eq=False)
class _Task:
    """A task on its way.

    Args:
        wait: that it stands at, with the slot's state and the parity.
        joins: tasks whose ends it stands at.
    """

    name: str
    walk: Iterator[None] = iter(())
    wait: tuple[Event, _State, int] | None = None
    joins: tuple[_Task, ...] = ()
    done: bool = False

    @property
    def blocked(self) -> bool:
        if self.wait is not None:
            _, state, parity = self.wait
            return not state.open and state.phase % 2 == parity
        return not all(task.done for task in self.joins)


class _Walk:
    """All tasks on their way through the kernel."""

    def __init__(self, context: Context):
        self._values = context.values
        self._module = context.module
        self._tasks: list[_Task] = []
        self._states: dict[tuple[Op, int], _State] = {}
        self._opened: set[Op] = {barrier.root for barrier in context.barriers if barrier.of(OTHER)}
        self._events: dict[Op, list[Event]] = {}
        for barrier in context.barriers:
            for event in barrier.events:
                self._events.setdefault(event.op, []).append(event)

    def run(self) -> list[_Task]:
        """Walks until nobody can go on; returns the tasks that stand at a wait."""
        self._start("default", self._module.kernel.regions[0])
        while any([self._go_on(task) for task in list(self._tasks)]):
            pass
        return [task for task in self._tasks if task.wait is not None]

    def _start(self, name: str, region: Region) -> _Task:
        task = _Task(name)
        task.walk = self._task(task, region)
        self._tasks.append(task)
        return task

    def _go_on(self, task: _Task) -> bool:
        if task.done or task.blocked:
            return False
        task.wait, task.joins = None, ()
        task.done = next(task.walk, task) is task
        return True

    def _task(self, task: _Task, region: Region) -> Iterator[None]:
        try:
            yield from self._region(task, region, {})
        except _LostTrack:
            self._open(region)

    def _open(self, region: Region) -> None:
        """Takes it that everything in the region may happen."""
        for block in region.blocks:
            for op in block.ops:
                for inner in op.walk():
                    self._opened.update(event.view.root for event in self._events.get(inner, ()))
        for (root, _), state in self._states.items():
            state.open |= root in self._opened

    def _region(self, task: _Task, region: Region, trips: dict[Atom, Linear]) -> Iterator[None]:
        if len(region.blocks) != 1:
            raise _LostTrack
        for op in region.entry.ops:
            if op in self._events:
                for event in self._events[op]:
                    yield from self._event(task, event, trips)
            elif op.regions:
                yield from self._nested(task, op, trips)

    def _nested(self, task: _Task, op: Op, trips: dict[Atom, Linear]) -> Iterator[None]:
        if op.name == "scf.for":
            yield from self._loop(task, op, trips)
        elif op.name == "scf.if":
            taken = self._number(self._values.of(op.operands[0]), trips)
            if taken is None:
                for region in op.regions:
                    self._open(region)
            elif not taken < len(op.regions):
                return
            elif op.regions[not taken : (not taken) + 1]:
                yield from self._region(task, op.regions[not taken], trips)
        elif op.name == "ttg.warp_specialize":
            others = tuple(self._start(region.name, region) for region in op.regions[1:])
            yield from self._region(task, op.regions[0], trips)
            task.joins = others
            yield
        elif any(inner in self._events for inner in op.walk()):
            raise _LostTrack

    def _loop(self, task: _Task, loop: Op, trips: dict[Atom, Linear]) -> Iterator[None]:
        ((number, _),) = self._values.iteration(loop).terms
        total = self._number(self._values.trips(loop), trips)
        known = total is not None and total <= _WHOLE_LOOPS
        for trip in range(total if known else 1):
            yield from self._region(task, loop.regions[0], {**trips, number: constant(trip)})
        if not known and any(inner in self._events or inner.name == "ttg.warp_specialize" for inner in loop.walk()):
            raise _LostTrack

    def _number(self, expression: Linear, trips: dict[Atom, Linear]) -> int | None:
        number = self._values.atoms.substitute(expression, trips)
        return number.constant if number.is_constant else None

    def _event(self, task: _Task, event: Event, trips: dict[Atom, Linear]) -> Iterator[None]:
        happens = 1 if event.predicate is None else self._number(self._values.of(event.predicate), trips)
        slots = [self._number(index, trips) for index in event.view.indices] or [0]
        if happens == 0:
            return
        if happens is None or slots[0] is None or len(slots) > 1:
            if event.kind != WAIT:
                self._opened.add(event.view.root)
                self._open_states()
            return
        state = self._states.setdefault((event.view.root, slots[0]), _State(open=event.view.root in self._opened))
        if event.kind == WAIT:
            parity = self._number(event.parity, trips)
            if parity is not None and state.count:
                task.wait = event, state, parity
                yield
            return
        _happen(event, state)

    def _open_states(self) -> None:
        for (root, _), state in self._states.items():
            state.open |= root in self._opened


def _happen(event: Event, state: _State) -> None:
    if event.kind == INIT:
        state.count, state.arrived, state.pending_bytes, state.phase = event.amount, 0, 0, 0
    elif event.kind in (ARRIVE, EXPECT):
        state.arrived += event.amount
        state.pending_bytes += event.nbytes
    elif event.kind == LOAD:
        state.pending_bytes -= event.nbytes
    state.settle()


def first_waits(context: Context) -> Iterator[Finding]:
    """The waits that all tasks stand at in the first trip of their loops, if they do."""
    if context.barriers.lost:
        return  # said by `signals`
    signalled = {barrier.root for barrier in context.barriers if barrier.of(ARRIVE, EXPECT)}
    waiting = _Walk(context).run()
    if not waiting or any(task.wait[0].view.root not in signalled for task in waiting):
        return  # the latter is said by `signals`
    filled = {barrier.root for barrier in context.barriers if barrier.of(LOAD)}
    culprit = min(waiting, key=lambda task: (_is_touched(task), task.wait[0].view.root in filled))
    event, state, parity = culprit.wait
    others = [task.wait for task in waiting if task is not culprit]
    label = event.view.label if event.view.slot is not None else name_of(event.view.root)
    arrivals = f"{state.arrived} of {state.count} arrivals"
    missing = f", {state.pending_bytes:,} B missing" if state.pending_bytes else ""
    words = f"{culprit.name} waits for {label}, parity {parity}, with {arrivals}{missing}"
    for other, _, other_parity in others:
        words += f"; {other.task} for {name_of(other.view.root)}, parity {other_parity}"
    yield Finding(
        FIRST_WAITS,
        f"{words}: in the first trip of its loops every task waits, and nobody is left to arrive",
        event.op.location,
        others[0][0].op.location if others else event.op.location,
        group=culprit.name,
        other_group=others[0][0].task if others else "",
        buffer=label,
        slot=event.view.slot,
        hint=_hint(event, state, parity, label),
    )


def _is_touched(task: _Task) -> bool:
    """Whether anything has happened to the barrier; where nothing has, the first parity may be wrong."""
    _, state, parity = task.wait
    return not (state.phase == 0 and state.arrived == 0 and parity == 0)


def _hint(event: Event, state: _State, parity: int, label: str) -> str:
    if state.phase == 0 and state.arrived == 0 and parity == 0:
        return f"let the first wait for {label} use parity 1 if the slot is free at the start: it passes at once"
    if state.arrived < state.count:
        return f"initialize {label} with a count of {state.arrived}, or add the missing arrivals"
    return f"expect as many bytes on {label} as are copied"
