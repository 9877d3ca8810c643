"""`tlx sql`, `tlx best`, `tlx db`: questions to the database of tunings, from the command line."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .errors import DatabaseError
from .exchange import COMPARISONS, export_text, import_text, is_export
from .store import Database, default_path, run_sql

__all__ = ["add_parsers", "existing", "path_of", "print_rows", "quoted"]

_SQL_EPILOG = """\
tlx sql "SELECT kernel, settings, median, unit FROM best"
tlx sql "SELECT settings, stage, reason FROM rejection WHERE kernel = 'gemm'"

Tables and views: docs/database.md. Exit code: 0, or 2 if SQLite refuses the query.
"""


def add_parsers(commands: argparse._SubParsersAction) -> None:
    """Adds `sql`, `best` and `db` to the parser's commands."""
    raw = argparse.RawDescriptionHelpFormatter
    sql = commands.add_parser("sql", help="a query to the database of tunings", epilog=_SQL_EPILOG, formatter_class=raw)
    sql.add_argument("query", help="SQL that reads")
    best = commands.add_parser("best", help="the fastest config of each tuned problem")
    best.add_argument("kernel", nargs="?", help="only of kernels with this name")
    for parser, run in ((sql, _sql), (best, _best)):
        parser.add_argument("--format", default="table", choices=["table", "json", "csv"])
        parser.add_argument(
            "--db", help="path of the database, or of an export; by default TLX_DB, or ~/.cache/tlx/tune.db"
        )
        parser.set_defaults(run=run)
    db = commands.add_parser("db", help="the database of tunings as text, and back")
    db.add_argument("action", choices=["export", "import", "path"])
    db.add_argument("file", nargs="?", help="to write or read; standard output or input if there is none")
    only = "export only the newest measurement of each candidate of tlx compare"
    db.add_argument("--comparisons", action="store_true", help=only)
    db.add_argument("--db", help="path of the database")
    db.set_defaults(run=_db)


def _sql(options: argparse.Namespace) -> int:
    return _answer(options, options.query)


def _best(options: argparse.Namespace) -> int:
    columns = "kernel, problem, settings, median, unit, samples, device, triton"
    condition = " WHERE kernel = " + quoted(options.kernel) if options.kernel else ""
    return _answer(options, f"SELECT {columns} FROM best{condition} ORDER BY kernel, problem, device")


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _db(options: argparse.Namespace) -> int:
    path = path_of(options)
    if options.action == "path":
        print(path)
        return 0
    if options.action == "export":
        text = export_text(existing(path), COMPARISONS if options.comparisons else "")
        if options.file:
            Path(options.file).write_text(text)
        else:
            sys.stdout.write(text)
        return 0
    added = import_text(Database(path), _read(options.file))
    print(", ".join(f"{count} {table}" for table, count in added.items() if count) or "nothing new")
    return 0


def _read(file: str | None) -> str:
    if not file:
        return sys.stdin.read()
    if not Path(file).is_file():
        raise DatabaseError(f"there is no file {file}")
    return Path(file).read_text()


def path_of(options: argparse.Namespace) -> Path:
    """The path that `--db` names, or the usual one."""
    return Path(options.db) if options.db else default_path()


def existing(path: Path) -> Database:
    """The database, which a question does not make. An export is read into memory, and stays as it is."""
    if not path.is_file():
        raise DatabaseError(f"there is no database {path}", hint="tlx.autotune makes it; or tlx db import FILE")
    if not is_export(path):
        return Database(path)
    database = Database.in_memory()
    import_text(database, path.read_text())
    return database


def _answer(options: argparse.Namespace, query: str) -> int:
    print_rows(*run_sql(existing(path_of(options)), query), options.format)
    return 0


def print_rows(names: list[str], rows: list[tuple], form: str) -> None:
    """Prints an answer as a "table", "json" or "csv"."""
    if form == "json":
        print(json.dumps([dict(zip(names, row)) for row in rows], indent=2))
    elif form == "csv":
        csv.writer(sys.stdout).writerows([names, *rows])
    else:
        _print_table(names, rows)


def _print_table(names: list[str], rows: list[tuple]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for place, name in enumerate(names):
        numbers = all(row[place] is None or isinstance(row[place], int | float) for row in rows)
        table.add_column(Text(name), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    Console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
