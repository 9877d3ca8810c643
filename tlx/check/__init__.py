"""Finds races, deadlocks and broken phases of a kernel without a GPU.

`tlx.check(kernel)[grid](...)` raises what it finds, `tlx.check.checking()` gathers it; `tlx check` is the command.
"""

import sys
from types import ModuleType

from .api import Checked, check, checking
from .errors import CheckError, LifetimeError, PhaseError, RaceError
from .findings import ERROR, NOTE, WARNING, Finding, Rule

__all__ = [
    "ERROR",
    "NOTE",
    "WARNING",
    "CheckError",
    "Checked",
    "Finding",
    "LifetimeError",
    "PhaseError",
    "RaceError",
    "Rule",
    "check",
    "checking",
]


class _Check(ModuleType):
    """Lets `tlx.check` be both the package and the function that users call."""

    def __call__(self, kernel, **options) -> Checked:
        return check(kernel, **options)


sys.modules[__name__].__class__ = _Check
