"""Who acts in the machine, and who watches: agents, what they wait for, and the observer that sees every event.

Everything that could conflict with another agent goes through one place each: `SharedMemory.read/write`,
`Barrier.arrive/expect/land/wait`, `WarpGroup.fence`, `Agent` creation and `Queue.retire`. Each of them calls the
observer, so a checker that keeps vector clocks needs nothing else from the machine. It is also asked what to do about
a mistake: the one here raises the error, a checker may note it and let the machine go on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from ..ir.model import Op

if TYPE_CHECKING:
    from .cta import CTA
    from .launch import Launch

__all__ = ["Agent", "Condition", "Observer", "Signal"]


class Signal:
    """Something that may let waiting agents go on; they check their condition again when it is notified."""

    __slots__ = ("waiters",)

    def __init__(self):
        self.waiters: list[Agent] = []

    def notify(self) -> None:
        """Makes all waiting agents runnable."""
        waiting, self.waiters = self.waiters, []
        for agent in waiting:
            agent.resume(agent)


class Condition:
    """What a blocked agent waits for: `signal` says when to look again, `words` what it is.

    A coroutine waits with `while not ready: yield condition`. `barrier` and `parity` are those of an mbarrier's phase;
    `cause` says, where it is another kind of barrier, why it may never come.
    """

    __slots__ = ("barrier", "cause", "parity", "signal", "words")

    def __init__(
        self,
        signal: Signal,
        words: str,
        barrier=None,
        parity: int | None = None,
        cause: Callable[[], str] | None = None,
    ):
        self.signal = signal
        self.words = words
        self.barrier = barrier
        self.parity = parity
        self.cause = cause


class Agent:
    """One thread of control: a warp group, or one operation of an engine from its issue to its completion.

    Args:
        kind: `group`, `tma_load`, `tma_store`, `mma`, `cp_async`, `st_async` or `bulk_copy`.
        name: for reports.
        coroutine: what it does; yields None where others may run, or a `Condition` that it waits for.
        op: the op that issued it; None for a warp group.
        issuer: the agent that issued it.
        cta: where it acts; its issuer's if None.
    """

    __slots__ = ("blocked_on", "coroutine", "cta", "done", "finished", "issuer", "kind", "name", "op", "resume")

    def __init__(
        self,
        kind: str,
        name: str,
        coroutine: Generator[Condition | None, None, Any] | None = None,
        op: Op | None = None,
        issuer: Agent | None = None,
        cta: CTA | None = None,
    ):
        self.kind = kind
        self.name = name
        self.coroutine = coroutine
        self.op = op
        self.issuer = issuer
        self.cta = cta or (issuer and issuer.cta)
        self.done = False
        self.finished = Signal()
        self.blocked_on: Condition | None = None
        self.resume: Callable[[Agent], None] = lambda agent: None

    def step(self) -> bool:
        """Runs to the next point where others may run; False once it waits or has ended."""
        self.blocked_on = None
        try:
            condition = next(self.coroutine)
        except StopIteration:
            self.done = True
            self.finished.notify()
            return False
        if condition is None:
            return True
        self.blocked_on = condition
        condition.signal.waiters.append(self)
        return False


class Observer:
    """Sees every event that orders agents or touches shared state; this one does nothing with it."""

    def begin(self, launch: Launch) -> None:
        """`launch` is about to run its grid under its seed."""

    def end(self, launch: Launch) -> None:
        """All CTAs of `launch` have ended."""

    def start_cta(self, cta: CTA) -> None:
        """`cta` is about to run the kernel."""

    def end_cta(self, cta: CTA) -> None:
        """The kernel has ended in `cta`."""

    def mistake(self, agent: Agent, error: Exception, op: Op, subject=None) -> None:
        """`agent` does something wrong at `op`, with `subject`, a view or a barrier, that needn't stop the machine.

        Raises:
            SimulationError: `error`, if the machine shall stop.
        """
        raise error

    def stopped(self, launch: Launch, error: Exception) -> bool:
        """`launch` can't go on because of `error`; whether the next schedule shall run instead of raising it."""
        return False

    def read(self, agent: Agent, view, op: Op, cta: CTA) -> None:
        """`agent` has read the bytes of `view` (a `MemDesc`) in the shared memory of `cta`."""

    def write(self, agent: Agent, view, op: Op, cta: CTA) -> None:
        """`agent` has written the bytes of `view` in the shared memory of `cta`."""

    def load(self, agent: Agent, addresses, itemsize: int, op: Op) -> None:
        """`agent` reads elements of global memory."""

    def store(self, agent: Agent, addresses, values, op: Op) -> None:
        """`agent` is about to write elements of global memory."""

    def memory_fence(self, agent: Agent, op: Op) -> None:
        """`agent` orders its accesses of global memory (`fence.acq_rel`)."""

    def issue(self, engine: Agent) -> None:
        """`engine.issuer` has started `engine`."""

    def retire(self, agent: Agent, engine: Agent, reads_only: bool) -> None:
        """`agent` has waited for `engine`: all of it, or, with `reads_only`, its reads of shared memory."""

    def initialize(self, agent: Agent, barrier, op: Op) -> None:
        """`agent` has begun phase 0 of `barrier`."""

    def publish(self, agent: Agent, op: Op) -> None:
        """`agent` makes the barriers that it has initialised known to the cluster (`fence.mbarrier_init`)."""

    def invalidate(self, agent: Agent, barrier, op: Op) -> None:
        """`agent` has ended the use of `barrier`."""

    def abandon(self, agent: Agent, barrier, buffer) -> None:
        """The memory of `barrier`, initialised and never used, belongs to `buffer` from now on."""

    def arrive(self, agent: Agent, barrier, count: int, op: Op) -> None:
        """`agent` arrives `count` times in the open phase of `barrier`."""

    def land(self, engine: Agent, barrier, count: int, op: Op) -> None:
        """`count` bytes written by `engine` are counted in the open phase of `barrier`."""

    def complete(self, barrier, phase: int) -> None:
        """Phase `phase` of `barrier` is complete."""

    def wait(self, agent: Agent, barrier, phase: int, op: Op) -> None:
        """`agent` goes on because phase `phase` is complete; -1 is the phase before the first."""

    def fence(self, agent: Agent, op: Op) -> None:
        """`agent` makes its view of shared memory known to the async proxy."""

    def synchronize(self, agents: list[Agent], op: Op) -> None:
        """Every one of `agents` is ordered after what the others did: a fork, a join or a CTA-wide barrier."""
