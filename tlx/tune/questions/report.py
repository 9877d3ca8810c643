"""The database as a page: tables in Markdown and HTML, each under its query."""

from __future__ import annotations

import html
from pathlib import Path

from ..database import Database
from ..database.store import run_sql
from .comparison import compare_query

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
    """Writes report.md and report.html to the folder, which is made; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    sections = [(title, query, *run_sql(database, query)) for title, query in QUERIES.items()]
    pages = {"report.md": "\n".join(map(_markdown, sections)), "report.html": _html(sections)}
    for name, text in pages.items():
        (folder / name).write_text(text)
    return [folder / name for name in pages]


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
