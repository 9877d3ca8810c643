"""Databases as text that diffs well: a line a row, sorted, rows named by what they are and not by a number.

The first line is `tlx-db VERSION`. Then come the tables, each as `[NAME]` and a line of JSON for each row. A row that
others refer to begins with its name: a hash of its natural key, in which references are names again. So exports of
different machines can be imported into one database, and the same data always gives the same text.

An export of an older schema is imported into a database of that schema first, which is migrated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from .errors import DatabaseError
from .migrations import migrate
from .store import Database

__all__ = ["COMPARISONS", "export_text", "import_text", "is_export"]

TABLES = ("device", "software", "kernel", "problem", "argument", "config", "setting", "sweep", "trial", "sample")
"""In the order of their references."""

COMPARISONS = "SELECT sweep_id FROM comparison"
"""The sweeps of the newest measurement of each candidate of `tlx compare`."""


class Table:
    """What the schema says about a table: columns without `id`, natural key, and which columns refer to which table."""

    def __init__(self, database: Database, name: str):
        self.name = name
        columns = [row["name"] for row in database.query(f"PRAGMA table_info({name})")]
        self.has_id = "id" in columns
        self.columns = [column for column in columns if column != "id"]
        self.references = {row["from"]: row["table"] for row in database.query(f"PRAGMA foreign_key_list({name})")}
        (unique,) = [row["name"] for row in database.query(f"PRAGMA index_list({name})") if row["origin"] == "u"]
        self.key = [row["name"] for row in database.query(f"PRAGMA index_info({unique})")]


# --- out ---


def export_text(database: Database, sweeps: str = "") -> str:
    """The database as text.

    Args:
        database: to export.
        sweeps: SQL of the ids of those sweeps that are exported, with all that they refer to; "" for everything.
    """
    names: dict[tuple[str, int], str] = {}
    parts = [_header(_version(database))]
    for name in TABLES:
        rows = database.query(f"SELECT * FROM {name}{_only(name, sweeps)}")
        lines = sorted(_lines(Table(database, name), rows, names))
        parts.append(f"[{name}]\n" + "".join(f"{line}\n" for line in lines))
    return "".join(parts)


def _only(table: str, sweeps: str) -> str:
    """The condition of a table's rows that belong to some sweeps."""
    if not sweeps:
        return ""
    of_sweep = f"FROM sweep WHERE id IN ({sweeps})"
    problems, trials = f"SELECT problem_id {of_sweep}", f"FROM trial WHERE sweep_id IN ({sweeps})"
    configs = f"SELECT config_id {trials} UNION SELECT winner_id {of_sweep}"
    conditions = {
        "device": f"id IN (SELECT device_id {of_sweep})",
        "software": f"id IN (SELECT software_id {of_sweep})",
        "kernel": f"id IN (SELECT kernel_id FROM problem WHERE id IN ({problems}))",
        "problem": f"id IN ({problems})",
        "argument": f"problem_id IN ({problems})",
        "config": f"id IN ({configs})",
        "setting": f"config_id IN ({configs})",
        "sweep": f"id IN ({sweeps})",
        "trial": f"sweep_id IN ({sweeps})",
        "sample": f"trial_id IN (SELECT id {trials})",
    }
    return f" WHERE {conditions[table]}"


def _version(database: Database) -> int:
    (row,) = database.query("PRAGMA user_version")
    return row["user_version"]


def _header(version: int) -> str:
    return f"tlx-db {version}\n"


def _lines(table: Table, rows: list[dict[str, Any]], names: dict) -> Iterator[str]:
    for row in rows:
        for column, target in table.references.items():
            row[column] = row[column] and names[target, row[column]]
        values = [row[column] for column in table.columns]
        if table.has_id:
            names[table.name, row["id"]] = name = _name(table, row)
            values = [name, *values]
        yield json.dumps(values, ensure_ascii=False)


def _name(table: Table, row: dict[str, Any]) -> str:
    key = json.dumps([table.name, *(row[column] for column in table.key)])
    return hashlib.sha256(key.encode()).hexdigest()[:12]


# --- in ---


def is_export(path: Path) -> bool:
    """Whether a file is an export, by how it begins."""
    with path.open("rb") as file:
        return file.read(7) == b"tlx-db "


def import_text(database: Database, text: str) -> dict[str, int]:
    """Adds the rows of an export that the database does not have; returns how many, by table.

    Raises:
        DatabaseError: the text is no export, or one of a newer schema; the database is as it was.
    """
    header, *lines = text.splitlines() or [""]
    newest = _version(database)
    if f"{header}\n" in map(_header, range(1, newest)):
        with closing(Database.in_memory(int(header.split()[1]))) as old:
            import_text(old, text)
            migrate(old.connection)
            return import_text(database, export_text(old))
    if f"{header}\n" != _header(newest):
        raise DatabaseError(
            f"the first line is {header[:40]!r}, not 'tlx-db {newest}' or a smaller number",
            hint="import what `tlx db export` of this tlx or an older one wrote",
        )
    added = dict.fromkeys(TABLES, 0)
    ids: dict[tuple[str, str], int] = {}
    with database.writing():
        for number, table, values in _rows(database, lines):
            try:
                added[table.name] += _add(database, table, values, ids)
            except (KeyError, ValueError, TypeError) as error:
                raise DatabaseError(f"line {number} is no row of {table.name}: {error!r}") from error
    return added


def _rows(database: Database, lines: list[str]) -> Iterator[tuple[int, Table, Any]]:
    table = None
    for number, line in enumerate(lines, 2):
        if line.startswith("[") and line.endswith("]") and line[1:-1] in TABLES:
            table = Table(database, line[1:-1])
            continue
        try:
            values = json.loads(line)
        except ValueError:
            values = None
        if table is None or not isinstance(values, list):
            raise DatabaseError(f"line {number} is neither [TABLE] nor a row: {line[:60]!r}")
        yield number, table, values


def _add(database: Database, table: Table, values: list, ids: dict) -> bool:
    """Adds a row if it is new; whether it was."""
    name = values.pop(0) if table.has_id else None
    row = dict(zip(table.columns, values, strict=True))
    for column, target in table.references.items():
        row[column] = row[column] and ids[target, row[column]]
    where = " AND ".join(f"{column} IS ?" for column in table.key)
    select = f"SELECT {'id' if table.has_id else '1'} FROM {table.name} WHERE {where}"
    known = database.connection.execute(select, [row[column] for column in table.key]).fetchone()
    number = known[0] if known else database.insert(table.name, row)
    if table.has_id:
        ids[table.name, name] = number
    return known is None
