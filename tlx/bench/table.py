"""Comparisons printed for people: one line for each candidate of each problem."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from .compare import Comparison, Measurement

__all__ = ["table"]


def table(comparisons: Sequence[Comparison], baseline: str) -> Table:
    """Lines `problem | kernel | error | us | TFLOP/s | GB/s | x baseline`, or with counts where nothing was timed.

    Args:
        comparisons: what `compare` returned, at least one.
        baseline: the candidate that ratios refer to.
    """
    timed = any(m.us for c in comparisons for m in c.measurements)
    counted = list(dict.fromkeys(key for c in comparisons for m in c.measurements for key in m.counts))
    result = Table("problem", "kernel", "result", "relative error")
    for heading in ["us (p20-p80)", "TFLOP/s", "GB/s", f"x {baseline}"] if timed else counted:
        result.add_column(heading, justify="right")
    for comparison in comparisons:
        for index, measurement in enumerate(comparison.measurements):
            cells = _times(comparison, measurement, baseline) if timed else _counts(measurement, counted)
            result.add_row(comparison.title if index == 0 else "", measurement.name, *_verdict(measurement), *cells)
        result.add_section()
    return result


def _verdict(measurement: Measurement) -> tuple[Text, str]:
    if measurement.failure:
        return Text("failed", style="bold red"), "-"
    verdict = Text("right", style="green") if measurement.correct else Text("WRONG", style="bold red")
    return verdict, f"{measurement.error:.2e}"


def _times(comparison: Comparison, measurement: Measurement, baseline: str) -> list[str]:
    us, name = measurement.us, measurement.name
    if us is None:
        return ["-"] * 4
    rates = [comparison.tflops(name), comparison.gbps(name), comparison.ratio(name, baseline)]
    return [f"{us.median:.1f} ({us.p20:.1f}-{us.p80:.1f})", *map(_number, rates, ("{:.1f}", "{:.0f}", "{:.3f}"))]


def _number(value: float | None, style: str) -> str:
    return "-" if value is None else style.format(value)


def _counts(measurement: Measurement, names: list[str]) -> list[str]:
    return [f"{measurement.counts[name]:,}" if name in measurement.counts else "-" for name in names]
