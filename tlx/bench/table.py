"""Comparisons printed for people: one line for each candidate of each problem."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from .compare import Comparison, Measurement
from .stats import Summary

__all__ = ["table"]


def table(comparisons: Sequence[Comparison], baseline: str) -> Table:
    """Lines `kernel | error | us | TFLOP/s | GB/s | x baseline` by problem, or with counts where nothing was timed.

    Args:
        comparisons: what `compare` returned.
        baseline: the candidate that ratios refer to.
    """
    timed = any(m.us for c in comparisons for m in c.measurements)
    counted = list(dict.fromkeys(key for c in comparisons for m in c.measurements for key in m.counts))
    result = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
    result.add_column("", no_wrap=True)
    for heading in ["error", *(["us", "TFLOP/s", "GB/s", f"x {baseline}"] if timed else counted)]:
        result.add_column(heading, justify="right", no_wrap=True)
    for comparison in comparisons:
        result.add_row(comparison.title)
        for measurement in comparison.measurements:
            cells = _times(comparison, measurement, baseline) if timed else _counts(measurement, counted)
            result.add_row(f"  {measurement.name}", _verdict(measurement), *cells)
    return result


def _verdict(measurement: Measurement) -> Text:
    if measurement.failure:
        return Text("failed", style="bold red")
    style, word = ("green", "ok") if measurement.correct else ("bold red", "WRONG")
    return Text(f"{measurement.error:.1e} {word}", style=style)


def _times(comparison: Comparison, measurement: Measurement, baseline: str) -> list[str]:
    name = measurement.name
    if measurement.us is None:
        return ["-"] * 4
    rates = [comparison.tflops(name), comparison.gbps(name), comparison.ratio(name, baseline)]
    return [_spread(measurement.us), *map(_number, rates, ("{:.1f}", "{:.0f}", "{:.3f}"))]


def _spread(us: Summary) -> str:
    """The median and half the distance from the 20th to the 80th percentile."""
    return f"{us.median:.1f} ±{50 * (us.p80 - us.p20) / us.median:.1f}%"


def _number(value: float | None, style: str) -> str:
    return "-" if value is None else style.format(value)


def _counts(measurement: Measurement, names: list[str]) -> list[str]:
    return [f"{measurement.counts[name]:,}" if name in measurement.counts else "-" for name in names]
