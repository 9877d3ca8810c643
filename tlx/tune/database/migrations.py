"""The schema by version: each change of the tables is a file of SQL that takes a database one version further."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from .errors import DatabaseError

__all__ = ["MIGRATIONS", "migrate"]

FOLDER = Path(__file__).parent

MIGRATIONS = tuple((FOLDER / f"schema_{version}.sql").read_text() for version in (1, 2))
"""SQL that leads from version n to n + 1. Never change one that was released: add the next."""

VIEWS = (FOLDER / "views.sql").read_text()


def migrate(connection: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS, views: str = VIEWS) -> None:
    """Brings a database, new or old, to the newest version, in one transaction.

    Raises:
        DatabaseError: it was made by a newer tlx.
    """
    if _current(connection, migrations, views):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > len(migrations):
            raise DatabaseError(
                f"the database has schema version {version}, this tlx knows {len(migrations)}",
                hint="use a newer tlx, or another file: TLX_DB=...",
            )
        for script in migrations[version:]:
            _run(connection, script)
        _replace_views(connection, views)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _current(connection: sqlite3.Connection, migrations: Sequence[str], views: str) -> bool:
    return _version(connection) == len(migrations) and _views_hash(connection) == _hash(views)


def _replace_views(connection: sqlite3.Connection, views: str) -> None:
    """The views are code, not data: those of this tlx, and under their hash's name so that a change is seen."""
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        connection.execute(f"DROP VIEW {name}")
    _run(connection, views)
    connection.execute(f"CREATE VIEW views_version AS SELECT '{_hash(views)}' AS hash")


def _views_hash(connection: sqlite3.Connection) -> str:
    there = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = 'views_version'").fetchone()
    return connection.execute("SELECT hash FROM views_version").fetchone()[0] if there else ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _run(connection: sqlite3.Connection, script: str) -> None:
    """The script's statements. `executescript` would commit the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
