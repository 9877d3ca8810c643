"""Findings as JSON; `docs/check.md` documents the schema."""

from __future__ import annotations

from ..source import Location
from .findings import ERROR, SEVERITIES, Finding

__all__ = ["SCHEMA", "record", "report_record"]

SCHEMA = 1
"""Version of the schema: goes up if a field goes or changes its meaning."""


def report_record(findings: list[Finding], schedules: int) -> dict:
    """The whole report."""
    counts = {severity: sum(f.severity == severity for f in findings) for severity in SEVERITIES}
    return {
        "schema": SCHEMA,
        "schedules": schedules,
        "clean": counts[ERROR] == 0,
        "counts": counts,
        "findings": [record(finding) for finding in findings],
    }


def record(finding: Finding) -> dict:
    """One finding."""
    return {
        "id": finding.id,
        "rule": finding.rule.name,
        "severity": finding.severity,
        "title": finding.rule.title,
        "message": finding.message,
        "hint": finding.hint,
        "location": _location(finding.location),
        "other_location": _location(finding.other_location),
        "group": finding.group,
        "other_group": finding.other_group,
        "buffer": finding.buffer,
        "slot": finding.slot,
        "phase": finding.phase,
        "program_id": list(finding.program_id) if finding.program_id else None,
        "seeds": list(finding.seeds),
    }


def _location(location: Location) -> dict | None:
    if not location.known:
        return None
    return {
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "source": location.source_line(),
        "callers": [{"file": caller.file, "line": caller.line} for caller in location.callers],
    }
