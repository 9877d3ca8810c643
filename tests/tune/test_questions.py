"""`tlx compare --save` and `--from-db`, `tlx iso`, `tlx regress`, `tlx report`, on an export whose numbers are made up.

In it, kernel `mul` has BLOCK=1 at 10 and then 10.2, within its noise of 0.6; BLOCK=2 at 20 and then 22; BLOCK=4 with
two samples. `stock` has 5.1 and 88 there, BLOCK=8 that `mul` does not have, and no WARPS.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from tlx.__main__ import main
from tlx.tune.database import Database, import_text
from tlx.tune.questions.plots import PLOT_QUERIES, save_plots
from tlx.tune.questions.regress import changes, interval

EXPORT = Path(__file__).parent / "data" / "questions.txt"


@pytest.fixture
def database(database_path):
    database = Database(database_path)
    import_text(database, EXPORT.read_text())
    yield database
    database.close()


def verdicts(found):
    return {change.settings: change.verdict for change in found}


def test_noise_is_no_regression_and_a_slower_median_is_one(database):
    _, found = changes(database, "aaa", "bbb")
    assert verdicts(found) == {
        "BLOCK=1 WARPS=4": "same",
        "BLOCK=2 WARPS=4": "slower",
        "BLOCK=4 WARPS=4": "too few samples",
    }


def test_the_other_way_round_it_is_faster(database):
    _, found = changes(database, "bbb", "aaa")
    assert verdicts(found)["BLOCK=2 WARPS=4"] == "faster"
    assert "slower" not in verdicts(found).values()


def test_hashes_may_be_cut_short_but_not_ambiguous(database, capsys):
    assert verdicts(changes(database, "a", "bb")[1])["BLOCK=2 WARPS=4"] == "slower"
    assert main(["regress", "--from", "ccc", "--to", "aaa"]) == 2
    assert "nothing was measured with both 'ccc' and 'aaa'" in capsys.readouterr().err


def test_intervals_are_the_same_each_time():
    samples = [9.4, 9.7, 9.9, 10.0, 10.1, 10.3, 10.6]
    low, median, high = interval([samples])
    assert 9.4 <= low < median == 10.0 < high <= 10.6
    assert interval([samples]) == (low, median, high)
    assert interval([[64.0]]) == (64.0, 64.0, 64.0)


def test_what_changes_from_run_to_run_widens_the_interval():
    """Each run is quiet, but the second is 5% slower: nobody knows the median better than that."""
    quiet, other = [10.0] * 30, [10.5] * 30
    assert interval([quiet]) == (10.0, 10.0, 10.0)
    assert interval([quiet, other]) == (10.0, 10.25, 10.5)


@pytest.mark.usefixtures("database")
def test_regress_prints_its_query_and_ends_with_1(capsys):
    assert main(["regress", "--from", "aaa", "--to", "bbb"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("WITH measured AS")
    assert "1 of 3 slower" in out
    assert main(["regress", "--from", "bbb", "--to", "aaa"]) == 0


@pytest.mark.usefixtures("database")
def test_iso_pairs_equal_settings(capsys):
    """Before: 10.2 and 22 of the newest source. Ratios 5.1/10.2 and 88/22: 0.5 and 4, whose mean is the root of 2."""
    assert main(["iso", "mul", "stock"]) == 0
    assert "on made-up GPU mul needs fewer us at 1 of 2; geometric mean of b / a: 1.414" in capsys.readouterr().out


@pytest.mark.usefixtures("database")
def test_a_printed_query_gives_the_table_again(capsys):
    assert main(["iso", "mul", "stock"]) == 0
    first = capsys.readouterr().out
    query = first[: re.search(r"^ORDER BY.*$", first, re.M).end()]
    assert main(["sql", query, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["settings"], row["a"], row["b"]) for row in rows] == [("BLOCK=2", 22.0, 88.0), ("BLOCK=1", 10.2, 5.1)]


@pytest.mark.usefixtures("database")
def test_report(capsys, tmp_path):
    assert main(["report", "--out", str(tmp_path / "r")]) == 0
    page = (tmp_path / "r" / "report.md").read_text()
    assert "| stock | n=1000 | BLOCK=8 | 1.0 | us | 7 | made-up GPU | 3.6.0 |".replace("1.0", "1") in page
    assert "```sql\nSELECT kernel, problem, settings, median" in page
    assert "<td>BLOCK=8</td>" in (tmp_path / "r" / "report.html").read_text()


@pytest.mark.usefixtures("database")
def test_report_without_matplotlib_has_no_plots(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["report", "--out", str(tmp_path)]) == 0
    assert "no plots: matplotlib is not installed" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.png"))


def test_plot_queries_give_points(database):
    """Each kernel's fastest is 1.0; the configs of `mul` are those of both sources."""
    rows = database.query(PLOT_QUERIES["scatter"])
    assert [round(row["y"], 3) for row in rows if row["series"].startswith("stock")] == [1.0, 0.196, 0.011]
    assert database.query(PLOT_QUERIES["tflops"]) == []


