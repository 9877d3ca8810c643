"""`tlx.check(kernel)[grid](...)` and `checking()`: launches in the simulator with every rule applied."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..sim import simulating
from ..sim.errors import SimulationWarning
from .checker import Checker
from .errors import raise_errors
from .findings import Finding
from .static import check_module

__all__ = ["Checked", "SCHEDULES", "check", "checking"]

SCHEDULES = 3
"""Schedules that a launch is run under; the rules need one, the others are for what only running finds."""


@contextmanager
def checking(*, seed: int = 0, schedules: int = SCHEDULES) -> Iterator[Checker]:
    """Within the block, launches run in the simulator and are checked; nothing that is found is raised.

    Args:
        seed: of the first schedule.
        schedules: how many each launch runs under, from the same memory.

    Gives an object whose `findings` are, at any time, what the launches so far do wrong, errors first. Arguments must
    be in CPU memory.

    Raises:
        UnsupportedOp, UnsupportedLayout, ArgumentError: the simulator can't run a launch.
    """
    checker = Checker(check_module)
    with simulating(seed=seed, schedules=schedules, observer=checker), warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # they are findings here
        yield checker


class Checked:
    """A kernel whose launches are checked.

    Args:
        kernel: a function made by `tlx.jit`, `triton.jit` or `gluon.jit`.
        seed, schedules: as for `checking`.
    """

    def __init__(self, kernel: Any, seed: int, schedules: int):
        self._kernel = kernel
        self._seed = seed
        self._schedules = schedules

    def __getitem__(self, grid) -> Callable[..., list[Finding]]:
        """A function that launches the kernel on that grid and gives the warnings and notes.

        It raises a `CheckError` with all findings if there is an error among them.
        """

        def launch(*arguments, **options) -> list[Finding]:
            with checking(seed=self._seed, schedules=self._schedules) as checker:
                self._kernel[grid](*arguments, **options)
            raise_errors(checker.findings)
            return checker.findings

        return launch


def check(kernel: Any, *, seed: int = 0, schedules: int = SCHEDULES) -> Checked:
    """`tlx.check(kernel)[grid](...)` launches the kernel in the simulator and looks for every mistake it knows.

    Args:
        kernel: a function made by `tlx.jit`, `triton.jit` or `gluon.jit`.
        seed: of the first schedule.
        schedules: how many to run.

    The launch returns warnings and notes.

    Raises:
        CheckError: one of `RaceError`, `PhaseError`, `LifetimeError` or their base, with all findings.
    """
    return Checked(kernel, seed, schedules)
