"""The database: made, migrated, damaged, shared, exported and imported."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tlx.tune.database import Database, DatabaseError, DatabaseSetAside, export_text, import_text
from tlx.tune.database.migrations import MIGRATIONS, migrate
from tlx.tune.database.store import run_sql

H200 = {"name": "NVIDIA H200", "arch": 90, "driver": "580.1", "unit": "us"}


def fill(database, medians=(3.0, 1.0), started="2026-01-01T00:00:00+00:00", device=H200):
    """One sweep of configs BLOCK = 0, 1, ..., each with samples around its median."""
    with database.writing():
        software = {"triton": "3.6.0", "torch": "2.11.0", "cuda": "13.0", "flags": "{}"}
        kernel = {"module": "m", "name": "double", "source_hash": "5", "tlx_hash": ""}
        problem = {"kernel_id": database.identify("kernel", kernel), "key": "[1000]"}
        problem = database.identify("problem", problem)
        sweep = {
            "device_id": database.identify("device", device),
            "software_id": database.identify("software", software),
            "problem_id": problem,
            "started": started,
            "request": "r",
            "search": "list",
            "ended": "complete",
        }
        sweep = database.insert("sweep", sweep)
        row = {"problem_id": problem, "position": 0, "name": "n", "kind": "value", "value": "1000"}
        database.insert_new("argument", {**row, "dtype": "", "shape": "", "strides": ""})
        for block, median in enumerate(medians):
            config = database.identify("config", {"text": f'{{"BLOCK": {block}}}'})
            database.insert_new("setting", {"config_id": config, "name": "BLOCK", "value": block})
            trial = {"sweep_id": sweep, "config_id": config, "outcome": "measured", "stage": "", "reason": ""}
            trial = database.insert("trial", trial)
            for number, value in enumerate((median - 0.5, median, median + 2)):
                database.insert("sample", {"trial_id": trial, "round": number, "value": value})


@pytest.fixture
def database(database_path):
    database = Database(database_path)
    yield database
    database.close()


def test_a_row_is_found_by_its_natural_key(database):
    with database.writing():
        first = database.identify("device", H200)
        assert database.identify("device", H200) == first
        assert database.identify("device", {**H200, "driver": "581"}) != first


def test_a_transaction_is_kept_as_a_whole(database):
    with pytest.raises(ZeroDivisionError), database.writing():
        database.identify("device", H200)
        raise ZeroDivisionError
    assert database.query("SELECT * FROM device") == []


def test_references_are_checked(database):
    with pytest.raises(sqlite3.IntegrityError), database.writing():
        database.identify("problem", {"kernel_id": 77, "key": ""})


# --- views ---


def test_the_median_and_the_best(database):
    fill(database, medians=(3.0, 1.0))
    rows = database.query("SELECT settings, median, fastest, samples, unit FROM result ORDER BY median")
    assert [tuple(row.values()) for row in rows] == [
        ("BLOCK=1", 1.0, 0.5, 3, "us"),
        ("BLOCK=0", 3.0, 2.5, 3, "us"),
    ]
    assert [tuple(r.values()) for r in database.query("SELECT settings, problem FROM best")] == [("BLOCK=1", "n=1000")]
    scatter = database.query("SELECT settings, of_best FROM scatter ORDER BY of_best")
    assert [tuple(row.values()) for row in scatter] == [("BLOCK=0", 1 / 3), ("BLOCK=1", 1.0)]


def test_the_median_of_an_even_count_lies_between(database):
    fill(database, medians=(3.0,))
    with database.writing():
        database.insert("sample", {"trial_id": 1, "round": 3, "value": 4.0})
    assert database.query("SELECT median FROM result") == [{"median": 3.5}]


def test_the_newest_trial_of_a_config_counts(database):
    fill(database, medians=(1.0, 2.0), started="2026-01-01")
    fill(database, medians=(4.0,), started="2026-01-02")
    assert database.query("SELECT settings, median FROM best") == [{"settings": "BLOCK=1", "median": 2.0}]


# --- the schema's versions ---


def test_an_old_database_is_migrated(tmp_path):
    connection = sqlite3.connect(tmp_path / "old.db", isolation_level=None)
    migrate(connection, MIGRATIONS[:1], "CREATE VIEW first AS SELECT 1 AS one;")
    connection.execute("INSERT INTO device (name, arch, driver, unit) VALUES ('a', 90, '', 'us')")
    migrate(
        connection, [*MIGRATIONS[:1], "ALTER TABLE device ADD COLUMN note TEXT;"], "CREATE VIEW second AS SELECT 2;"
    )
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert connection.execute("SELECT name, note FROM device").fetchall() == [("a", None)]
    views = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall()
    assert sorted(views) == [("second",), ("views_version",)]


def test_what_version_1_knew_is_known_in_version_2():
    database = Database.in_memory(version=1)
    with database.writing():
        key = {"kernel_id": database.insert("kernel", {"module": "m", "name": "k", "source_hash": "", "tlx_hash": ""})}
        software = {"triton": "3.6.0", "torch": "", "cuda": "", "flags": ""}
        sweep = {
            "device_id": database.insert("device", H200),
            "software_id": database.insert("software", software),
            "problem_id": database.insert("problem", {**key, "key": "[1000]"}),
            **{"started": "2026", "request": "r", "search": "list"},
        }
        trial = {"sweep_id": database.insert("sweep", sweep), "outcome": "rejected", "stage": "hang"}
        for number, reason in enumerate(("no end after 15 s", "no end after 1e+03 s", "too large")):
            config = database.insert("config", {"text": str(number)})
            database.insert("trial", {**trial, "config_id": config, "reason": reason})
    migrate(database.connection)
    assert database.query("SELECT key, tlx, revision, dirty FROM sweep") == [
        {"key": "[1000]", "tlx": "", "revision": "", "dirty": 0}
    ]
    caps = database.query("SELECT seconds_cap FROM trial ORDER BY id")
    assert [row["seconds_cap"] for row in caps] == [15.0, 1000.0, None]


def test_a_migration_that_fails_changes_nothing(tmp_path):
    connection = sqlite3.connect(tmp_path / "old.db", isolation_level=None)
    migrate(connection, MIGRATIONS[:1])
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, [*MIGRATIONS[:1], "CREATE TABLE extra (a);\nCREATE TABLE device (a);"])
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'extra'").fetchone() is None


def test_a_newer_database_is_refused(database_path):
    Database(database_path).close()
    with sqlite3.connect(database_path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(DatabaseError, match="schema version 99, this tlx knows"):
        Database(database_path)


# --- damage ---


def test_what_is_no_database_is_set_aside(database_path):
    database_path.write_bytes(b"not a database" * 100)
    with pytest.warns(DatabaseSetAside, match="is damaged"):
        database = Database(database_path)
    fill(database)
    assert database.query("SELECT count(*) AS n FROM trial") == [{"n": 2}]
    (aside,) = database_path.parent.glob("tune.db.damaged-*")
    assert aside.read_bytes().startswith(b"not a database")


def test_a_hole_in_a_database_is_seen(database_path):
    database = Database(database_path)
    fill(database, medians=range(1, 300))
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    content = bytearray(database_path.read_bytes())
    content[8192:20000] = b"\x5a" * (20000 - 8192)
    database_path.write_bytes(content)
    with pytest.warns(DatabaseSetAside, match="is damaged"):
        database = Database(database_path)
    assert database.query("SELECT count(*) AS n FROM trial") == [{"n": 0}]


def test_where_nothing_can_be_written_results_live_in_memory(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(DatabaseSetAside, match="results are not kept"):
        database = Database(tmp_path / "file" / "tune.db")
    fill(database)
    assert database.query("SELECT count(*) AS n FROM trial") == [{"n": 2}]


# --- several processes ---

WRITER = """
import sys
from tests.tune.test_database import fill
from tlx.tune.database import Database

