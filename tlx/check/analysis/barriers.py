"""Every barrier of a kernel with all that happens to it: initializations, arrivals, bytes, waits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...ir.model import MemDescType, Module, Op, Value
from ...language.bulk import BULK_LOAD_PTX
from ...language.thread_arrivals import ARRIVE_PTX
from .counts import Counter
from .expressions import Linear, constant
from .tasks import Place, places_of, warps_of
from .values import Values
from .views import View, box_bytes, name_of, view_of

__all__ = ["ADDRESS", "Barrier", "Barriers", "Event"]

INIT, ARRIVE, EXPECT, LOAD, WAIT, OTHER = "init", "arrive", "expect", "load", "wait", "other"

_KINDS = {
    "ttng.init_barrier": INIT,
    "ttng.arrive_barrier": ARRIVE,
    "ttng.barrier_expect": EXPECT,
    "ttng.async_tma_copy_global_to_local": LOAD,
    "ttng.wait_barrier": WAIT,
}
_COPY_ARRIVE = "ttng.async_copy_mbarrier_arrive"
ADDRESS = frozenset({"tti.experimental_memdesc_to_i32", "tti.experimental_memdesc_to_i64"})
"""Ops that take the address of shared memory."""
_CONVERSIONS = frozenset({"arith.trunci", "arith.extui"})
WARP_SIZE = 32
# Ops that touch a barrier's memory without using it as one.
_NO_EVENT = ADDRESS | {"ttng.inval_barrier", "ttg.local_alloc", "ttg.local_dealloc", "ttg.warp_specialize"}


@dataclass(frozen=True)
class Event:
    """Something that happens to a barrier.

    Args:
        kind: `init`, `arrive`, `expect`, `load`, `wait`, or `other` where the op's effect isn't known.
        place: the op and where it stands.
        view: the barrier.
        amount: arrivals of an arrival, the count of an `init`.
        nbytes: expected or copied.
        parity: that is waited for.
        predicate: whether it happens at all.
    """

    kind: str
    place: Place
    view: View
    amount: int = 0
    nbytes: int = 0
    parity: Linear | None = None
    predicate: Value | None = None

    @property
    def op(self) -> Op:
        return self.place.op

    @property
    def task(self) -> str:
        return self.place.task

    @property
    def identity(self) -> tuple[Linear, ...]:
        """What tells two waits of an op apart."""
        return (*self.view.indices, self.parity) if self.parity is not None else self.view.indices


@dataclass
class Barrier:
    """A barrier, or a ring of them whose slots aren't told apart.

    Args:
        root: the allocation.
        slot: the number of the slot; None where the events say it by an expression.
        slots: how many barriers it stands for.
        events: in textual order.
    """

    root: Op
    slot: int | None
    slots: int
    events: list[Event] = field(default_factory=list)

    @property
    def name(self) -> str:
        name = name_of(self.root)
        return name if self.slot is None else f"{name}[{self.slot}]"

    def of(self, *kinds: str) -> list[Event]:
        """The events of these kinds."""
        return [event for event in self.events if event.kind in kinds]

    @property
    def depth(self) -> int:
        """How many steps the paths of all events share: what is counted happens inside of them."""
        paths = [event.place.path for event in self.events]
        shared = 0
        while all(len(path) > shared for path in paths) and len({path[shared] for path in paths}) == 1:
            shared += 1
        return shared

    @property
    def counts(self) -> set[int]:
        """Arrivals of a phase; more than one number if the slots differ in it."""
        return {event.amount for event in self.of(INIT)}


class Barriers:
    """The barriers of a module.

    Args:
        module: late TTGIR.
        values: its expressions.
    """

    def __init__(self, module: Module, values: Values):
        self.module = module
        self.values = values
        self.counter = Counter(values)
        self.lost: list[Event] = []
        """Events on barriers that can't be followed to their allocation."""
        self.all = list(self._collected(module))

    def __iter__(self) -> Iterator[Barrier]:
        return iter(self.all)

    def executions(self, barrier: Barrier, event: Event) -> Linear:
        """How often the event happens in the barrier's life."""
        return self.counter.executions(event.place.path[barrier.depth :], event.predicate)

    def distinct(self, barrier: Barrier, event: Event) -> Linear:
        """How many different phases a wait waits for."""
        return self.counter.distinct(event.place.path[barrier.depth :], event.identity, event.predicate)

    def until_repeated(self, barrier: Barrier, event: Event) -> Linear:
        """How many phases a wait waits for before a loop around it makes it start anew."""
        return self.counter.until_repeated(event.place.path[barrier.depth :], event.identity)

    def _collected(self, module: Module) -> Iterator[Barrier]:
        by_root: dict[Op, list[Event]] = {}
        for event in self._events(module):
            if event.view.root is None:
                self.lost.append(event)
            else:
                by_root.setdefault(event.view.root, []).append(event)
        for root, events in by_root.items():
            if any(event.kind in _KINDS.values() for event in events):
                yield from self._told_apart(root, events)

    def _told_apart(self, root: Op, events: list[Event]) -> Iterator[Barrier]:
        slots = root.result.type.shape[0]
        if any(event.view.indices and event.view.slot is None for event in events):
            yield Barrier(root, None, slots, events)
            return
        by_slot: dict[int | None, list[Event]] = {}
        for event in events:
            by_slot.setdefault(event.view.slot, []).append(event)
        if len(by_slot) == 1 and slots == 1:
            by_slot = {None: events}
        for slot, own in by_slot.items():
            yield Barrier(root, slot, 1, own)

    def _events(self, module: Module) -> Iterator[Event]:
        places = list(places_of(module))
        roots, known = set(), set()
        for place in places:
            event = self._event(place)
            if event is not None:
                roots.add(event.view.root)
                known.add(place.op)
                yield event
        by_address = _reached_by_address(places, known)
        for place in places:
            if place.op in known or place.op.name.startswith("ttg.memdesc_"):
                continue
            if place.op.name in _NO_EVENT and place.op not in by_address:
                continue
            for operand in place.op.operands:
                if isinstance(operand.type, MemDescType) and str(operand.type.element) == "i64":
                    view = view_of(operand, self.values)
                    if view.root in roots:
                        yield Event(OTHER, place, view)

    def _event(self, place: Place) -> Event | None:
        op = place.op
        kind = _KINDS.get(op.name)
        if op.name == _COPY_ARRIVE and op.attributes.get("noIncrement"):
            return Event(ARRIVE, place, view_of(op.operands[0], self.values), self._threads(place))
        if op.attributes.get("asm_string") == BULK_LOAD_PTX:
            return self._bulk_load(place)
        if op.name == "tt.elementwise_inline_asm" and op.attributes["asm_string"] == ARRIVE_PTX:
            address, predicate = map(converted, op.operands)
            view = view_of(address.owner.operands[0], self.values)
            predicate = predicate if str(predicate.type) == "i1" else None
            return Event(ARRIVE, place, view, self._threads(place), predicate=predicate)
        if kind is None:
            return None
        operands = op.operands
        if kind == LOAD:
            # descriptor, coordinates, offsets, buffer, barrier, predicate, as the text has them.
            buffer, word, predicate = operands[-3:]
            return Event(kind, place, view_of(word, self.values), 0, box_bytes(buffer), predicate=predicate)
        view = view_of(operands[0], self.values)
        if kind == WAIT:
            predicate = operands[2] if len(operands) > 2 and str(operands[2].type) == "i1" else None
            return Event(kind, place, view, parity=self.values.of(operands[1]), predicate=predicate)
        predicate = operands[1] if len(operands) > 1 else None
        amount = 1 if kind == EXPECT else op.attributes["count"]
        nbytes = op.attributes["size"] if kind == EXPECT else 0
        return Event(kind, place, view, amount, nbytes, predicate=predicate)

    def _bulk_load(self, place: Place) -> Event | None:
        """A copy by one thread; None where its bytes aren't known."""
        _, _, nbytes, address, _ = map(converted, place.op.operands)
        size = self.values.of(nbytes)
        if not size.is_constant:
            return None
        return Event(LOAD, place, view_of(address.owner.operands[0], self.values), 0, size.constant)

    def _threads(self, place: Place) -> int:
        """Arrivals of an op that each thread of its task does once."""
        return warps_of(self.module, place) * WARP_SIZE


def _reached_by_address(places: list[Place], events: set[Op]) -> set[Op]:
    """The ops that take a barrier's address for more than these events, such as for other CTAs."""
    users: dict[Value, list[Op]] = defaultdict(list)
    for place in places:
        for operand in place.op.operands:
            users[operand].append(place.op)

    def known(value: Value) -> bool:
        return all(known(user.result) if user.name in _CONVERSIONS else user in events for user in users[value])

    return {place.op for place in places if place.op.name in ADDRESS and not known(place.op.result)}


def first_trip(values: Values, expression: Linear) -> int | None:
    """The number in the first trip of all loops; None if unknown."""
    first = values.atoms.substitute(expression, {variable: constant(0) for variable in expression.variables})
    return first.constant if first.is_constant else None


def converted(value: Value) -> Value:
    """The value that integer conversions made this one of."""
    while isinstance(value.owner, Op) and value.owner.name in _CONVERSIONS:
        value = value.owner.operands[0]
    return value
