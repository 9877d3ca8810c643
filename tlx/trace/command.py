"""`tlx trace`: when the warp groups and engines of one CTA work and wait, without a GPU."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from ..check.arguments import Usage, add_target, grid_of
from ..check.subjects import run_callable, run_file
from ..sim import simulating
from .api import Trace
from .nodes import WAIT
from .timeline import Timeline

__all__ = ["add_parser"]

_EPILOG = """\
tlx trace gemm.py::main --out gemm.json gemm.png
tlx trace gemm.py::gemm --args a=fp16[256,256]@[128,64] b=fp16[256,256]@[64,128] c=fp16[256,256] K=256 --grid 4

The targets are those of `tlx check`. Of several launches the last one is traced. Times come from a table of costs
(docs/trace.md), not from a GPU. Open the .json at https://ui.perfetto.dev or chrome://tracing.
"""


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Adds `trace` to the parser's commands."""
    parser = commands.add_parser(
        "trace",
        help="when the warp groups and engines of a CTA work and wait, without a GPU",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target(parser)
    parser.add_argument("--program", default="0,0,0", help="which program of the grid to trace")
    parser.add_argument("--seed", type=int, default=0, help="of the schedule")
    parser.add_argument("--out", nargs="+", default=["trace.json"], help="files to write: .json, .png")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Traces, writes the files, prints how busy each lane is, and returns 0."""
    trace = Trace(_program_of(options.program))
    _launch(options, trace)
    timeline = trace.timeline()
    for path in options.out:
        trace.save(path)
    console = Console(highlight=False, soft_wrap=True)
    console.print(_table(timeline))
    console.print(f"wrote {', '.join(options.out)}")
    return 0


def _launch(options: argparse.Namespace, trace: Trace) -> None:
    path, _, name = options.target.partition("::")
    grid = grid_of(options.grid)
    if path.endswith(".ttgir") and not name:
        run_file(path, options.args, grid, range(options.seed, options.seed + 1), trace.recorder)
    elif path.endswith(".py") and name:
        launch = {} if options.num_warps is None else {"num_warps": options.num_warps}
        with simulating(seed=options.seed, observer=trace.recorder):
            run_callable(path, name, options.args, grid, launch)
    else:
        raise Usage(f"can't trace {options.target}", hint="FILE.py::FUNCTION, FILE.py::KERNEL or FILE.ttgir")


def _program_of(text: str) -> tuple[int, int, int]:
    numbers = text.split(",")
    if len(numbers) > 3 or not all(number.isdecimal() for number in numbers):
        raise Usage(f"--program {text} must be one to three numbers from 0 on", hint="such as 4 or 4,2")
    x, y, z = (*map(int, numbers), 0, 0)[:3]
    return x, y, z


def _table(timeline: Timeline) -> Table:
    table = Table(title=f"{timeline.kernel}, program {timeline.program}: {timeline.cycles:,} cycles of the cost table")
    table.add_column("lane")
    for name in ("spans", "cycles", "waiting"):
        table.add_column(name, justify="right")
    for lane in timeline.lanes:
        table.add_row(lane.name, str(len(lane.spans)), f"{lane.cycles():,}", f"{lane.cycles(WAIT):,}")
    return table