for number in range(20):
    database = Database(sys.argv[1])
    fill(database, started=f"{sys.argv[2]} {number}")
    database.close()
"""


def test_two_processes_at_once(database_path):
    """Both make the database, and all that both write is there."""
    command = [sys.executable, "-c", WRITER, str(database_path)]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in "ab"]
    for writer in writers:
        assert writer.wait(timeout=120) == 0, writer.stderr.read().decode()
        writer.stderr.close()
    database = Database(database_path)
    assert database.query("SELECT count(*) AS n FROM sweep") == [{"n": 40}]
    assert database.query("SELECT count(*) AS n FROM sample") == [{"n": 240}]
    assert database.query("SELECT count(*) AS n FROM device") == [{"n": 1}]


OPENER = """
import sys, time, warnings
from pathlib import Path
from tlx.tune.database import Database

warnings.simplefilter("error")
folder = Path(sys.argv[1])
for number in range(60):
    (folder / f"{sys.argv[2]} {number}").touch()
    deadline = time.monotonic() + 20
    while not (folder / f"{sys.argv[3]} {number}").exists():  # both open a file that isn't there at the same moment
        if time.monotonic() > deadline:
            sys.exit("alone")
    Database(folder / f"{number}.db").close()
"""


def test_two_processes_make_a_database_at_the_same_moment(tmp_path):
    """SQLite doesn't wait for a lock while it turns write-ahead logging on."""
    openers = [
        subprocess.Popen([sys.executable, "-c", OPENER, str(tmp_path), *names], stderr=subprocess.PIPE)
        for names in ("ab", "ba")
    ]
    assert [opener.communicate(timeout=120)[1].decode() for opener in openers] == ["", ""]


