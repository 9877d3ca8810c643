"""Findings of several runs: each mistake once, with the schedules in which it was seen."""

from __future__ import annotations

from dataclasses import replace

from .findings import SEVERITIES, Finding

__all__ = ["Gathered"]


class Gathered:
    """Findings, each mistake once."""

    def __init__(self):
        self._by_key: dict[tuple, Finding] = {}

    def add(self, finding: Finding, seed: int | None) -> None:
        """Adds a finding of the schedule with that seed; None if no schedule was run."""
        known = self._by_key.setdefault(finding.key, finding)
        if seed is not None and seed not in known.seeds:
            self._by_key[finding.key] = replace(known, seeds=(*known.seeds, seed))

    @property
    def findings(self) -> list[Finding]:
        """Errors first, then by rule, in the order in which they were found."""
        return sorted(self._by_key.values(), key=lambda finding: (SEVERITIES.index(finding.severity), finding.id))
