"""Races in global memory, between groups, engines and CTAs. Atomics that release and acquire order them.

Kept for each granule (the smallest element by which a storage has been accessed): the last write, and some of the reads
since. Atomics don't race with each other, nor with volatile loads; writes of what is there already race with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..ir.model import Op
from ..sim.descriptors import DESCRIPTOR_BYTES
from ..sim.pointers import Argument
from .clocks import Actor, Clock, Components, join
from .edges import order_words
from .findings import Finding
from .rules import GLOBAL_RACE
from .words import op_words, place_words, task_words

__all__ = ["GlobalRaces"]

_ALIGNMENT = 16
_ATOMIC = ("tt.atomic", "ttng.async_tma_reduce")
_MOST_READS = 8
"""Reads kept for each granule. The readers of an argument are usually alike: all ordered before a write, or none."""
_MOST_PLACES = 64
"""Addresses of one atomic that are told apart; larger ones release and acquire as if they met everywhere."""


class _Access:
    """One access to global memory."""

    __slots__ = ("actor", "atomic", "component", "op", "time", "writes")

    def __init__(self, actor: Actor, writes: bool, op: Op):
        self.actor = actor
        self.component, self.time = actor.epoch
        self.writes = writes
        self.op = op
        self.atomic = op.name.startswith(_ATOMIC) or bool(op.attributes.get("isVolatile"))

    def before(self, actor: Actor) -> bool:
        return actor.seen.get(self.component, 0) >= self.time


class _Storage:
    """Who last touched which bytes of adjoining storages.

    Args:
        start, end: its addresses; the first is a multiple of every element's size.
        name: of the arguments.
        granule: bytes of an element.
    """

    def __init__(self, start: int, end: int, name: str, granule: int):
        self.start, self.end, self.name, self.granule = start, end, name, granule
        size = -(-(end - start) // granule)
        self.writes = np.zeros(size, np.int32)
        self.reads = np.zeros(size, np.int32)
        self.released: dict[int, Clock] = {}
        self.released_anywhere: Clock = {}

    def places(self, addresses: np.ndarray, itemsize: int) -> np.ndarray:
        """The granules of elements at those addresses."""
        if itemsize < self.granule:
            factor = self.granule // itemsize
            self.writes, self.reads = (np.repeat(kept, factor) for kept in (self.writes, self.reads))
            self.granule = itemsize
        first = (addresses.reshape(-1) - self.start) // self.granule
        if itemsize == self.granule:
            return first
        return (first[:, None] + np.arange(itemsize // self.granule)).reshape(-1)


class GlobalRaces:
    """The storages of one run.

    Args:
        components: of the clocks.
        arguments: the storages.
        report: takes findings.
    """

    def __init__(self, components: Components, arguments: Iterable[Argument], report: Callable[[Finding], None]):
        self._components = components
        self._report = report
        self._storages = _storages(arguments)
        self._descriptors: dict[int, _Storage] = {}
        self._accesses: list[_Access | None] = [None]
        self._read_sets: list[tuple[int, ...]] = [()]
        self._set_numbers: dict[tuple[int, ...], int] = {(): 0}
        self._last: dict[int, int] = {}
        self._reported: set[tuple[Op, Op]] = set()

    def load(self, actor: Actor, addresses, itemsize: int, op: Op) -> None:
        """Checks a read, and notes it."""
        addresses = np.asarray(addresses)
        storage = self._storage(addresses, itemsize)
        if storage is None:
            return
        number = self._number(actor, False, op)
        access = self._accesses[number]
        if access.atomic and op.attributes.get("sem") in ("acquire", "acq_rel"):
            self._acquire(actor, storage, addresses)
        places = storage.places(addresses, itemsize)
        for earlier in _distinct(storage.writes[places]):
            self._compare(storage, self._accesses[earlier], access)
        sets = storage.reads[places]
        known = _distinct(sets, with_zero=True)
        if len(known) == 1:
            storage.reads[places] = self._with_read(known[0], number)
        else:
            table = np.zeros(max(known) + 1, np.int32)
            for each in known:
                table[each] = self._with_read(each, number)
            storage.reads[places] = table[sets]

    def store(self, actor: Actor, addresses, values: np.ndarray, op: Op, unchanged: Callable[[], bool]) -> None:
        """Checks a write, and notes it.

        Args:
            unchanged: tells whether memory has these values already.
        """
        addresses = np.asarray(addresses)
        storage = self._storage(addresses, values.itemsize)
        if storage is None:
            return
        number = self._number(actor, True, op)
        access = self._accesses[number]
        places = storage.places(addresses, values.itemsize)
        readers = {read for each in _distinct(storage.reads[places]) for read in self._read_sets[each]}
        racing = [
            earlier
            for earlier in (*_distinct(storage.writes[places]), *sorted(readers))
            if self._races(self._accesses[earlier], access)
        ]
        if racing and (values.itemsize == DESCRIPTOR_BYTES or not unchanged()):
            for earlier in racing:
                self._race(storage, self._accesses[earlier], access)
        storage.writes[places] = number
        storage.reads[places] = 0
        if access.atomic and op.attributes.get("sem") in ("release", "acq_rel"):
            self._release(actor, storage, addresses, op)

    def _storage(self, addresses: np.ndarray, itemsize: int) -> _Storage | None:
        """The one in which all addresses are; None where they are in several, or in none.

        What is accessed in units of 128 bytes is a tensor descriptor, in scratch memory.
        """
        if not addresses.size:
            return None
        if itemsize == DESCRIPTOR_BYTES:
            place = int(addresses[0])
            new = _Storage(place, place + itemsize, "a tensor descriptor", itemsize)
            return self._descriptors.setdefault(place, new)
        low, high = int(addresses.min()), int(addresses.max()) + itemsize
        return next((s for s in self._storages if s.start <= low and high <= s.end), None)

    def _number(self, actor: Actor, writes: bool, op: Op) -> int:
        """The number of an access; the same for those that nothing can come between."""
        last = self._accesses[self._last.get(actor.component, 0)]
        if last is None or (last.time, last.op, last.writes) != (actor.time, op, writes):
            self._last[actor.component] = len(self._accesses)
            self._accesses.append(_Access(actor, writes, op))
        return self._last[actor.component]

    def _with_read(self, known: int, number: int) -> int:
        """The number of a set of reads with another one in it."""
        component = self._accesses[number].component
        others = [read for read in self._read_sets[known] if self._accesses[read].component != component]
        together = (*others[-_MOST_READS + 1 :], number)
        if together not in self._set_numbers:
            self._set_numbers[together] = len(self._read_sets)
            self._read_sets.append(together)
        return self._set_numbers[together]

    # --- atomics -----------------------------------------------------------------------------------------------------

    def _release(self, actor: Actor, storage: _Storage, addresses: np.ndarray, op: Op) -> None:
        if addresses.size > _MOST_PLACES:
            join(storage.released_anywhere, actor.seen)
        else:
            for address in addresses.reshape(-1).tolist():
                join(storage.released.setdefault(address, {}), actor.seen)
        self._components.release(actor, op_words(op, storage.name), op)

    def _acquire(self, actor: Actor, storage: _Storage, addresses: np.ndarray) -> None:
        places = addresses.reshape(-1).tolist() if addresses.size <= _MOST_PLACES else storage.released.keys()
        for address in places:
            join(actor.seen, storage.released.get(address, {}))
        join(actor.seen, storage.released_anywhere)

    # --- races -------------------------------------------------------------------------------------------------------

    def _races(self, earlier: _Access, later: _Access) -> bool:
        return not earlier.before(later.actor) and not (earlier.atomic and later.atomic)

    def _compare(self, storage: _Storage, earlier: _Access, later: _Access) -> None:
        if self._races(earlier, later):
            self._race(storage, earlier, later)

    def _race(self, storage: _Storage, earlier: _Access, later: _Access) -> None:
        if (earlier.op, later.op) in self._reported or (later.op, earlier.op) in self._reported:
            return
        self._reported.add((earlier.op, later.op))
        first, second = sorted((earlier, later), key=lambda access: (access.writes, str(access.op.location)))
        known = self._components.last_known(later.actor.seen, earlier.component)
        self._report(
            Finding(
                GLOBAL_RACE,
                f"{_who(first, storage)} and {_who(second, storage)} are not ordered: "
                + order_words(_agent(earlier), _agent(later), known),
                first.op.location,
                second.op.location,
                task_words(first.actor.agent),
                task_words(second.actor.agent),
                storage.name,
                hint="order them by a barrier; across programs by atomics that release and acquire (sem='acq_rel'); a "
                "TMA store by a wait for its writes",
                program_id=first.actor.agent.cta.program_id,
            )
        )


def _storages(arguments: Iterable[Argument]) -> list[_Storage]:
    """Storages that overlap as one."""
    found: list[_Storage] = []
    for argument in sorted((a for a in arguments if a.nbytes), key=lambda a: a.start):
        start, itemsize = argument.start // _ALIGNMENT * _ALIGNMENT, argument.dtype.itemsize
        last = found[-1] if found else None
        if last is not None and start < last.end:
            names = last.name if argument.name in last.name.split("/") else f"{last.name}/{argument.name}"
            found[-1] = _Storage(last.start, max(last.end, argument.end), names, min(last.granule, itemsize))
        else:
            found.append(_Storage(start, argument.end, argument.name, itemsize))
    return found


def _distinct(numbers: np.ndarray, with_zero: bool = False) -> list[int]:
    """The different numbers, 0 not among them unless asked for."""
    first = int(numbers[0])
    found = [first] if (numbers == first).all() else np.unique(numbers).tolist()
    return found if with_zero else [number for number in found if number]


def _agent(access: _Access) -> str:
    return f"{task_words(access.actor.agent)} of program {access.actor.agent.cta.program_id}"


def _who(access: _Access, storage: _Storage) -> str:
    return f"the {'write' if access.writes else 'read'} of {storage.name} by {_agent(access)}{place_words(access.op)}"
