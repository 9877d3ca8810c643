"""What tests of `tlx.compat` share: an installation that ends with the test, and the tutorials of an fbtriton."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tlx import compat
from tools.compare_fbtriton import load

FOLDER = os.environ.get("TLX_FBTRITON_TUTORIALS", "")


@pytest.fixture
def installed():
    """`tlx.compat` for one test."""
    before = set(sys.modules)
    compat.install()
    yield
    compat.uninstall()
    for name in set(sys.modules) - before:
        if name.startswith("triton.language.extra.tlx"):
            del sys.modules[name]


@pytest.fixture
def tutorials(installed) -> Path:
    """The folder of the tutorials."""
    if not FOLDER:
        pytest.skip("TLX_FBTRITON_TUTORIALS doesn't name the folder of fbtriton's tutorials")
    pytest.importorskip("torch")
    return Path(FOLDER)


@pytest.fixture
def correctness(tutorials, monkeypatch) -> ModuleType:
    """Meta's tests of the tutorials. They import torchao for kernels of Blackwell; a stand-in is enough for ours."""
    if importlib.util.find_spec("torchao") is None:
        name = ""
        for part in ("torchao", ".prototype", ".mx_formats", ".mx_tensor"):
            name += part
            stand_in = ModuleType(name)
            stand_in.__path__ = []
            stand_in.__getattr__ = lambda attribute: attribute
            monkeypatch.setitem(sys.modules, name, stand_in)
    return load(tutorials / "testing", "test_correctness")
