"""What can be wrong with a TTGIR text."""

from __future__ import annotations

from ..errors import TLXError

__all__ = ["TTGIRSyntaxError"]


class TTGIRSyntaxError(TLXError):
    """A text isn't TTGIR that this parser reads.

    Args:
        problem: what is wrong.
        line: 1-based line of the text.
        column: 1-based column of the text.
        text: that line.
    """

    def __init__(self, problem: str, line: int, column: int, text: str):
        gutter = f"{line} | "
        caret = " " * (len(gutter) + column - 1) + "^"
        super().__init__(f"TTGIR line {line}, column {column}: {problem}\n{gutter}{text}\n{caret}")
        self.problem = problem
        self.line = line
        self.column = column
        self.text = text

    def __reduce__(self):
        return type(self), (self.problem, self.line, self.column, self.text)
