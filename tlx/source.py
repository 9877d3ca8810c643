"""Places in a user's source: what an error points at and what an op in TTGIR remembers."""

from __future__ import annotations

import linecache
from dataclasses import dataclass

__all__ = ["Location"]


@dataclass(frozen=True)
class Location:
    """One place in a source file, with the calls that lead to it.

    Args:
        file: path of the file, or "" if unknown.
        line: 1-based line, or 0 if unknown.
        column: 1-based column, or 0 if unknown.
        name: the user's name for the value defined there, if any.
        callers: the call sites from the inside out, as inlining recorded them.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    name: str = ""
    callers: tuple[Location, ...] = ()

    @property
    def known(self) -> bool:
        return self.line > 0

    def __str__(self) -> str:
        if not self.known:
            return "<unknown location>"
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"

    def source_line(self) -> str:
        """The text of the line, without its end, or "" where the file can't be read."""
        return linecache.getline(self.file, self.line).rstrip() if self.known else ""

    def render(self) -> str:
        """`--> file:line:column`, the source line and a caret, then the call sites."""
        if not self.known:
            return ""
        lines = [f"--> {self}"]
        text = self.source_line()
        if text:
            gutter = f"{self.line} | "
            lines.append(gutter + text)
            if self.column:
                lines.append(" " * (len(gutter) + self.column - 1) + "^")
        lines.extend(f"    called from {caller}" for caller in self.callers)
        return "\n".join(lines)
