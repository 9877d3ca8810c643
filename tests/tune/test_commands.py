"""`tlx sql`, `tlx best`, `tlx db`."""

import json

import pytest

from tests.tune.test_database import fill
from tlx.__main__ import main
from tlx.tune.database import Database


@pytest.fixture
def filled(database_path):
    database = Database(database_path)
    fill(database)
    database.close()


@pytest.mark.usefixtures("filled")
def test_sql_as_table(capsys):
    assert main(["sql", "SELECT settings, median, unit FROM best"]) == 0
    words = capsys.readouterr().out.split()
    assert words[:3] == ["settings", "median", "unit"]
    assert words[-3:] == ["BLOCK=1", "1", "us"]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("form", "text"),
    [("csv", "settings,median\r\nBLOCK=1,1.0\r\n"), ("json", '[\n  {\n    "settings": "BLOCK=1",\n    "median": 1.0')],
)
def test_sql_for_programs(capsys, form, text):
    assert main(["sql", "SELECT settings, median FROM best", "--format", form]) == 0
    assert capsys.readouterr().out.startswith(text)


@pytest.mark.usefixtures("filled")
def test_a_query_that_sqlite_refuses_ends_with_2(capsys):
    assert main(["sql", "SELECT nowhere FROM best"]) == 2
    assert "tlx: SQLite: no such column: nowhere" in capsys.readouterr().err
    assert main(["sql", "DELETE FROM trial"]) == 2


@pytest.mark.usefixtures("filled")
def test_best(capsys):
    assert main(["best", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["kernel"], row["problem"], row["settings"], row["median"]) == ("double", "n=1000", "BLOCK=1", 1.0)
    assert main(["best", "no'one", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.usefixtures("filled")
def test_export_and_import(capsys, tmp_path):
    assert main(["db", "export", str(tmp_path / "a.txt")]) == 0
    assert main(["db", "import", str(tmp_path / "a.txt"), "--db", str(tmp_path / "b.db")]) == 0
    assert "1 sweep, 2 trial, 6 sample" in capsys.readouterr().out
    assert main(["db", "export", "--db", str(tmp_path / "b.db")]) == 0
    assert capsys.readouterr().out == (tmp_path / "a.txt").read_text()
    assert main(["db", "import", str(tmp_path / "a.txt"), "--db", str(tmp_path / "b.db")]) == 0
    assert capsys.readouterr().out == "nothing new\n"


@pytest.mark.usefixtures("filled")
def test_questions_to_an_export_leave_it_as_it_is(capsys, tmp_path):
    file = tmp_path / "a.txt"
    assert main(["db", "export", str(file)]) == 0
    text = file.read_text()
    assert main(["best", "--format", "json", "--db", str(file)]) == 0
    assert [row["settings"] for row in json.loads(capsys.readouterr().out)] == ["BLOCK=1"]
    assert file.read_text() == text
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("a.txt")] == ["a.txt"]


def test_the_path(capsys, database_path):
    assert main(["db", "path"]) == 0
    assert capsys.readouterr().out == f"{database_path}\n"


@pytest.mark.parametrize("command", [["best"], ["sql", "SELECT 1"], ["db", "export"]])
def test_a_question_makes_no_database(capsys, database_path, command):
    assert main(command) == 2
    assert f"there is no database {database_path}" in capsys.readouterr().err
    assert not database_path.exists()


def test_importing_nothing_ends_with_2(capsys, tmp_path):
    assert main(["db", "import", str(tmp_path / "missing")]) == 2
    assert "there is no file" in capsys.readouterr().err
