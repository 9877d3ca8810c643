"""`tlx check`: the mistakes in a kernel's synchronization, without a GPU."""

from __future__ import annotations

import argparse
import json

from rich.console import Console
from rich.text import Text

from .api import SCHEDULES
from .arguments import Usage, add_target, grid_of
from .findings import ERROR, NOTE, SEVERITIES, WARNING, Finding
from .records import report_record
from .subjects import check_callable, check_file
from .text import lines_of

__all__ = ["add_parser"]

_STYLES = {ERROR: "bold red", WARNING: "bold yellow", NOTE: "bold blue"}
_EPILOG = """\
FILE.py::FUNCTION   a function that launches kernels: each launch is checked
FILE.py::KERNEL     a kernel, launched once with --args and --grid
FILE.ttgir          a kernel as TTGIR; without --args it is read and not run

tlx check gemm.py::main
tlx check gemm.py::gemm --args a=fp16[256,256]@[128,64] b=fp16[256,256]@[64,128] c=fp16[256,256] K=256 --grid 4
tlx check gemm.ttgir --args a=fp16[256,256] b=fp16[256,256] c=fp16[256,256] K=256 --grid 4

Exit code: 0 if there is no error, 1 if there is, 2 if the command makes no sense or the kernel can't be simulated.
"""


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Adds `check` to the parser's commands."""
    parser = commands.add_parser(
        "check",
        help="races, deadlocks and broken phases of a kernel, without a GPU",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target(parser)
    parser.add_argument("--schedules", type=int, default=SCHEDULES, help="schedules to run")
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule")
    parser.add_argument("--json", action="store_true", help="print a record")
    parser.add_argument("--notes", action="store_true", help="print notes too")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Checks, prints, and returns 1 if there is an error."""
    findings = _findings(options)
    if options.json:
        print(json.dumps(report_record(findings, options.schedules), indent=2))
    else:
        _print(findings, options)
    return 1 if any(finding.severity == ERROR for finding in findings) else 0


def _findings(options: argparse.Namespace) -> list[Finding]:
    if options.schedules < 1:
        raise Usage(f"--schedules must be at least 1, got {options.schedules}")
    seeds = range(options.seed, options.seed + options.schedules)
    path, _, name = options.target.partition("::")
    if path.endswith(".ttgir") and not name:
        return check_file(path, options.args, grid_of(options.grid), seeds)
    if not path.endswith(".py") or not name:
        raise Usage(f"can't check {options.target}", hint="FILE.py::FUNCTION, FILE.py::KERNEL or FILE.ttgir")
    launch = {} if options.num_warps is None else {"num_warps": options.num_warps}
    return check_callable(path, name, options.args, grid_of(options.grid), launch, seeds)


def _print(findings: list[Finding], options: argparse.Namespace) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        if finding.severity != NOTE or options.notes:
            console.print(_heading(finding))
            for line in lines_of(finding):
                console.print(Text(f"  {line}", style="green" if line.startswith("help:") else ""))
            console.print()
    counts = [(sum(f.severity == severity for f in findings), severity) for severity in SEVERITIES]
    words = ", ".join(f"{count} {severity}{'s' if count != 1 else ''}" for count, severity in counts)
    console.print(f"{options.target}: {words}")


def _heading(finding: Finding) -> Text:
    kind = f"{finding.severity} {finding.id} {finding.rule.name}"
    return Text.assemble((kind, _STYLES[finding.severity]), f": {finding.message}")
