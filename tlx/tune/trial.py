"""What came of one config."""

from __future__ import annotations

from dataclasses import dataclass, field

import triton

from ..bench.stats import summarize
from .configs import text_of, words_of
from .work.compiling import Compiled, Rejected, first_line

__all__ = ["Trial"]


@dataclass
class Trial:
    """One config, and what is known about it.

    Args:
        config: meta-parameters and launch options.
        compiled: what compiling told; None if it did not get through, or long ago.
        rejected: why it is out; None while it is in.
        samples: by round, in microseconds, or in executed ops where launches are simulated.
        error: of its outputs; None where they were compared with nothing.
        reference: what its outputs were compared with.
        row: its id in the database.
    """

    config: triton.Config
    compiled: Compiled | None = None
    rejected: Rejected | None = None
    samples: dict[int, float] = field(default_factory=dict)
    error: float | None = None
    reference: str | None = None
    row: int | None = None

    @property
    def text(self) -> str:
        """The config as JSON, which tells it from others."""
        return text_of(self.config)

    @property
    def median(self) -> float | None:
        """Of its samples; None if it has none."""
        return summarize(self.samples.values()).median if self.samples else None

    def __str__(self) -> str:
        if self.rejected:
            return f"{words_of(self.config)}: {self.rejected.stage}: {first_line(self.rejected.reason)}"
        return f"{words_of(self.config)}: {self.median}"
