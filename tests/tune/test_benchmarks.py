"""The pages of docs/benchmarks and the README's numbers are what the committed export yields; the generator, on
exports that are made up."""

import json
import re
import shlex
from contextlib import closing

import pytest

from tlx.__main__ import main
from tlx.tune.database import COMPARISONS, Database, export_text
from tools import make_benchmarks
from tools.make_benchmarks import EXPORT, FOLDER, NOTHING, README, cell, load, pages, readme

CURRENT = "run: python -m tools.make_benchmarks"

# --- what is committed ---


@pytest.fixture(scope="module")
def committed():
    with closing(load(EXPORT.read_text())) as database:
        yield database


def test_the_pages_are_what_the_export_yields(committed):
    assert {path.name: path.read_text() for path in FOLDER.glob("*.md")} == pages(committed), CURRENT


def test_the_readme_is_what_the_export_yields(committed):
    text = README.read_text()
    assert "<!-- numbers: summary -->" in text
    assert text == readme(committed, text), CURRENT


def test_the_export_has_nothing_that_it_need_not_have(committed):
    assert EXPORT.read_text() == export_text(committed, COMPARISONS)


def test_every_printed_query_gives_the_table_below_it(committed, capsys):
    for path in (README, *FOLDER.glob("*.md")):
        ask_all(path.read_text(), capsys)


def test_numbers_stand_only_below_queries():
    """A speed that is written by hand is one that nobody can trace."""
    for path in (README, *FOLDER.glob("*.md")):
        prose = re.sub(PRINTED, "", path.read_text())
        assert not re.search(r"\d\s*(TFLOP/s|GB/s|TB/s)|\d(\.\d+)?\s*(x|times) (as fast|faster)", prose), path.name


# --- made up: how pages come about ---

PRINTED = re.compile(r"```sh\n(tlx sql [^`]*)```\n\n((?:\|.*\n)+)")


