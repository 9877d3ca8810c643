"""Which Triton tlx takes, and the one line it says of any other."""

import subprocess
import sys
import types
from pathlib import Path

import pytest
import triton

from tlx.installation import is_fork, minor_of, require_triton

ROOT = Path(__file__).parent.parent
WANTED = "tlx needs the triton wheel from PyPI, >=3.6,<3.10; "


def refusal() -> str:
    with pytest.raises(ImportError) as caught:
        require_triton()
    return str(caught.value)


def test_the_installed_one_is_taken():
    require_triton()


@pytest.mark.parametrize("version", ["2.1.0", "3.5.1", "3.10.0", "99.0", "unknown"])
def test_another_version(monkeypatch, version):
    monkeypatch.setattr(triton, "__version__", version)
    assert refusal() == WANTED + f"found {version}"


def test_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    text = refusal()
    assert text.startswith(WANTED + "none can be imported")
    assert "\n" not in text


def test_a_fork(monkeypatch, tmp_path):
    (tmp_path / "language" / "extra" / "tlx").mkdir(parents=True)
    fork = types.ModuleType("triton")
    fork.__version__, fork.__file__ = "3.6.0+fb", str(tmp_path / "__init__.py")
    monkeypatch.setitem(sys.modules, "triton", fork)
    assert refusal() == WANTED + "found a fork that has its own TLX (fbtriton?), version 3.6.0+fb"
    assert is_fork(tmp_path)
    assert not is_fork(tmp_path / "language")


@pytest.mark.parametrize(
    ("version", "minor"), [("3.6.0", (3, 6)), ("3.10.1+git1", (3, 10)), ("3.6", (3, 6)), ("main", (0, 0))]
)
def test_minor_of(version, minor):
    assert minor_of(version) == minor


def test_import_says_one_line():
    code = "import triton; triton.__version__ = '99.0'; import tlx"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == f"ImportError: {WANTED}found 99.0"
