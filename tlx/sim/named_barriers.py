"""The hardware's named barriers of a CTA, as the PTX ISA defines `barrier.cta`."""

from __future__ import annotations

from ..ir.model import Op
from .agents import Agent, Condition, Observer, Signal
from .errors import BarrierMisuse

__all__ = ["NamedBarrier", "NamedBarriers"]


class NamedBarrier:
    """One named barrier: a phase is complete when as many threads have arrived as its first arrival said.

    Args:
        number: the hardware's.
        observer: sees every event.
    """

    def __init__(self, number: int, observer: Observer):
        self.full_name = f"named barrier {number}"
        self.observer = observer
        self.threads = 0
        self.arrived = 0
        self.phases_done = 0
        self.signal = Signal()

    def arrive(self, agent: Agent, own: int, threads: int, op: Op) -> None:
        """The `own` threads of a warp group arrive in a phase of `threads`.

        Raises:
            BarrierMisuse: another arrival of the phase named another number, or too many threads come.
        """
        self.observer.arrive(agent, self, own, op)
        if self.arrived and threads != self.threads:
            raise BarrierMisuse(
                f"{self.full_name}: {threads} threads are waited for here and {self.threads} elsewhere",
                hint="give every wait and arrive of a named barrier the same thread count",
            )
        self.threads = threads
        self.arrived += own
        if self.arrived > threads:
            raise BarrierMisuse(f"{self.full_name}: {self.arrived} threads arrive in a phase of {threads}")
        if self.arrived == threads:
            self.observer.complete(self, self.phases_done)
            self.arrived = 0
            self.phases_done += 1
            self.signal.notify()

    def wait(self, agent: Agent, phase: int, op: Op):
        """Waits until that phase is complete."""
        while self.phases_done <= phase:
            words = f"{self.full_name}: {self.arrived} of {self.threads} threads"
            yield Condition(self.signal, words)
        self.observer.wait(agent, self, phase, op)


class NamedBarriers:
    """The named barriers of one CTA, by number."""

    def __init__(self, observer: Observer):
        self._observer = observer
        self._by_number: dict[int, NamedBarrier] = {}

    def __getitem__(self, number: int) -> NamedBarrier:
        if number not in self._by_number:
            self._by_number[number] = NamedBarrier(number, self._observer)
        return self._by_number[number]
