"""What a warp group has started and not yet waited for: MMA, TMA stores and cp.async, each in commit groups."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np

from ..ir.model import Op
from .agents import Agent, Condition, Observer
from .errors import UnfinishedResult

if TYPE_CHECKING:
    from .barriers import Barrier
    from .cta import CTA

__all__ = ["Engine", "Queue", "Unfinished"]


class Engine(Agent):
    """One operation of an engine, from its issue to its completion.

    Args:
        signals: the barrier that it signals when it is done, if any.
        cta: in which it acts; its issuer's if None.

    `reads_done` says that it won't read shared memory any more, `retired` that its issuer has waited for it.
    """

    __slots__ = ("reads_done", "retired", "signals")

    def __init__(self, kind: str, op, issuer: Agent, signals: Barrier | None = None, cta: CTA | None = None):
        super().__init__(kind, f"{kind} of {issuer.name}", op=op, issuer=issuer, cta=cta)
        self.signals = signals
        self.reads_done = False
        self.retired = False

    def finish_reads(self) -> None:
        """Tells those who wait for the reads that they are done."""
        self.reads_done = True
        self.finished.notify()


class Unfinished:
    """The result of an async MMA: a tensor that may be read once a wait has retired the MMA."""

    __slots__ = ("engine", "value")

    def __init__(self):
        self.engine: Engine | None = None
        self.value: np.ndarray | None = None

    def read(self, agent: Agent, op: Op) -> Generator[Condition, None, np.ndarray]:
        """The tensor; waits until the MMA has run if `UnfinishedResult`, that no wait has retired it, is let pass."""
        if not self.engine.retired:
            issued = self.engine.op.location
            error = UnfinishedResult(
                "the result of an async MMA is read before the wait that retires it"
                + (f" (MMA issued at {issued})" if issued.known else ""),
                hint="wait with fewer pending MMAs before using the result",
            )
            agent.cta.observer.mistake(agent, error, op)
            while not self.engine.done:
                yield Condition(self.engine.finished, "an MMA to complete")
        return self.value


class Queue:
    """One warp group's outstanding operations of one engine, in commit groups, oldest first.

    Args:
        name: of the engine, for reports.
        observer: sees what is retired.
    """

    def __init__(self, name: str, observer: Observer):
        self.name = name
        self._observer = observer
        self._groups: list[list[Engine]] = []
        self._open: list[Engine] = []
        self._reads_retired = 0

    def add(self, engine: Engine) -> None:
        """Adds an operation to the group that the next commit closes."""
        self._open.append(engine)

    def commit(self) -> None:
        """Closes a group; an empty one counts too."""
        self._groups.append(self._open)
        self._open = []

    @property
    def last(self) -> Engine | None:
        """The operation issued last among those that nobody has waited for."""
        groups = [*self._groups, self._open]
        return next((group[-1] for group in reversed(groups) if group), None)

    def wait(self, agent: Agent, pending: int) -> Generator[Condition, None, None]:
        """Waits until all but the last `pending` groups are complete."""
        count = max(len(self._groups) - pending, 0)
        for group in self._groups[:count]:
            yield from self.follow(agent, group)
        del self._groups[:count]
        self._reads_retired = max(self._reads_retired - count, 0)

    def follow(self, agent: Agent, engines: list[Engine]) -> Generator[Condition, None, None]:
        """Waits until these operations are complete."""
        for engine in engines:
            while not engine.done:
                yield Condition(engine.finished, f"{self.name} to complete")
            engine.retired = True
            self._observer.retire(agent, engine, reads_only=False)

    def wait_reads(self, agent: Agent, pending: int) -> Generator[Condition, None, None]:
        """Waits until all but the last `pending` groups have read their sources."""
        count = max(len(self._groups) - pending, 0)
        for group in self._groups[self._reads_retired : count]:
            for engine in group:
                while not engine.reads_done:
                    yield Condition(engine.finished, f"{self.name} to read its source")
                engine.retired = True
                self._observer.retire(agent, engine, reads_only=True)
        self._reads_retired = max(self._reads_retired, count)

    def unretired(self) -> list[Engine]:
        """Operations that no wait covers, and which may therefore still touch shared memory."""
        return [engine for group in [*self._groups, self._open] for engine in group if not engine.retired]
