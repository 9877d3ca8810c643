"""Candidates compiled in several processes at once; one that takes too long is ended and replaced."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import Any

from .candidate import Candidate
from .child import Child, ChildDied, ChildError, ChildTimeout
from .compiling import Compiled, Rejected, first_line, too_long
from .reference import Unreachable

__all__ = ["OPEN_SECONDS", "CompilePool"]

OPEN_SECONDS = 300.0
"""For a process to import the kernel's module and make the arguments."""


MOST = 32  # each has a Python, a Triton and perhaps a torch of its own in memory


class CompilePool:
    """Processes that compile.

    Args:
        processes: how many at most; None for one a core, up to 32.
        seconds: the most that one candidate may take.
        opening: what each process is told first.
    """

    def __init__(self, processes: int | None, seconds: float, opening: tuple):
        self._most = processes or min(MOST, len(os.sched_getaffinity(0)))
        self._seconds = seconds
        self._opening = opening
        self._idle: list[Child] = []
        self._busy: dict[Child, Candidate | None] = {}

    def compile(
        self,
        candidates: Sequence[Candidate],
        done: Callable[[Candidate, Compiled | Rejected], Any],
        over: Callable[[], bool],
    ) -> None:
        """Compiles candidates; calls `done` for each when it is. None is begun once `over` says that time is up.

        Raises:
            Unreachable: the processes can't find the kernel.
        """
        todo = deque(candidates)
        while todo or any(self._busy.values()):
            if over():
                todo.clear()
            while self._idle and todo:
                self._give(self._idle.pop(), todo.popleft())
            while len(self._busy) < min(self._most, len(todo) + sum(c is not None for c in self._busy.values())):
                self._start()
            for child in self._ready() if self._busy else ():
                self._take(child, done)

    def close(self) -> None:
        """Ends all processes."""
        for child in [*self._idle, *self._busy]:
            child.end()
        self._idle, self._busy = [], {}

    def _start(self) -> None:
        child = Child("compiler", backend="gpu")  # "gpu": importing tlx looks for none and changes no driver
        self._busy[child] = None
        child.ask("open", *self._opening)

    def _give(self, child: Child, candidate: Candidate) -> None:
        self._busy[child] = candidate
        child.ask("compile", candidate)

    def _limit(self, child: Child) -> float:
        return OPEN_SECONDS if self._busy[child] is None else self._seconds

    def _ready(self) -> list[Child]:
        """The processes that have answered, or whose time is up."""
        left = min(self._limit(child) - child.waiting_seconds for child in self._busy)
        answered = wait([child.connection for child in self._busy], max(0.0, left))
        return [c for c in self._busy if c.connection in answered or c.waiting_seconds >= self._limit(c)]

    def _take(self, child: Child, done: Callable) -> None:
        candidate, alive = self._busy.pop(child), True
        try:
            result = child.answer(0)
        except ChildError as error:
            result = Rejected("compile", first_line(str(error)))
        except ChildTimeout:
            result, alive = too_long("compile", self._seconds), False
        except ChildDied as death:
            result, alive = Rejected("crash", str(death)), False
        opened = candidate is not None or not isinstance(result, Rejected)
        if alive and opened:
            self._idle.append(child)
        else:
            child.end()
        if not opened:
            raise Unreachable(result.reason)
        if candidate is not None:
            done(candidate, result)
