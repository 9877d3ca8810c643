"""What a check raises: one class for each family of rules, with the findings."""

from __future__ import annotations

from ..sim.errors import SimulationError
from . import rules
from .findings import ERROR, Finding
from .text import plain

__all__ = ["CheckError", "LifetimeError", "PhaseError", "RaceError", "raise_errors"]


class CheckError(SimulationError):
    """Base of what `tlx.check` raises. `findings` has all that was found; the first is an error of this class's family.

    Args:
        findings: errors first.
    """

    def __init__(self, findings: list[Finding]):
        self.findings = findings
        first = findings[0]
        super().__init__(plain(findings), location=first.location)

    def __str__(self) -> str:
        return self.what

    def __reduce__(self):
        return type(self), (self.findings,)


class RaceError(CheckError):
    """Accesses to the same memory that nothing orders, or that no proxy fence separates."""


class PhaseError(CheckError):
    """Barriers whose phases don't fit together: deadlocks, early arrivals, phases that can be missed."""


class LifetimeError(CheckError):
    """Something is used before it is there, or after it has gone."""


_FAMILIES = {
    RaceError: (rules.RACE_READ_WRITE, rules.RACE_WRITE_WRITE, rules.MISSING_FENCE, rules.GLOBAL_RACE),
    PhaseError: (
        rules.EARLY_ARRIVAL,
        rules.MISSABLE_PHASE,
        rules.STALE_WAIT,
        rules.OVER_ARRIVAL,
        rules.DEADLOCK,
        rules.BARRIER_MISUSE,
    ),
    LifetimeError: (
        rules.UNINITIALIZED_READ,
        rules.ENGINE_IN_FLIGHT,
        rules.RESULT_USED_EARLY,
        rules.PEER_NOT_READY,
        rules.PEER_GONE,
    ),
}


def raise_errors(findings: list[Finding]) -> None:
    """Raises for the first error among the findings; warnings and notes alone raise nothing.

    Raises:
        CheckError: of the family of that error.
    """
    first = next((finding for finding in findings if finding.severity == ERROR), None)
    if first is not None:
        family = next((kind for kind, family in _FAMILIES.items() if first.rule in family), CheckError)
        raise family([first, *(finding for finding in findings if finding is not first)])
