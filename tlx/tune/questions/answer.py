"""An answer from the database, printed under the query that gives it."""

from __future__ import annotations

import argparse

from ..database.command import existing, path_of, print_rows
from ..database.store import run_sql

__all__ = ["ask"]


def ask(options: argparse.Namespace, query: str, form: str = "table") -> tuple[list[str], list[tuple]]:
    """Prints the query and its answer (as JSON: the answer alone); returns the column names and rows."""
    names, rows = run_sql(existing(path_of(options)), query)
    if form == "table":
        print(query)
    print_rows(names, rows, form)
    return names, rows
