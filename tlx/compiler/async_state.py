"""What a trace knows of the asynchronous engines and of peers: MMAs still running, stores that are not yet seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag

__all__ = ["AsyncState", "FunctionEnd", "Unseen"]


class Unseen(Flag):
    """Who may not yet see what the task's ordinary stores have written."""

    NOBODY = 0
    ENGINES = 1  # TMA and the tensor cores: shared memory is written and not fenced (`fence.proxy.async`)
    PEERS = 2  # other CTAs of the cluster: memory is written and not released at the cluster's scope


class AsyncState:
    """State of one function's trace, in program order.

    Args:
        unseen: who may not yet see earlier stores.

    `issued` counts the asynchronous MMAs issued so far on every path; its differences tell the age of a result.
    `signals` counts the arrivals on barriers of peers that were traced so far.
    """

    def __init__(self, unseen: Unseen = Unseen.NOBODY):
        self.issued = 0
        self.signals = 0
        self.unseen = unseen

    def issue(self) -> int:
        """Counts one more MMA; returns its number."""
        self.issued += 1
        return self.issued

    def completed_by(self, pendings: int, number: int | None) -> bool:
        """Whether a wait that leaves `pendings` MMAs running completes MMA `number`; None is the last one issued."""
        return pendings == 0 or (number is not None and self.issued - number >= pendings)

    def fork(self) -> tuple[int, Unseen]:
        """The state to come back to with `rejoin`, before a region that may not run."""
        return self.issued, self.unseen

    def restore(self, state: tuple[int, Unseen]) -> None:
        """Goes back to a state of `fork`."""
        self.issued, self.unseen = state

    def rejoin(self, *states: tuple[int, Unseen]) -> None:
        """Continues after regions that ended in these states, any of which may have been the one that ran.

        Fewer MMAs issued and unseen stores are the cautious assumptions.
        """
        self.issued = min(issued for issued, _ in states)
        self.unseen = Unseen.NOBODY
        for _, unseen in states:
            self.unseen |= unseen


@dataclass
class FunctionEnd:
    """How the traces of a function in one context end.

    Args:
        unseen: who may not yet see its stores.
        signals: whether it arrives on barriers of peers.
    """

    unseen: Unseen = Unseen.NOBODY
    signals: bool = False

    def add(self, engines: AsyncState) -> None:
        """Takes in one more trace."""
        self.unseen |= engines.unseen
        self.signals |= engines.signals > 0

    def returned_to(self, caller: AsyncState) -> None:
        """Continues the caller's trace behind a call."""
        caller.unseen = self.unseen
        caller.signals += self.signals
