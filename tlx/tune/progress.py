"""What a person who waits for a tuning sees: one line on a terminal, gone at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["Bar", "progress"]


class Bar:
    """A line that says what is done and how far.

    Args:
        progress: rich's.
        title: of the tuning.
    """

    def __init__(self, progress: Progress, title: str):
        self._progress, self._title = progress, title
        self._task = progress.add_task(title, total=None)

    def begin(self, step: str, total: int) -> None:
        """A new step of that many parts."""
        self._progress.reset(self._task, total=total, description=f"{self._title}: {step}")

    def advance(self) -> None:
        """One part is done."""
        self._progress.advance(self._task)


@contextmanager
def progress(title: str) -> Iterator[Bar]:
    """The line, on standard error; nothing where that is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as line:
        yield Bar(line, title)
