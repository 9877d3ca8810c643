"""A timeline as a PNG."""

from __future__ import annotations

from pathlib import Path

from .errors import MatplotlibMissing
from .nodes import ARRIVE, ENGINE, ISSUE, LAND, WAIT
from .timeline import COMPUTE, Timeline

__all__ = ["save_png"]

_COLOURS = {WAIT: "#d65f5f", ENGINE: "#4878d0", COMPUTE: "#6acc64", ISSUE: "#82c6e2"}
_OTHER = "#b0b0b0"
_LEGEND = {WAIT: "wait", ENGINE: "engine", COMPUTE: "registers", ISSUE: "issue", "other": "memory, arrivals, fences"}
_ARROWS = (ARRIVE, LAND)
_HEIGHT = 0.7


def save_png(timeline: Timeline, path: str | Path) -> None:
    """Draws a row for each lane, waits in red, and an arrow from each arrival to the wait that it lets go on.

    Raises:
        MatplotlibMissing: it is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError as error:
        raise MatplotlibMissing(
            f"can't draw {path}: matplotlib is not installed", hint="pip install 'triton-tlx[plots]', or save a .json"
        ) from error
    figure = Figure(figsize=(16, 1.5 + 0.5 * len(timeline.lanes)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _draw_lanes(axes, timeline)
    _draw_arrows(axes, timeline)
    axes.set_yticks(range(len(timeline.lanes)), [lane.name for lane in timeline.lanes])
    axes.invert_yaxis()
    axes.set_xlim(0, timeline.cycles)
    axes.set_xlabel("cycles of a cost table, not measured")
    axes.set_title(f"{timeline.kernel}, program {timeline.program}")
    patches = [Patch(color=_COLOURS.get(kind, _OTHER), label=words) for kind, words in _LEGEND.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(patches))
    figure.savefig(path, dpi=120, format="png")


def _draw_lanes(axes, timeline: Timeline) -> None:
    for row, lane in enumerate(timeline.lanes):
        axes.broken_barh(
            [(span.start, span.end - span.start) for span in lane.spans],
            (row - _HEIGHT / 2, _HEIGHT),
            facecolors=[_COLOURS.get(span.kind, _OTHER) for span in lane.spans],
            edgecolors="none",
        )


def _draw_arrows(axes, timeline: Timeline) -> None:
    rows = {id(span): row for row, lane in enumerate(timeline.lanes) for span in lane.spans}
    for arrow in timeline.arrows:
        if arrow.why in _ARROWS:
            axes.annotate(
                "",
                xy=(arrow.target.end, rows[id(arrow.target)]),
                xytext=(arrow.leaves, rows[id(arrow.source)]),
                arrowprops={"arrowstyle": "->", "linewidth": 0.5, "color": "#404040"},
            )
