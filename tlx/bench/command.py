"""`tlx compare`: an operation's kernels checked, and timed or counted, side by side."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..backend import Backend, Unavailable, choose_backend
from ..sim import last_report, simulating
from ..tune.database import Database
from ..tune.database.command import path_of
from ..tune.questions.answer import ask
from ..tune.questions.comparison import compare_query, save
from .compare import Comparison, compare
from .stats import geometric_mean
from .table import table
from .timer import CudaTimer

__all__ = ["add_parser", "operations"]


def operations() -> list[str]:
    """The operations of the kernel library that have problems to compare candidates on: `PACKAGE/problem.py`."""
    try:
        folders = map(Path, importlib.import_module("tlx_kernels").__path__)
    except ModuleNotFoundError:
        return []
    problems = [path.parent.relative_to(folder).parts for folder in folders for path in folder.rglob("*/problem.py")]
    return sorted(".".join(parts) for parts in problems)


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Adds `compare` to the parser's commands."""
    parser = commands.add_parser("compare", help="an operation's kernels side by side: naive, tlx, and torch on a GPU")
    # Without the library, `_operation` says what is missing.
    parser.add_argument("operation", choices=operations() or None)
    parser.add_argument("--shape", nargs="+", help="sizes of the problem, such as 512x512x512 (MxNxK) for gemm")
    parser.add_argument("--dtype", help="element type, such as fp16; by default the operation's first, bf16 for gemm")
    parser.add_argument("--backend", default="auto", choices=["auto", "gpu", "sim"])
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--save", action="store_true", help="write the measurements to the database of tunings")
    source.add_argument("--from-db", action="store_true", help="the newest saved measurements, without a launch")
    parser.add_argument("--db", help="path of the database; by default TLX_DB, or ~/.cache/tlx/tune.db")
    parser.add_argument("--json", action="store_true", help="print records instead of a table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compares, prints, and returns 1 if any result is wrong."""
    if options.from_db:
        ask(
            options, compare_query(options.operation, options.shape, options.dtype), "json" if options.json else "table"
        )
        return 0
    database = Database(path_of(options)) if options.save else None
    backend = choose_backend(options.backend)
    operation = _operation(options.operation)
    shapes = options.shape or operation.DEFAULT_SHAPES[backend.name]
    dtype = _dtype(operation, options.dtype)
    with _progress() as progress:
        comparisons = [_compare(operation, shape, dtype, backend, progress, database) for shape in shapes]
    if options.json:
        print(json.dumps([comparison.to_dict() for comparison in comparisons], indent=2))
    else:
        _print(comparisons, backend)
    return 0 if all(comparison.correct for comparison in comparisons) else 1


def _operation(name: str) -> ModuleType:
    """The module that describes an operation's problems."""
    for package in ("torch", "tlx_kernels"):
        if importlib.util.find_spec(package) is None:
            what = f"tlx compare needs {package}, which is not installed"
            raise Unavailable(what, "pip install 'triton-tlx[kernels]'")
    return importlib.import_module(f"tlx_kernels.{name}.problem")


def _dtype(operation: ModuleType, wish: str | None) -> str:
    """The element type that is wished for, or the operation's first."""
    known = list(operation.DTYPES)
    if wish is not None and wish not in known:
        raise Unavailable(
            f"{operation.__name__.split('.')[-2]} has no problems of {wish}", f"one of {', '.join(known)}"
        )
    return wish or known[0]


def _compare(operation: ModuleType, shape: str, dtype: str, backend: Backend, progress: Callable, database: Any):
    """The comparison of one shape, saved where there is a database."""
    progress(f"{shape} {dtype}: making data and reference")
    problem = operation.problem(shape, dtype, backend.torch_device)
    if backend.name == "gpu":
        comparison = compare(problem, timer=CudaTimer(), progress=progress)
        if database:
            save(database, operation, comparison)
        return comparison
    with simulating():
        comparison = compare(problem, observe=_simulated_counts, progress=progress)
        if database:
            save(database, operation, comparison)
    return comparison


def _simulated_counts() -> dict[str, int]:
    """What the last launch did, of the simulator's report."""
    report = last_report()
    return {
        "ops": report.total_ops,
        "MMA FLOP": report.mma_flops,
        "bytes by TMA": report.tma_load_bytes + report.tma_store_bytes,
        "bytes read": report.global_read_bytes,
    }


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A line on standard error that names the current step and how long it takes; gone at the end."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("")

        def step(description: str) -> None:
            progress.reset(task, description=description)

        yield step


def _print(comparisons: list[Comparison], backend: Backend) -> None:
    console = Console()
    baseline = "torch" if backend.name == "gpu" else "naive"
    console.print(table(comparisons, baseline))
    for comparison in comparisons:
        for measurement in comparison.measurements:
            if measurement.failure:
                console.print(f"{comparison.title} {measurement.name}: {measurement.failure}", markup=False)
    ratios = [ratio for c in comparisons if (ratio := c.ratio("tlx", baseline))]
    if ratios:
        console.print(f"tlx, geometric mean: {geometric_mean(ratios):.3f} x {baseline}")
    where = comparisons[0].environment["gpu"] if backend.name == "gpu" else "the simulator"
    console.print(f"on {where} ({backend.reason})", markup=False)
