"""Which sources a measurement ran from, and what became slower between two of them."""

import subprocess
from pathlib import Path

import pytest
import triton

from tests.tune.kernels import blocks, double
from tlx.__main__ import main
from tlx.tune import autotune
from tlx.tune.database import Database, DatabaseError
from tlx.tune.questions.regress import changes
from tlx.tune.revision import commit_of, source_columns
from tlx.version import __version__


@pytest.fixture(autouse=True)
def no_name_for_copies(monkeypatch):
    monkeypatch.delenv("TLX_REVISION", raising=False)


@pytest.fixture
def repository(tmp_path):
    """A folder under git, with a commit that holds `problem.py`."""
    folder = tmp_path / "repository" / "op"
    folder.mkdir(parents=True)
    git(folder.parent, "init", "-q")
    (folder / "problem.py").write_text("STAGES = 2\n")
    commit(folder.parent, "first")
    return folder


def git(folder, *arguments) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder, message) -> str:
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


# --- what is recorded ---


def test_a_commit_and_whether_its_python_files_have_changed(repository):
    head = git(repository, "rev-parse", "HEAD")
    assert source_columns(repository) == {"tlx": __version__, "revision": head, "dirty": 0}
    (repository.parent / "results.txt").write_text("no source")
    assert source_columns(repository)["dirty"] == 0
    (repository.parent / "new.py").write_text("no commit has it")
    assert source_columns(repository) == {"tlx": __version__, "revision": head, "dirty": 1}
    commit(repository, "second")
    (repository / "problem.py").write_text("STAGES = 3\n")
    assert source_columns(repository)["dirty"] == 1


def test_without_a_repository_the_environment_may_say_it(tmp_path, monkeypatch):
    assert source_columns(tmp_path) == {"tlx": __version__, "revision": "", "dirty": 0}
    monkeypatch.setenv("TLX_REVISION", "abc-dirty")
    assert source_columns(tmp_path) == {"tlx": __version__, "revision": "abc", "dirty": 1}


def test_without_git_there_is_no_revision(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert source_columns(repository)["revision"] == ""


def test_names_of_commits(repository):
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "v1")
    assert [commit_of(name, repository) for name in ("v1", "HEAD", head[:8], "nothing", "--all")] == [head] * 3 + [
        "",
        "",
    ]


def test_a_sweep_has_the_revision_of_its_kernel(lab, arrays, query, monkeypatch):
    from tlx.tune import facts

    monkeypatch.setattr(facts, "source_columns", lambda folder: {"tlx": "1.2", "revision": folder.name, "dirty": 1})
    autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])(double)[blocks](*arrays, 1000)
    assert query("SELECT tlx, revision, dirty FROM sweep") == [("1.2", "tune", 1)]
    assert query("SELECT DISTINCT tlx, revision FROM result") == [("1.2", "tune-dirty")]


# --- between two of them ---


@pytest.fixture
def measure(save_times, repository):
    """Saves times of an operation in the repository."""
    return lambda **microseconds: save_times("8x8 bf16", folder=repository, **microseconds)


@pytest.fixture
def database(database_path):
    database = Database(database_path)
    yield database
    database.close()


def verdicts(database, before, after, folder=None):
    return {change.kernel: change.verdict for change in changes(database, before, after, folder)[1]}


def test_between_two_commits(database, measure, repository, monkeypatch, capsys):
    first = git(repository, "rev-parse", "HEAD")
    measure(tlx=10.0, torch=9.0)
    (repository / "problem.py").write_text("STAGES = 3\n")
    measure(tlx=30.0, torch=9.0)  # of no commit
    second = commit(repository, "second")
    measure(tlx=11.0, torch=9.0)
    found = {"op/tlx": "slower", "op/torch": "same"}
    assert verdicts(database, first, second) == found
    assert verdicts(database, first[:7], second[:7]) == found
    assert verdicts(database, "HEAD~1", "HEAD", repository) == found
    assert verdicts(database, second, first) == {"op/tlx": "faster", "op/torch": "same"}
    (change,) = (c for c in changes(database, first, f"{first}-dirty")[1] if c.kernel == "op/tlx")
    assert (change.before[1], change.after[1]) == (10.0, 30.0)
    monkeypatch.chdir(repository)
    assert main(["regress", "--from", "HEAD~1", "--to", "HEAD"]) == 1
    assert "1 of 2 slower" in capsys.readouterr().out
    with pytest.raises(DatabaseError, match="nothing was measured with both"):
        verdicts(database, "HEAD~7", "HEAD", repository)


def test_another_run_that_is_slower_too_is_noise(database, measure, repository):
    """The first commit was measured at 10 and at 11: the second's 11 is nothing new."""
    first = git(repository, "rev-parse", "HEAD")
    measure(tlx=10.0)
    measure(tlx=11.0)
    measured_once = commit(repository, "second")
    measure(tlx=11.0)
    assert verdicts(database, first, measured_once) == {"op/tlx": "same"}


def test_a_change_below_one_percent_is_none(database, measure, repository):
    first = git(repository, "rev-parse", "HEAD")
    measure(tlx=100.0)
    second = commit(repository, "second")
    measure(tlx=100.9)
    third = commit(repository, "third")
    measure(tlx=101.1)
    assert verdicts(database, first, second) == {"op/tlx": "same"}
    assert verdicts(database, first, third) == {"op/tlx": "slower"}


def test_between_two_versions_of_tlx_or_triton(database, measure, save_times, monkeypatch):
    from tlx.tune import revision

    monkeypatch.setattr(revision, "__version__", "0.1")
    measure(tlx=10.0)
    monkeypatch.setattr(revision, "__version__", "0.2")
    measure(tlx=12.0)
    assert verdicts(database, "0.1", "0.2") == {"op/tlx": "slower"}
    save_times.software = {**save_times.software, "triton": "9.9"}
    measure(tlx=10.0)
    assert verdicts(database, "3.6.0", "9.9") == {"op/tlx": "same"}, "of 10 and 12, and of 10"


def test_this_repository_has_a_revision():
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        pytest.skip("a copy without a repository")
    assert len(source_columns(root)["revision"]) == 40
