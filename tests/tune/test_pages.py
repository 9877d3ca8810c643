"""The pages about tuning: the diagram is the schema, every view is named, and the example runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tlx.tune.database import Database, export_text
from tlx.tune.database.exchange import TABLES

ROOT = Path(__file__).parents[2]
DATABASE = (ROOT / "docs" / "database.md").read_text()
TUNING = (ROOT / "docs" / "tuning.md").read_text()


@pytest.fixture
def database(database_path):
    return Database(database_path)


def diagram() -> tuple[dict[str, list[tuple[str, str]]], set[tuple[str, str]]]:
    """The columns of each table, and the references (to, from), as drawn."""
    (text,) = re.findall(r"```mermaid\nerDiagram\n(.*?)```", DATABASE, re.S)
    references = set(re.findall(r"(\w+) \|\|--o\{ (\w+)", text))
    tables = re.findall(r"^    (\w+) \{\n(.*?)^    \}", text, re.S | re.M)
    return {name: [tuple(line.split()) for line in body.strip().splitlines()] for name, body in tables}, references


def test_the_diagram_is_the_schema(database):
    tables, references = diagram()
    schema = {
        name: [
            (row["type"] or "ANY", row["name"])
            for row in database.query(f"PRAGMA table_info({name})")
            if row["name"] != "id"
        ]
        for (name,) in map(dict.values, database.query("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    }
    assert tables == schema
    assert references == {
        (row["table"], name) for name in schema for row in database.query(f"PRAGMA foreign_key_list({name})")
    }


def test_every_table_is_exported_and_explained(database):
    tables, _ = diagram()
    assert set(TABLES) == set(tables)
    assert all(f"\n| `{name}` |" in DATABASE for name in TABLES)
    assert [line[1:-1] for line in export_text(database).splitlines() if line.startswith("[")] == list(TABLES)


def test_every_view_is_explained(database):
    views = {row["name"] for row in database.query("SELECT name FROM sqlite_schema WHERE type = 'view'")}
    section = DATABASE.split("## Views")[1].split("## Several")[0]
    assert set(re.findall(r"`(\w+)`(?=[^|]*\| [a-z])", section)) >= views - {"views_version"}


def test_the_example_runs(tmp_path):
    script = tmp_path / "example.py"
    script.write_text(re.search(r"^```python\n(.*?)^```$", TUNING, re.S | re.M)[1])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answer = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, env=environment)
    assert answer.returncode == 0, answer.stderr
    best, *rejected = answer.stdout.splitlines()
    assert best.startswith("BLOCK: 512, num_warps: 4")
    assert [line.split(", num_ctas")[0] for line in rejected] == ["BLOCK=128, num_warps=3", "BLOCK=512, num_warps=3"]


def test_the_space_is_one():
    import tlx

    code = re.findall(r"^```python\n(.*?)^```$", TUNING, re.S | re.M)[1]
    names = {"tlx": tlx}
    exec(code, names)
    assert len(list(names["space"])) == 48