def ask_all(text, capsys, export=EXPORT) -> int:
    """Asks each query of a page, and compares; how many there are."""
    found = PRINTED.findall(text)
    assert len(found) == text.count("```sh\ntlx sql")
    for command, table in found:
        program, *arguments = shlex.split(command)
        assert (program, arguments[-2:]) == ("tlx", ["--db", "docs/benchmarks/export.txt"])
        capsys.readouterr()
        assert main([*arguments[:-1], str(export), "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        names, _, *printed = [re.split(r"(?<!\\) \| ", line[2:-2]) for line in table.splitlines()]
        assert [[cell(row[name]) for name in names] for row in rows] == printed, command
    return len(found)


@pytest.fixture
def written(save_times, database_path, tmp_path, monkeypatch):
    """Writes the pages of what was saved; returns their folder."""
    for name, value in {"FOLDER": tmp_path / "b", "EXPORT": tmp_path / "b/e.txt", "README": tmp_path / "R.md"}.items():
        monkeypatch.setattr(make_benchmarks, name, value)
    (tmp_path / "b").mkdir()

    def write(readme_text="<!-- numbers: summary -->\nold\n<!-- /numbers -->\n"):
        with closing(Database(database_path)) as database:
            make_benchmarks.EXPORT.write_text(export_text(database, COMPARISONS))
        make_benchmarks.README.write_text(readme_text)
        make_benchmarks.main()
        return make_benchmarks.FOLDER

    return write


def test_without_measurements_pages_say_so(written):
    folder = written("<!-- numbers: summary -->\nold\n<!-- /numbers --><!-- numbers: gemm -->\nold<!-- /numbers -->")
    assert [path.name for path in folder.glob("*.md")] == ["README.md"]
    assert NOTHING in (folder / "README.md").read_text()
    assert not PRINTED.search((folder / "README.md").read_text())
    nothing = f"\n\n{NOTHING}\n\n<!-- /numbers -->"
    assert make_benchmarks.README.read_text() == f"<!-- numbers: summary -->{nothing}<!-- numbers: gemm -->{nothing}"


def test_a_page_has_rates_and_ratios(written, save_times, capsys):
    save_times("8x8 bf16", naive=4.0, tlx=2.0, torch=3.0)
    save_times("16x8 bf16", naive=8.0, tlx=2.0, torch=3.0, flops=16_000_000)
    folder = written()
    page = (folder / "op.md").read_text()
    assert "## NVIDIA H200, Triton 3.6.0, torch 2.11.0\n" in page
    assert (
        "| problem | naive TFLOP/s | tlx TFLOP/s | torch TFLOP/s | tlx us | ± % | x naive | x torch |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| 8x8 bf16 | 2.0 | 4.0 | 2.7 | 2.0 | 5.0 | 2.0 | 1.5 |\n"
        "| 16x8 bf16 | 2.0 | 8.0 | 5.3 | 2.0 | 5.0 | 4.0 | 1.5 |\n"
    ) in page
    assert "| NVIDIA H200 | 580.1 | 3.6.0 | 2.11.0 | 13.0 |" in page
    summary = "| op | NVIDIA H200 | 3.6.0 | naive | 2 | 2.828 | 2.0 | 4.0 |\n"
    assert summary in (folder / "README.md").read_text()
    assert summary in make_benchmarks.README.read_text()
    assert ask_all(page, capsys, make_benchmarks.EXPORT) == 2
    assert ask_all(make_benchmarks.README.read_text(), capsys, make_benchmarks.EXPORT) == 1
    with pytest.raises(AssertionError):
        ask_all(page.replace("| 5.3 |", "| 5.4 |"), capsys, make_benchmarks.EXPORT)


def test_little_arithmetic_is_measured_by_bytes(written, save_times):
    save_times("lookup", naive=4.0, tlx=2.0, flops=4000, nbytes=2000)
    assert "| problem | naive GB/s | tlx GB/s | tlx us | ± % | x naive |\n" in (written() / "op.md").read_text()


def test_wrong_candidates_are_named_and_have_no_number(written, save_times, capsys):
    save_times("8x8 bf16", naive=4.0, tlx=None, torch=3.0)
    page = (written() / "op.md").read_text()
    assert "| 8x8 bf16 | 2.0 | - | 2.7 | - | - | - | - |\n" in page
    assert "| 8x8 bf16 | tlx | relative error 0.5 is above 0.1 |\n" in page
    assert ask_all(page, capsys, make_benchmarks.EXPORT) == 3


def test_places_are_not_mixed_and_flags_and_counts_are_left_out(written, save_times, capsys):
    save_times("8x8 bf16", naive=4.0, tlx=2.0)
    save_times.software = {**save_times.software, "triton": "3.7.1"}
    save_times("8x8 bf16", naive=4.0, tlx=1.0)
    save_times.software = {**save_times.software, "flags": '{"DISABLE_PTXAS_OPT": "1"}'}
    save_times("8x8 bf16", naive=4.0, tlx=100.0)
    save_times.device = {**save_times.device, "unit": "ops"}
    save_times("8x8 bf16", operation="counted", naive=4.0, tlx=2.0)
    folder = written()
    page = (folder / "op.md").read_text()
    assert re.findall(r"^## .*Triton (.*), torch", page, re.M) == ["3.7.1", "3.6.0"]
    assert re.findall(r"^\| 8x8 bf16 .*\| (.*) \|$", page, re.M) == ["4.0", "2.0"]
    assert sorted(path.name for path in folder.glob("*.md")) == ["README.md", "op.md"]
    assert ask_all(page, capsys, make_benchmarks.EXPORT) == 4


def test_a_page_without_measurements_goes(written, save_times):
    save_times("8x8 bf16", naive=4.0, tlx=2.0)
    (make_benchmarks.FOLDER / "gone.md").write_text("old")
    assert sorted(path.name for path in written().glob("*.md")) == ["README.md", "op.md"]
