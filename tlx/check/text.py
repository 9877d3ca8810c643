"""Findings as text: both source lines with carets, who acts there, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from ..source import Location
from .findings import Finding

__all__ = ["heading", "lines_of", "plain"]


def plain(findings: list[Finding]) -> str:
    """All findings, one after the other."""
    return "\n\n".join("\n".join([heading(finding), *lines_of(finding)]) for finding in findings)


def heading(finding: Finding) -> str:
    """`error TLX-R001 race-read-write: ...`"""
    return f"{finding.severity} {finding.id} {finding.rule.name}: {finding.message}"


def lines_of(finding: Finding) -> Iterator[str]:
    """What stands below the heading."""
    for location, group in ((finding.location, finding.group), (finding.other_location, finding.other_group)):
        yield from _place(location, group)
    if finding.hint:
        yield f"help: {finding.hint}"
    if finding.seeds:
        yield f"seen in {_schedules(finding)}"


def _place(location: Location, group: str) -> Iterator[str]:
    if location.known:
        first, *rest = location.render().splitlines()
        yield f"{first} ({group})" if group else first
        yield from rest


def _schedules(finding: Finding) -> str:
    seeds = ", ".join(map(str, finding.seeds[:8])) + (", ..." if len(finding.seeds) > 8 else "")
    return f"schedule{'s' if len(finding.seeds) > 1 else ''} {seeds}"
