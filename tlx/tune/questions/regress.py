"""What became slower between two sources or versions, as far as the samples can tell it from noise."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from ..database import Database, DatabaseError
from ..database.command import quoted

__all__ = ["Change", "changes", "interval", "regress_query"]

COLUMNS = ("source_hash", "tlx_hash", "triton", "torch")
RESAMPLES = 2000
FEWEST = 5
"""A median of fewer times than this has no interval worth the name."""


@dataclass(frozen=True)
class Change:
    """One config of one problem, before and after.

    Args:
        kernel, problem, settings, unit: as in view `result`.
        before, after: intervals of the median, 95%, as (low, median, high).
        verdict: "slower", "faster", "same" where intervals overlap, or "too few samples".
    """

    kernel: str
    problem: str
    settings: str
    unit: str
    before: tuple[float, float, float]
    after: tuple[float, float, float]
    verdict: str


def changes(database: Database, before: str, after: str) -> tuple[str, list[Change]]:
    """The query of the samples, and a verdict on each config that was measured on both sides.

    Raises:
        DatabaseError: no column has both, or one of them fits several values.
    """
    query = regress_query(*_column(database, before, after))
    return query, [_change(row) for row in database.query(query)]


def interval(samples: list[float]) -> tuple[float, float, float]:
    """A 95% bootstrap interval of the median, and the median between its ends; equal calls give equal intervals."""
    values = np.asarray(samples, dtype=np.float64)
    chosen = np.random.default_rng(0).integers(0, values.size, (RESAMPLES, values.size))
    low, high = np.percentile(np.median(values[chosen], axis=1), [2.5, 97.5])
    return float(low), float(np.median(values)), float(high)


def _column(database: Database, before: str, after: str) -> tuple[str, str, str]:
    """The column that has both, with their whole values. Hashes may be cut short."""
    for column in COLUMNS:
        values = [row["v"] for row in database.query(f"SELECT DISTINCT {column} AS v FROM result WHERE {column} <> ''")]
        found = [_fitting(values, text, column.endswith("hash")) for text in (before, after)]
        for text, fits in zip((before, after), found):
            if len(fits) > 1:
                raise DatabaseError(f"{text!r} fits several values of {column}: {', '.join(fits)}")
        if all(found):
            return column, found[0][0], found[1][0]
    raise DatabaseError(
        f"nothing was measured with both {before!r} and {after!r}",
        hint="tlx sql 'SELECT DISTINCT kernel, source_hash, tlx_hash, triton, torch FROM result'",
    )


def _fitting(values: list[str], text: str, cut: bool) -> list[str]:
    return [value for value in values if value == text or (cut and value.startswith(text))]


def regress_query(column: str, before: str, after: str) -> str:
    """SQL of the samples on both sides, newest first trial each. Between versions, only equal sources are compared."""
    hashes = column.endswith("hash")
    same = "a.software_id = b.software_id" if hashes else "(a.source_hash, a.tlx_hash) = (b.source_hash, b.tlx_hash)"
    return f"""\
WITH measured AS (
    SELECT *, row_number() OVER (
               PARTITION BY module, kernel, key, config, device_id, software_id, {column}
               ORDER BY started DESC, trial_id DESC) AS age_here
    FROM result WHERE outcome = 'measured'
)
SELECT a.kernel, a.problem, a.settings, a.unit,
       (SELECT json_group_array(value) FROM sample WHERE trial_id = a.trial_id) AS before,
       (SELECT json_group_array(value) FROM sample WHERE trial_id = b.trial_id) AS after
FROM measured AS a JOIN measured AS b USING (module, kernel, key, config, device_id)
WHERE a.age_here = 1 AND b.age_here = 1 AND {same}
  AND a.{column} = {quoted(before)} AND b.{column} = {quoted(after)}
ORDER BY a.kernel, a.problem, a.settings"""


def _change(row: dict) -> Change:
    samples = json.loads(row["before"]), json.loads(row["after"])
    before, after = map(interval, samples)
    names = (row[name] or "" for name in ("kernel", "problem", "settings", "unit"))
    return Change(*names, before, after, _verdict(before, after, row["unit"] == "us" and min(map(len, samples))))


def _verdict(before: tuple, after: tuple, count: int | bool) -> str:
    """Counts of the simulator, which has no noise, come with `count` False."""
    if count is not False and count < FEWEST:
        return "too few samples"
    if after[0] > before[2]:
        return "slower"
    return "faster" if after[2] < before[0] else "same"
