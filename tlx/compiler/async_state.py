"""What a trace knows of the asynchronous engines: MMAs still running and shared memory not yet fenced."""

from __future__ import annotations

__all__ = ["AsyncState"]


class AsyncState:
    """State of one function's trace, in program order.

    Args:
        issued: asynchronous MMAs issued so far on every path; its differences tell the age of a result.
        unfenced: whether ordinary stores to shared memory may not yet be visible to TMA and the tensor cores.
    """

    def __init__(self, unfenced: bool = False):
        self.issued = 0
        self.unfenced = unfenced

    def issue(self) -> int:
        """Counts one more MMA; returns its number."""
        self.issued += 1
        return self.issued

    def completed_by(self, pendings: int, number: int | None) -> bool:
        """Whether a wait that leaves `pendings` MMAs running completes MMA `number`; None is the last one issued."""
        return pendings == 0 or (number is not None and self.issued - number >= pendings)

    def fork(self) -> tuple[int, bool]:
        """The state to come back to with `rejoin`, before a region that may not run."""
        return self.issued, self.unfenced

    def restore(self, state: tuple[int, bool]) -> None:
        """Goes back to a state of `fork`."""
        self.issued, self.unfenced = state

    def rejoin(self, *states: tuple[int, bool]) -> None:
        """Continues after regions that ended in these states, any of which may have been the one that ran.

        Fewer MMAs issued and unfenced memory are the cautious assumptions.
        """
        self.issued = min(issued for issued, _ in states)
        self.unfenced = any(unfenced for _, unfenced in states)
