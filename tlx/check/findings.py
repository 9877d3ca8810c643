"""What a check has found: rules with stable ids, and findings that point at the user's lines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..source import Location

__all__ = ["ERROR", "NOTE", "SEVERITIES", "WARNING", "Finding", "Rule"]

ERROR, WARNING, NOTE = SEVERITIES = ("error", "warning", "note")
"""An error is wrong in some schedule; a warning ends well by luck; a note says what could not be decided."""


@dataclass(frozen=True)
class Rule:
    """One kind of mistake.

    Args:
        id: stable, `TLX-R...` where the kernel runs, `TLX-S...` where its TTGIR is only read.
        name: for file names and anchors: `race-read-write`.
        severity: of its findings.
        title: what is wrong, in a few words.
    """

    id: str
    name: str
    severity: str
    title: str

    def __post_init__(self):
        if self.severity not in SEVERITIES:
            raise ValueError(f"{self.id}: severity {self.severity!r} must be one of {', '.join(SEVERITIES)}")


@dataclass(frozen=True)
class Finding:
    """One mistake in a kernel, and where.

    Args:
        rule: the kind of mistake.
        message: what is wrong, with the arithmetic or the missing edge.
        location: the user's line.
        other_location: the other line involved, if there is one.
        group, other_group: who acts at each of the two: `default`, `partition0`, `TMA load of partition0`.
        buffer: the buffer or barrier.
        slot: its place in the ring; None if there is no ring.
        phase: of the barrier, counted from 0.
        hint: what to do.
        program_id: the CTA; None where it is all of them.
        seeds: the schedules in which it was seen; empty if no schedule was run.
    """

    rule: Rule
    message: str
    location: Location = field(default_factory=Location)
    other_location: Location = field(default_factory=Location)
    group: str = ""
    other_group: str = ""
    buffer: str = ""
    slot: int | None = None
    phase: int | None = None
    hint: str = ""
    program_id: tuple[int, int, int] | None = None
    seeds: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        return self.rule.id

    @property
    def severity(self) -> str:
        return self.rule.severity

    @property
    def key(self) -> tuple:
        """Equal for findings that are one mistake, in whatever CTA, slot, phase and schedule they were seen."""
        return self.rule.id, self.location, self.other_location, self.group, self.other_group, self.buffer

    def seen_in(self, seeds: tuple[int, ...]) -> Finding:
        """The same finding, seen in these schedules."""
        return replace(self, seeds=seeds)
