"""The database as a page: tables and plots in Markdown and HTML, each under its query."""

from __future__ import annotations

import html
from pathlib import Path

from ..database import Database
from ..database.store import run_sql
from .comparison import compare_query
from .plots import PLOT_QUERIES, have_matplotlib, save_plots

__all__ = ["report"]

QUERIES = {
    "Fastest configs": (
        "SELECT kernel, problem, settings, median, unit, samples, device, triton FROM best ORDER BY kernel, problem"
    ),
    "GEMM: naive, tlx, torch": compare_query("gemm"),
    "Rejected configs": (
        "SELECT kernel, stage, count(*) AS configs, min(reason) AS example FROM rejection GROUP BY kernel, stage"
    ),
    "Sweeps": "SELECT kernel, problem, settings, median, unit, of_best FROM scatter ORDER BY kernel, problem, median",
}


def report(database: Database, folder: Path) -> list[Path]:
    """Writes report.md and report.html to the folder, which is made; returns their paths, and the plots'.

    There are plots where matplotlib is installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sections = [(title, query, *run_sql(database, query)) for title, query in QUERIES.items()]
    plots = save_plots(database, folder) if have_matplotlib() else []
    markdown = "\n".join([*map(_markdown, sections), *map(_plot_markdown, plots)])
    pages = {"report.md": markdown, "report.html": _html(sections) + "".join(map(_plot_html, plots))}
    for name, text in pages.items():
        (folder / name).write_text(text)
    return [*(folder / name for name in pages), *plots]


def _plot_markdown(plot: Path) -> str:
    return f"## {plot.stem}\n\n```sql\n{PLOT_QUERIES[plot.stem]}\n```\n\n![{plot.stem}]({plot.name})\n"


def _plot_html(plot: Path) -> str:
    query = html.escape(PLOT_QUERIES[plot.stem])
    return f'<h2>{plot.stem}</h2><pre>{query}</pre><img src="{plot.name}" alt="{plot.stem}">\n'


def _markdown(section: tuple) -> str:
    title, query, names, rows = section
    lines = [names, ["---"] * len(names), *([_cell(value) for value in row] for row in rows)]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"## {title}\n\n```sql\n{query}\n```\n\n{table}\n"


def _html(sections: list[tuple]) -> str:
    body = "".join(
        f"<h2>{title}</h2><pre>{html.escape(query)}</pre><table>{_html_row(names, 'th')}"
        + "".join(_html_row(map(_cell, row), "td") for row in rows)
        + "</table>\n"
        for title, query, names, rows in sections
    )
    return f'<!doctype html><meta charset="utf-8"><title>tlx report</title>\n{body}'


def _html_row(cells, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _cell(value) -> str:
    if value is None:
        return "-"
    return (f"{value:.6g}" if isinstance(value, float) else str(value)).replace("\n", " ")
