"""Measurements of `tlx compare` in the database: each candidate is a kernel with one empty config."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ...compiler.jit import package_hash
from ..database import Database
from ..database.command import quoted
from ..facts import current_device, current_software
from ..records import finite
from ..revision import source_columns

__all__ = ["compare_query", "operations_query", "save", "source_hash"]


def save(database: Database, operation: ModuleType, comparison: Any) -> None:
    """Writes what was measured or rejected, where launches run now. On the simulator a sample is the count of ops.

    Args:
        operation: the module that describes the operation's problems.
        comparison: the `tlx.bench.Comparison`.
    """
    name = ".".join(operation.__name__.split(".")[1:-1])
    source, columns = source_hash(operation), source_columns(Path(operation.__file__).parent)
    with database.writing():
        place = {
            **columns,
            "device_id": database.identify("device", current_device()),
            "software_id": database.identify("software", current_software()),
        }
        for measurement in comparison.measurements:
            library = measurement.name == "torch"
            kernel = {
                "module": f"tlx compare {name}",
                "name": f"{name}/{measurement.name}",
                "source_hash": "" if library else source,
                "tlx_hash": package_hash() if measurement.name.startswith("tlx") else "",
            }
            problem = _problem(database, database.identify("kernel", kernel), comparison)
            _trial(database, {**place, "problem_id": problem}, measurement, comparison.tolerance)


def source_hash(operation: ModuleType) -> str:
    """A hash of the operation's package, and of the modules beside it and above it, which it may share with others."""
    folder = Path(operation.__file__).parent
    above = list(folder.parents)[: operation.__name__.count(".") - 1]
    files = [*folder.rglob("*.py"), *(path for parent in above for path in parent.glob("*.py"))]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _problem(database: Database, kernel: int, comparison: Any) -> int:
    facts = {"title": comparison.title, "flops": comparison.flops, "bytes": comparison.bytes_moved}
    problem = database.identify("problem", {"kernel_id": kernel, "key": json.dumps(facts)})
    for position, (name, value) in enumerate(facts.items()):
        row = {"problem_id": problem, "position": position, "name": name, "kind": "value", "value": str(value)}
        database.insert_new("argument", {**row, "dtype": "", "shape": "", "strides": ""})
    return problem


def _trial(database: Database, place: dict, measurement: Any, tolerance: float) -> None:
    samples = measurement.samples or tuple(filter(None, [measurement.counts.get("ops")]))
    right = measurement.correct and samples
    config = database.identify("config", {"text": "{}"})
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    sweep = {**place, "started": now, "request": "compare", "search": "compare", "ended": "complete"}
    sweep = database.insert("sweep", {**sweep, "winner_id": config if right else None})
    error = finite(measurement.error)
    trial = {"sweep_id": sweep, "config_id": config, "outcome": "measured" if right else "rejected", "error": error}
    reason = measurement.failure or f"relative error {error} is above {tolerance:.3g}"
    why = {"stage": "", "reason": ""} if right else {"stage": "check", "reason": reason}
    trial = database.insert("trial", {**trial, **why, "reference": "check"})
    for number, value in enumerate(samples if right else ()):
        database.insert("sample", {"trial_id": trial, "round": number, "value": value})


def compare_query(operation: str, shapes: Sequence[str] | None = None, dtype: str | None = None) -> str:
    """SQL of the newest saved measurement of each candidate. Rates and ratios are NULL where samples are no times."""
    titles = " OR ".join(f"title LIKE {quoted(shape + ' %')}" for shape in shapes or ())
    only = f" AND ({titles})" if shapes else ""
    only += f" AND title LIKE {quoted('% ' + dtype)}" if dtype else ""
    return f"""\
SELECT title, candidate, outcome, error, median, unit, spread, tflops, gbps, x_naive, x_torch,
       device || ', Triton ' || triton AS place, substr(started, 1, 10) AS date, substr(revision, 1, 12) AS revision
FROM comparison WHERE operation = {quoted(operation)}{only}
ORDER BY device, triton, flops, title, candidate"""


def operations_query() -> str:
    """SQL of the operations of which there are measurements."""
    return "SELECT DISTINCT operation FROM comparison ORDER BY operation"
