"""Plots of what the database knows, as PNG: speedup, TFLOP/s over size, roofline, and the sweeps' scatter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..database import Database

__all__ = ["PLOT_QUERIES", "have_matplotlib", "save_plots"]

_COMPARED = """\
WITH newest AS (
    SELECT * FROM (
        SELECT *, row_number() OVER (PARTITION BY kernel, key, device_id, software_id ORDER BY started DESC) AS rank
        FROM latest WHERE module LIKE 'tlx compare %' AND unit = 'us')
    WHERE rank = 1 AND outcome = 'measured'
)
SELECT {x} AS x, {y} AS y, this.kernel || ', ' || this.device AS series
FROM newest AS this{join}{only}
ORDER BY series, this.started, x"""

_RATE = "json_extract(this.key, '$.flops') / this.median / 1e6"
_NAIVE = """
JOIN newest AS naive ON naive.module = this.module AND naive.kernel LIKE '%/naive' AND naive.key = this.key
     AND (naive.device_id, naive.software_id) = (this.device_id, this.software_id)"""

PLOT_QUERIES = {
    "speedup": _COMPARED.format(
        x="json_extract(this.key, '$.flops')", y="naive.median / this.median", join=_NAIVE, only=""
    ),
    "tflops": _COMPARED.format(x="json_extract(this.key, '$.flops')", y=_RATE, join="", only=""),
    "roofline": _COMPARED.format(
        x="1.0 * json_extract(this.key, '$.flops') / json_extract(this.key, '$.bytes')",
        y=_RATE,
        join="",
        only="\nWHERE json_extract(this.key, '$.bytes') > 0",
    ),
    "scatter": """\
SELECT row_number() OVER (PARTITION BY kernel, problem, device, triton ORDER BY of_best DESC) AS x, of_best AS y,
       kernel || ', ' || coalesce(problem, '') || ', ' || device AS series
FROM scatter WHERE config <> '{}' ORDER BY series, x""",
}
"""SQL of each plot's points (x, y, series), by the plot's name. Only times are compared, not the simulator's counts."""

_AXES = {
    "speedup": ("FLOP of the problem", "x naive", True),
    "tflops": ("FLOP of the problem", "TFLOP/s", True),
    "roofline": ("FLOP per byte that has to move", "TFLOP/s", True),
    "scatter": ("configs, fastest first", "fastest median / median", False),
}
"""Labels of x and y, and whether x grows by factors."""


def have_matplotlib() -> bool:
    """Whether plots can be drawn."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def save_plots(database: Database, folder: Path) -> list[Path]:
    """Draws each plot that has points to the folder; returns their paths. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    paths = []
    for name, query in PLOT_QUERIES.items():
        rows = database.query(query)
        if rows:
            figure = Figure(figsize=(8, 5), layout="constrained")
            FigureCanvasAgg(figure)
            _draw(figure.add_subplot, rows, *_AXES[name])
            paths.append(folder / f"{name}.png")
            figure.savefig(paths[-1], dpi=120)
    return paths


def _draw(add_axes: Callable[[], Any], rows: list[dict[str, Any]], x: str, y: str, factors: bool) -> None:
    axes, series = add_axes(), defaultdict(list)
    for row in rows:
        series[row["series"]].append((row["x"], row["y"]))
    for name, points in series.items():
        axes.plot(*zip(*points), "o", label=name)
    if factors:
        axes.set_xscale("log", base=2)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="x-small")
