"""The database of tunings in one SQLite file: opened safely, and the few writes and look-ups that the autotuner needs.

Write-ahead logging lets readers go on while one process writes; writers wait for each other.
"""

from __future__ import annotations

import fcntl
import hashlib
import math
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from .errors import DatabaseError, DatabaseSetAside
from .migrations import MIGRATIONS, migrate

__all__ = ["Database", "default_path"]

BUSY_SECONDS = 60


def default_path() -> Path:
    """`TLX_DB` if it is set, else `tlx/tune.db` in the user's cache folder."""
    if chosen := os.environ.get("TLX_DB"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tlx" / "tune.db"


class Database:
    """A database of tunings. A damaged file is set aside, with a warning.

    Args:
        path: of the file; made where there is none, with its folder.

    Raises:
        DatabaseError: the file was made by a newer tlx.
    """

    def __init__(self, path: str | Path | None = None):
        self.path = Path(path or default_path())
        self.connection = _open(self.path)

    @classmethod
    def in_memory(cls, version: int | None = None) -> Database:
        """An empty one without a file, of an older version of the schema if one is given."""
        database = cls.__new__(cls)
        database.path, database.connection = Path(":memory:"), _connect(":memory:", MIGRATIONS[:version])
        return database

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or nothing where the block raises."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Within the block, no other process is in one of this name: it waits for its turn."""
        place = int(hashlib.sha256(name.encode()).hexdigest()[:15], 16)
        with ExitStack() as stack:
            with suppress(OSError):  # the folder can't be written: nothing is shared there
                file = stack.enter_context(Path(f"{self.path}.lock").open("a"))
                fcntl.lockf(file, fcntl.LOCK_EX, 1, place)  # ends with the file, and with the process
            yield

    def query(self, sql: str, parameters: tuple | Mapping = ()) -> list[dict[str, Any]]:
        """The rows of a query, by column name."""
        cursor = self.connection.execute(sql, parameters)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row)) for row in cursor]

    def identify(self, table: str, key: Mapping[str, Any]) -> int:
        """The id of the row with that natural key, which is made where there is none. Within `writing`."""
        where = " AND ".join(f"{name} IS ?" for name in key)
        select = f"SELECT id FROM {table} WHERE {where}"
        row = self.connection.execute(select, tuple(key.values())).fetchone()
        return row[0] if row else self.insert(table, key)

    def insert(self, table: str, row: Mapping[str, Any]) -> int:
        """Adds a row; returns its id."""
        return self._insert(table, row, "").lastrowid

    def insert_new(self, table: str, row: Mapping[str, Any]) -> None:
        """Adds a row, unless one with its natural key is there."""
        self._insert(table, row, " ON CONFLICT DO NOTHING")

    def _insert(self, table: str, row: Mapping[str, Any], otherwise: str) -> sqlite3.Cursor:
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        sql = f"INSERT INTO {table} ({columns}) VALUES ({marks}){otherwise}"
        return self.connection.execute(sql, tuple(row.values()))


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _connect(path)
    except sqlite3.OperationalError as error:
        return _unwritable(path, error)
    except sqlite3.DatabaseError as error:
        _set_aside(path, error)
        return _connect(path)
    except OSError as error:
        return _unwritable(path, error)


def _connect(path: Path | str, migrations: Sequence[str] = MIGRATIONS) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.create_aggregate("geomean", 1, _GeometricMean)
        _log_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        migrate(connection, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


class _GeometricMean:
    """SQL's `geomean(x)`: NULL of no rows; rows without a value don't count."""

    def __init__(self):
        self._logarithms: list[float] = []

    def step(self, value: float | None) -> None:
        """Takes a row's value."""
        if value is not None:
            self._logarithms.append(math.log(value))

    def finalize(self) -> float | None:
        """The mean."""
        return math.exp(math.fsum(self._logarithms) / len(self._logarithms)) if self._logarithms else None


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Turns write-ahead logging on. SQLite doesn't wait for other processes here: where two do it at once, one is told
    at once that the file is locked, whatever its time limit says."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _unwritable(path: Path, error: Exception) -> sqlite3.Connection:
    """Tuning works without a file, too: its results last as long as the process."""
    warnings.warn(f"{path} can't be used ({error}): results are not kept", DatabaseSetAside, stacklevel=4)
    return _connect(":memory:")


def _set_aside(path: Path, error: sqlite3.DatabaseError) -> None:
    """Renames a damaged file. Of several processes that see the damage one does it; the others find a good file."""
    with Path(f"{path}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            _connect(path).close()
        except sqlite3.DatabaseError:
            aside = f"{path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
            path.rename(aside)
            for suffix in ("-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            what = f"{path} is damaged ({error}): it is now {aside}, and tuning begins anew"
            warnings.warn(what, DatabaseSetAside, stacklevel=5)
            _connect(path).close()


def run_sql(database: Database, sql: str) -> tuple[list[str], list[tuple]]:
    """Column names and rows of a query by a user, who can't change anything with it.

    Raises:
        DatabaseError: SQLite refuses it.
    """
    database.connection.execute("PRAGMA query_only = ON")
    try:
        cursor = database.connection.execute(sql)
        return [column[0] for column in cursor.description or ()], cursor.fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise DatabaseError(f"SQLite: {error}", hint="tables and views: docs/database.md") from error
    finally:
        database.connection.execute("PRAGMA query_only = OFF")