def test_report_draws_what_has_points(database, tmp_path):
    pytest.importorskip("matplotlib")
    assert save_plots(database, tmp_path) == [tmp_path / "scatter.png"]
    assert (tmp_path / "scatter.png").read_bytes().startswith(b"\x89PNG")


def test_a_saved_comparison_is_told_without_a_launch(capsys, monkeypatch):
    pytest.importorskip("torch")
    command = ["compare", "gemm", "--shape", "64x64x64"]
    assert main([*command, "--backend", "sim", "--json", "--save"]) == 0
    (measured,) = json.loads(capsys.readouterr().out)
    ops = {m["name"]: m["counts"]["ops"] for m in measured["measurements"]}
    monkeypatch.setattr("tlx.bench.command.compare", None)
    assert main([*command, "--from-db", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["candidate"]: row["median"] for row in rows} == ops
    assert {(row["unit"], row["x_naive"]) for row in rows} == {("ops", None)}, "a count of ops is no speed"
    for other in (["--shape", "65x64x64"], ["--dtype", "fp16"]):
        assert main(["compare", "gemm", *other, "--from-db", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == []


def test_times_become_rates_and_a_wrong_candidate_has_none(database_path, query):
    from types import SimpleNamespace

    from tlx.bench.compare import Measurement
    from tlx.tune.database.store import run_sql
    from tlx.tune.questions.comparison import compare_query, save

    operation = SimpleNamespace(__name__="k.gemm.problem", __file__=str(EXPORT))
    measurements = (
        Measurement("naive", 0.0, True, samples=(4.0, 4.0)),
        Measurement("tlx", 0.0, True, samples=(2.0, 2.0)),
        Measurement("torch", 0.5, False),
    )
    work = SimpleNamespace(
        title="1x1x1 bf16", flops=4_000_000, bytes_moved=8000, tolerance=0.1, measurements=measurements
    )
    database = Database(database_path)
    save(database, operation, work)
    with database.writing():
        database.connection.execute("UPDATE device SET unit = 'us'")
    names, rows = run_sql(database, compare_query("gemm"))
    rows = [dict(zip(names, row)) for row in rows]
    assert [(row["candidate"], row["outcome"], row["tflops"], row["gbps"], row["x_naive"]) for row in rows] == [
        ("naive", "measured", 1.0, 2.0, 1.0),
        ("tlx", "measured", 2.0, 4.0, 2.0),
        ("torch", "rejected", None, None, None),
    ]
    (speedup,) = (row["y"] for row in database.query(PLOT_QUERIES["speedup"]) if row["series"].startswith("gemm/tlx"))
    (roof,) = (row for row in database.query(PLOT_QUERIES["roofline"]) if row["series"].startswith("gemm/tlx"))
    assert (speedup, roof["x"], roof["y"]) == (2.0, 500.0, 2.0)
    assert query("SELECT reason FROM rejection") == [("relative error 0.5 is above 0.1",)]
