"""What a user says about tables, and the words for pooling and for bounds."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentError

__all__ = ["BOUNDS", "POOLINGS", "TableSpec", "check_choice"]

POOLINGS = ("sum", "mean", "none")
BOUNDS = ("fatal", "warn", "ignore", "none")


@dataclass(frozen=True)
class TableSpec:
    """One table.

    Args:
        rows: how many rows, at least 1.
        dim: elements of a row, at least 1.

    Raises:
        ArgumentError: a number below 1.
    """

    rows: int
    dim: int

    def __post_init__(self):
        for name in ("rows", "dim"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"TableSpec: {name} is {getattr(self, name)}", "use at least 1")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises ArgumentError unless the value is one of the choices."""
    if value not in choices:
        raise ArgumentError(f"tbe: {name} is {value!r}", f"use one of {', '.join(map(repr, choices))}")
