"""`tracing()`: launches in the simulator, of which the last one is kept as a timeline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..sim import simulating
from .chrome import trace_events
from .costs import Costs
from .errors import UnknownFormat
from .plot import save_png
from .recorder import Recorder
from .timeline import Timeline, timeline_of

__all__ = ["Trace", "tracing"]


class Trace:
    """What one program of the last launch did.

    Args:
        program: its place in the grid.
        costs: turn events into cycles.
    """

    def __init__(self, program: tuple[int, int, int] = (0, 0, 0), costs: Costs | None = None):
        self.recorder = Recorder(program)
        self.costs = costs or Costs()

    def timeline(self) -> Timeline:
        """Its lanes and arrows.

        Raises:
            NothingTraced: no launch has run the program.
        """
        return timeline_of(self.recorder, self.costs)

    def save(self, path: str | Path) -> None:
        """Writes `.json` for Perfetto or `chrome://tracing`, or `.png`.

        Raises:
            UnknownFormat: another suffix.
            NothingTraced: no launch has run the program.
            MatplotlibMissing: a PNG needs it.
        """
        path = Path(path)
        if path.suffix == ".json":
            path.write_text(json.dumps(trace_events(self.timeline())))
        elif path.suffix == ".png":
            save_png(self.timeline(), path)
        else:
            raise UnknownFormat(f"can't save a trace as {path.name}", hint="name it .json or .png")


@contextmanager
def tracing(*, program: tuple[int, int, int] = (0, 0, 0), costs: Costs | None = None, seed: int = 0) -> Iterator[Trace]:
    """Within the block, launches run in the simulator; gives the trace of one program of the last of them.

    Args:
        program: its place in the grid.
        costs: turn events into cycles; those of an H100 if None.
        seed: of the schedule under which the simulator runs.

    Arguments must be in CPU memory.
    """
    trace = Trace(program, costs)
    with simulating(seed=seed, observer=trace.recorder):
        yield trace
