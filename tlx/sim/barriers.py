"""mbarriers, as the PTX ISA defines them ("Parallel Synchronization and Communication Instructions: mbarrier")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.model import Op
from .agents import Agent, Condition, Observer, Signal
from .errors import BarrierMisuse, LeftoverPhase
from .memory import BARRIER, DATA, POISON, Buffer, MemDesc, SharedMemory

if TYPE_CHECKING:
    from .cta import CTA

__all__ = ["Barrier", "Barriers"]

MAX_COUNT = 2**20 - 1
"""Most arrivals of one phase, and most bytes outstanding."""

WORD_BYTES = 8
"""Of an mbarrier."""


class Barrier:
    """One mbarrier.

    A phase is complete when `count` arrivals have come and as many bytes have landed as were expected; the next phase
    begins at once. Bytes may land before they are expected.

    Args:
        view: its 8 bytes of shared memory.
        count: arrivals of a phase.
        observer: sees every event.
        cta: in whose shared memory it is.

    `used` says whether anybody has arrived, waited or landed bytes.
    """

    def __init__(self, view: MemDesc, count: int, observer: Observer, cta: CTA | None = None):
        self.cta = cta
        self.name = view.buffer.name
        self.slot = view.path[-1] if view.path else None
        self.full_name = view.name
        self.allocation = view.buffer.op
        self.count = count
        self.pending = count
        self.bytes_expected = 0
        self.bytes_missing = 0
        self.phases_done = 0
        self.used = False
        self.signal = Signal()
        self.observer = observer
        # One condition for each parity: every group that waits shares it.
        self._conditions = [
            Condition(self.signal, f"{self.full_name}, parity {parity}", self, parity) for parity in (0, 1)
        ]

    @property
    def arrived(self) -> int:
        """Arrivals in the open phase."""
        return self.count - self.pending

    @property
    def inside_phase(self) -> bool:
        """Whether the open phase has begun."""
        return self.pending != self.count or self.bytes_missing != 0

    def arrive(self, agent: Agent, count: int, op: Op) -> None:
        """`mbarrier.arrive` with a count.

        Raises:
            BarrierMisuse: more arrivals than the phase has left.
        """
        self.used = True
        self.observer.arrive(agent, self, count, op)
        if not 1 <= count <= self.pending:
            error = BarrierMisuse(
                f"{self.full_name}: {count} arrivals when phase {self.phases_done} has {self.arrived} of {self.count}",
                hint="give the barrier a larger arrive count, or wait for the phase before arriving again",
            )
            self.observer.mistake(agent, error, op, self)
        self.pending -= min(count, self.pending)
        self._advance()

    def add_arrivals(self, count: int) -> None:
        """The open phase needs so many arrivals more than others do."""
        self.pending += count

    def expect(self, agent: Agent, nbytes: int, op: Op) -> None:
        """`mbarrier.arrive.expect_tx`: announces bytes, then arrives once."""
        self.bytes_expected += nbytes
        self.bytes_missing += nbytes
        self.arrive(agent, 1, op)

    def land(self, engine: Agent, nbytes: int, op: Op) -> None:
        """`mbarrier.complete_tx`: bytes have been written."""
        self.used = True
        self.observer.land(engine, self, nbytes, op)
        self.bytes_missing -= nbytes
        if abs(self.bytes_missing) > MAX_COUNT:
            raise BarrierMisuse(f"{self.full_name}: {-self.bytes_missing:,} bytes landed that nobody expected")
        self._advance()

    def passed(self, parity: int) -> bool:
        """`mbarrier.test_wait.parity`: whether the last completed phase has that parity; none counts as odd.

        Raises:
            BarrierMisuse: a parity other than 0 and 1.
        """
        if parity not in (0, 1):
            raise BarrierMisuse(f"{self.full_name}: parity {parity} must be 0 or 1", hint="take the phase & 1")
        return self.phases_done & 1 != parity

    def wait(self, agent: Agent, op: Op) -> None:
        """An agent goes on because the last completed phase is the one it waited for."""
        self.used = True
        self.observer.wait(agent, self, self.phases_done - 1, op)

    def condition(self, parity: int) -> Condition:
        """What a group waits for until `passed(parity)`."""
        return self._conditions[parity]

    def _advance(self) -> None:
        if self.pending or self.bytes_missing:
            return
        self.observer.complete(self, self.phases_done)
        self.phases_done += 1
        self.pending = self.count
        self.bytes_expected = 0
        self.signal.notify()

    def leftover(self) -> LeftoverPhase:
        """The open phase, for a warning."""
        return LeftoverPhase(
            self.name,
            self.slot,
            self.phases_done,
            self.arrived,
            self.count,
            self.bytes_missing,
            self.allocation.location,
        )


class Barriers:
    """The initialised mbarriers of one CTA, by the address of their word."""

    def __init__(self, memory: SharedMemory, observer: Observer):
        self._memory = memory
        self._observer = observer
        self._by_start: dict[int, Barrier] = {}

    def __iter__(self):
        return iter(self._by_start.values())

    def initialize(self, agent: Agent, view: MemDesc, count: int, op: Op) -> Barrier:
        """`mbarrier.init`.

        Raises:
            BarrierMisuse: a count out of range, or an mbarrier that is live already.
        """
        if not 1 <= count <= MAX_COUNT:
            raise BarrierMisuse(f"{view.name}: arrive count {count} must be in 1..{MAX_COUNT:,}")
        if view.start in self._by_start:
            other = self._by_start[view.start]
            raise BarrierMisuse(
                f"{view.name} is initialised where {other.full_name} is still a live mbarrier",
                hint="invalidate it first",
            )
        self._memory.state[view.byte_offsets()] = BARRIER
        self._by_start[view.start] = barrier = Barrier(view, count, self._observer, self._memory.cta)
        self._observer.initialize(agent, barrier, op)
        return barrier

    def invalidate(self, agent: Agent, view: MemDesc, op: Op) -> None:
        """`mbarrier.inval`: the memory may be used for something else."""
        self._observer.invalidate(agent, self.at(view), op)
        del self._by_start[view.start]
        self._memory.state[view.byte_offsets()] = POISON

    def has(self, address: int) -> bool:
        """Whether the word of an mbarrier begins there."""
        return address in self._by_start

    def at_address(self, address: int) -> Barrier:
        """The mbarrier whose word begins there.

        Raises:
            BarrierMisuse: there is none.
        """
        if address not in self._by_start:
            raise BarrierMisuse(f"no mbarrier is at shared address {address}", hint="initialise it first")
        return self._by_start[address]

    def abandon_unused(self, agent: Agent, buffer: Buffer) -> None:
        """Forgets the barriers that nobody has used and whose memory the allocator gives to `buffer`.

        Triton's own warp specialization initialises barriers that it then has no use for (3.6 and 3.7).
        """
        for start, barrier in list(self._by_start.items()):
            inside = buffer.start <= start < buffer.start + buffer.nbytes
            if inside and not barrier.used and barrier.allocation is not buffer.op:
                self._observer.abandon(agent, barrier, buffer)
                del self._by_start[start]
                self._memory.state[start : start + WORD_BYTES] = POISON

    def at(self, view: MemDesc) -> Barrier:
        """The mbarrier in that memory.

        Raises:
            BarrierMisuse: there is none.
        """
        barrier = self._by_start.get(view.start)
        if barrier is None:
            data = (self._memory.state[view.byte_offsets()] == DATA).any()
            raise BarrierMisuse(
                f"{view.name} is used as an mbarrier but " + ("holds data" if data else "was never initialised"),
                hint="initialise it before the warp groups start",
            )
        return barrier
