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

__all__ = ["compare_query", "save"]


def save(database: Database, operation: ModuleType, comparison: Any) -> None:
    """Writes what was measured or rejected, where launches run now. On the simulator a sample is the count of ops.

    Args:
        operation: the module that describes the operation's problems; its package's source is hashed.
        comparison: the `tlx.bench.Comparison`.
    """
    name = operation.__name__.split(".")[-2]
    source = _source_hash(Path(operation.__file__).parent)
    with database.writing():
        place = {
            "device_id": database.identify("device", current_device()),
            "software_id": database.identify("software", current_software()),
        }
        for measurement in comparison.measurements:
            library = measurement.name == "torch"
            kernel = {
                "module": f"tlx compare {name}",
                "name": f"{name}/{measurement.name}",
                "source_hash": "" if library else source,
                "tlx_hash": package_hash() if measurement.name == "tlx" else "",
            }
            problem = _problem(database, database.identify("kernel", kernel), comparison)
            _trial(database, {**place, "problem_id": problem}, measurement, comparison.tolerance)


def _source_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
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
    error = measurement.error
    trial = {"sweep_id": sweep, "config_id": config, "outcome": "measured" if right else "rejected", "error": error}
    reason = measurement.failure or f"relative error {error} is above {tolerance:.3g}"
    why = {"stage": "", "reason": ""} if right else {"stage": "check", "reason": reason}
    trial = database.insert("trial", {**trial, **why, "reference": "check"})
    for number, value in enumerate(samples if right else ()):
        database.insert("sample", {"trial_id": trial, "round": number, "value": value})


def compare_query(operation: str, shapes: Sequence[str] | None = None, dtype: str | None = None) -> str:
    """SQL of the newest saved measurement of each candidate, and how many times as fast as `naive` it is.

    TFLOP/s, GB/s and the ratio are NULL where samples are no times.
    """
    title = "json_extract(key, '$.title')"
    titles = " OR ".join(f"{title} LIKE {quoted(shape + ' %')}" for shape in shapes or ())
    only = f"\n      AND ({titles})" if shapes else ""
    only += f"\n      AND {title} LIKE {quoted('% ' + dtype)}" if dtype else ""
    return f"""\
WITH newest AS (
    SELECT *, json_extract(key, '$.title') AS title,
           row_number() OVER (PARTITION BY kernel, key, device_id, software_id ORDER BY started DESC) AS age_of_source
    FROM latest
    WHERE module = {quoted("tlx compare " + operation)}{only}
)
SELECT this.title, this.kernel, this.outcome, this.error, this.median, this.unit,
       50 * (this.p80 - this.p20) / this.median AS "± %",
       CASE this.unit WHEN 'us' THEN json_extract(this.key, '$.flops') / this.median / 1e6 END AS tflops,
       CASE this.unit WHEN 'us' THEN json_extract(this.key, '$.bytes') / this.median / 1e3 END AS gbps,
       CASE this.unit WHEN 'us' THEN naive.median / this.median END AS x_naive,
       this.device || ', Triton ' || this.triton AS place
FROM newest AS this
LEFT JOIN newest AS naive ON naive.kernel = {quoted(operation + "/naive")} AND naive.age_of_source = 1
      AND naive.key = this.key AND naive.device_id = this.device_id AND naive.software_id = this.software_id
WHERE this.age_of_source = 1
ORDER BY this.device, this.triton, json_extract(this.key, '$.flops'), this.title, this.kernel"""
