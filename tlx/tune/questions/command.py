"""`tlx iso`, `tlx regress`, `tlx report`."""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from ...bench.stats import geometric_mean
from ..database.command import existing, path_of, print_rows
from .answer import ask
from .iso import iso_query
from .plots import have_matplotlib
from .regress import changes
from .report import report

__all__ = ["add_parsers"]

_REGRESS = """\
REV is a commit, as git in this folder calls it or by its hash, a hash of a kernel's source or of tlx's, or a version of
Triton, torch or tlx. Hashes may be cut short."""


def add_parsers(commands: argparse._SubParsersAction) -> None:
    """Adds `iso`, `regress` and `report` to the parser's commands."""
    iso = commands.add_parser("iso", help="two kernels at equal configs")
    iso.add_argument("first", help="name of a kernel")
    iso.add_argument("second", help="name of the kernel that it is compared with")
    regress = commands.add_parser("regress", help="what became slower; exit code 1 if anything did", epilog=_REGRESS)
    regress.add_argument("--from", dest="before", metavar="REV", required=True, help="before; see below")
    regress.add_argument("--to", dest="after", metavar="REV", required=True, help="after, of the same sort")
    pages = commands.add_parser("report", help="tables as Markdown and HTML, plots as PNG")
    pages.add_argument("--out", default="tlx-report", help="folder; by default %(default)s")
    for parser, run in ((iso, _iso), (regress, _regress), (pages, _report)):
        parser.add_argument(
            "--db", help="path of the database, or of an export; by default TLX_DB, or ~/.cache/tlx/tune.db"
        )
        parser.set_defaults(run=run)


def _iso(options: argparse.Namespace) -> int:
    names, rows = ask(options, iso_query(options.first, options.second))
    ratios = defaultdict(list)
    for row in (dict(zip(names, row)) for row in rows):
        ratios[row["device"], row["unit"]].append(row["ratio"])
    for (device, unit), found in ratios.items():
        wins = f"{options.first} needs fewer {unit} at {sum(ratio > 1 for ratio in found)} of {len(found)}"
        print(f"on {device} {wins}; geometric mean of b / a: {geometric_mean(found):.3f}")
    if not ratios:
        print("no problem was measured with both at equal settings")
    return 0


def _regress(options: argparse.Namespace) -> int:
    query, found = changes(existing(path_of(options)), options.before, options.after)
    print(query)
    names = ["kernel", "problem", "settings", "before", "after", "unit", "after / before", "verdict"]
    rows = [
        (
            c.kernel,
            c.problem,
            c.settings,
            _words(c.before),
            _words(c.after),
            c.unit,
            c.after[1] / c.before[1],
            c.verdict,
        )
        for c in found
    ]
    print_rows(names, rows, "table")
    slower = sum(c.verdict == "slower" for c in found)
    print(f"{slower} of {len(found)} slower: 95% bootstrap intervals of the medians that don't overlap, by 1% or more")
    return 1 if slower else 0


def _words(interval: tuple[float, float, float]) -> str:
    low, median, high = interval
    return f"{median:.6g} [{low:.6g}, {high:.6g}]"


def _report(options: argparse.Namespace) -> int:
    for path in report(existing(path_of(options)), Path(options.out)):
        print(path)
    if not have_matplotlib():
        print("no plots: matplotlib is not installed; pip install 'triton-tlx[plots]'")
    return 0
