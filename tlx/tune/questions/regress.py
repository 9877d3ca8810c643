"""What became slower between two sources or versions, as far as the samples can tell it from noise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..database import Database, DatabaseError
from ..database.command import quoted
from ..revision import DIRTY, commit_of

__all__ = ["Change", "changes", "interval", "regress_query"]

COLUMNS = ("revision", "source_hash", "tlx_hash", "triton", "torch", "tlx")
HASHES = ("revision", "source_hash", "tlx_hash")
RESAMPLES = 2000
FEWEST = 5
"""A median of fewer times than this has no interval worth the name."""
SMALLEST = 0.01
"""A change of the median by less than this is none: clocks and temperatures differ by that much from run to run."""


@dataclass(frozen=True)
class Change:
    """One config of one problem, before and after.

    Args:
        kernel, problem, settings, unit: as in view `result`.
        before, after: intervals of the median, 95%, as (low, median, high).
        verdict: "slower", "faster", "same" where intervals overlap or the change is tiny, or "too few samples".
    """

    kernel: str
    problem: str
    settings: str
    unit: str
    before: tuple[float, float, float]
    after: tuple[float, float, float]
    verdict: str


def changes(database: Database, before: str, after: str, folder: Path | None = None) -> tuple[str, list[Change]]:
    """The query of the samples, and a verdict on each config that was measured on both sides.

    Args:
        database: that has the samples.
        before, after: commits, as git in `folder` calls them or by their hash, which may be cut short; hashes of
            sources, likewise; or versions of Triton, torch or tlx.
        folder: of a git repository; by default the current one.

    Raises:
        DatabaseError: no column has both, or one of them fits several values.
    """
    query = regress_query(*_column(database, before, after, folder or Path.cwd()))
    return query, [_change(row) for row in database.query(query)]


def interval(runs: list[list[float]]) -> tuple[float, float, float]:
    """A 95% bootstrap interval of the median, and the median between its ends; equal calls give equal intervals.

    Resampled are the runs, and in each its samples: what changed from run to run makes the interval wider.

    Args:
        runs: the samples of each run.
    """
    random = np.random.default_rng(0)
    arrays = [np.asarray(run, dtype=np.float64) for run in runs]
    medians = np.stack([np.median(run[random.integers(0, run.size, (RESAMPLES, run.size))], axis=1) for run in arrays])
    chosen = random.integers(0, len(arrays), (RESAMPLES, len(arrays)))
    resampled = np.median(medians[chosen, np.arange(RESAMPLES)[:, None]], axis=1)
    low, high = np.percentile(resampled, [2.5, 97.5])
    return float(low), float(np.median([np.median(run) for run in arrays])), float(high)


def _column(database: Database, before: str, after: str, folder: Path) -> tuple[str, str, str]:
    """The column that has both, with their whole values."""
    for column in COLUMNS:
        values = [row["v"] for row in database.query(f"SELECT DISTINCT {column} AS v FROM result WHERE {column} <> ''")]
        found = [_fitting(values, text, column, folder) for text in (before, after)]
        for text, fits in zip((before, after), found):
            if len(fits) > 1:
                raise DatabaseError(f"{text!r} fits several values of {column}: {', '.join(fits)}")
        if all(found):
            return column, found[0][0], found[1][0]
    raise DatabaseError(
        f"nothing was measured with both {before!r} and {after!r}",
        hint="tlx sql 'SELECT DISTINCT kernel, revision, source_hash, tlx_hash, triton, torch, tlx FROM result'",
    )


def _fitting(values: list[str], text: str, column: str, folder: Path) -> list[str]:
    """The values that a text means. What differed from a commit is meant only by those who write `-dirty`."""
    if column not in HASHES:
        return [value for value in values if value == text]
    stem, dirty = text.removesuffix(DIRTY), text.endswith(DIRTY)
    if column == "revision":
        stem = commit_of(stem, folder) or stem
    return [value for value in values if value.endswith(DIRTY) == dirty and value.startswith(stem)]


def regress_query(column: str, before: str, after: str) -> str:
    """SQL of the samples of all runs on both sides. Between versions, only equal sources are compared."""
    hashes = column in HASHES
    same = "a.software_id = b.software_id" if hashes else "(a.source_hash, a.tlx_hash) = (b.source_hash, b.tlx_hash)"
    return f"""\
WITH measured AS (
    SELECT module, kernel, key, config, device_id, software_id, source_hash, tlx_hash, {column} AS side,
           max(problem) AS problem, max(settings) AS settings, max(unit) AS unit, max(started) AS started,
           json_group_array(json((SELECT json_group_array(value) FROM sample WHERE trial_id = result.trial_id))) AS runs
    FROM result WHERE outcome = 'measured' AND {column} IN ({quoted(before)}, {quoted(after)})
    GROUP BY module, kernel, key, config, device_id, software_id, source_hash, tlx_hash, {column}
), newest AS (
    SELECT *, row_number() OVER (
        PARTITION BY module, kernel, key, config, device_id, software_id, side ORDER BY started DESC) AS place
    FROM measured
)
SELECT a.kernel, a.problem, a.settings, a.unit, a.runs AS before, b.runs AS after
FROM newest AS a JOIN newest AS b USING (module, kernel, key, config, device_id)
WHERE a.place = 1 AND b.place = 1 AND {same}
  AND a.side = {quoted(before)} AND b.side = {quoted(after)}
ORDER BY a.kernel, a.problem, a.settings"""


def _change(row: dict) -> Change:
    runs = json.loads(row["before"]), json.loads(row["after"])
    before, after = map(interval, runs)
    names = (row[name] or "" for name in ("kernel", "problem", "settings", "unit"))
    fewest = min(sum(map(len, side)) for side in runs)
    enough = row["unit"] != "us" or fewest >= FEWEST  # counts of the simulator have no noise
    return Change(*names, before, after, _verdict(before, after) if enough else "too few samples")


def _verdict(before: tuple[float, float, float], after: tuple[float, float, float]) -> str:
    if abs(after[1] - before[1]) < SMALLEST * before[1]:
        return "same"
    if after[0] > before[2]:
        return "slower"
    return "faster" if after[2] < before[0] else "same"