# --- as text ---


def test_a_round_trip(tmp_path, database):
    fill(database)
    text = export_text(database)
    other = Database(tmp_path / "other.db")
    fill(other, started="2025-05-05", device={**H200, "name": "another"})  # other ids for the same rows
    added = import_text(other, text)
    assert (added["sweep"], added["trial"], added["sample"], added["config"], added["kernel"]) == (1, 2, 6, 0, 0)
    assert set(text.splitlines()) <= set(export_text(other).splitlines())
    assert not any(import_text(other, text).values())
    again = Database(tmp_path / "again.db")
    import_text(again, export_text(database))
    assert export_text(again) == text


def test_some_sweeps_are_exported_with_what_they_refer_to(tmp_path, database):
    fill(database, medians=(1.0, 2.0), started="2026-01-01")
    only_the_first = export_text(database)
    fill(database, medians=(3.0, 4.0, 5.0), started="2026-01-02", device={**H200, "name": "another"})
    assert export_text(database, "SELECT id FROM sweep WHERE started = '2026-01-01'") == only_the_first


def test_an_export_of_an_older_schema_is_imported(database):
    """The text is as version 1 wrote it: its sweeps have no revision, its trials no caps."""
    old = Path(__file__).with_name("data") / "questions.txt"
    assert old.read_text().startswith("tlx-db 1\n")
    assert import_text(database, old.read_text())["sample"] == 53
    assert export_text(database).startswith("tlx-db 2\n")
    assert database.query("SELECT DISTINCT key, revision FROM sweep") == [{"key": "[1000]", "revision": ""}]
    assert not any(import_text(database, old.read_text()).values())


def test_the_geometric_mean(database):
    rows = "SELECT 2.0 AS x UNION ALL SELECT 8.0 UNION ALL SELECT NULL"
    assert run_sql(database, f"SELECT round(geomean(x), 9) FROM ({rows})")[1] == [(4.0,)]
    assert run_sql(database, f"SELECT geomean(x) FROM ({rows}) WHERE x > 9")[1] == [(None,)]


def test_a_new_row_is_a_new_line(database):
    fill(database)
    before = export_text(database).splitlines()
    with database.writing():
        database.identify("device", {**H200, "driver": "581"})
    after = export_text(database).splitlines()
    assert len(after) == len(before) + 1
    assert [line for line in after if line in before] == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("tlx-db 2", "tlx-db 7"), "the first line is 'tlx-db 7'"),
        (lambda text: "", "the first line is ''"),
        (lambda text: text + "oops\n", "is neither \\[TABLE\\] nor a row: 'oops'"),
        (lambda text: text + '["0123456789ab", 1]\n', "is no row of sample"),
        (lambda text: text + '["0123456789ab", 1, 2.0]\n', "is no row of sample"),
    ],
)
def test_a_broken_export_changes_nothing(tmp_path, database, change, message):
    fill(database)
    text = change(export_text(database))
    other = Database(tmp_path / "other.db")
    with pytest.raises(DatabaseError, match=message):
        import_text(other, text)
    assert other.query("SELECT count(*) AS n FROM device") == [{"n": 0}]


# --- queries ---


def test_a_query_can_change_nothing(database):
    fill(database)
    with pytest.raises(DatabaseError, match="readonly"):
        run_sql(database, "DELETE FROM sample")
    assert run_sql(database, "SELECT count(*) AS n FROM sample") == (["n"], [(6,)])


def test_a_wrong_query_is_a_named_error(database):
    with pytest.raises(DatabaseError, match="no such table: nowhere"):
        run_sql(database, "SELECT * FROM nowhere")
