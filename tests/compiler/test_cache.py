"""What Triton's cache knows a compiled kernel by."""

import importlib.util

import pytest
import triton.language as tl

import tlx
from tlx.compiler import jit


@tlx.jit
def store(y, N: tl.constexpr):
    tl.store(y, N)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache of Triton's."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_the_same_kernel_is_compiled_once(cache, monkeypatch):
    first = tlx.compile(store, {"y": "*i32"}, {"N": 1})
    monkeypatch.setattr("tlx.compiler.jit.TLXSource.make_ir", None)  # calling it would fail
    assert tlx.compile(store, {"y": "*i32"}, {"N": 1}).hash == first.hash
    with pytest.raises(TypeError):
        tlx.compile(store, {"y": "*i32"}, {"N": 2})


def test_another_tlx_compiles_anew(cache, monkeypatch):
    first = tlx.compile(store, {"y": "*i32"}, {"N": 1})
    monkeypatch.setattr(jit, "package_hash", lambda: "another version of tlx")
    assert tlx.compile(store, {"y": "*i32"}, {"N": 1}).hash != first.hash


def test_the_hash_of_tlx_reads_its_source(monkeypatch, tmp_path):
    source = tmp_path / "language" / "tasks.py"
    source.parent.mkdir()
    source.write_text("first")
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "compiler" / "jit.py"))
    first = jit.package_hash.__wrapped__()
    assert jit.package_hash.__wrapped__() == first
    source.write_text("second")
    assert jit.package_hash.__wrapped__() != first


KERNEL = """
import triton.language as tl
import tlx

@tlx.jit
def store(y, N: tl.constexpr):
    tl.store(y, N)
"""


def test_a_kernel_that_moved_is_known_by_its_new_file(cache, tmp_path):
    """Reports show the lines of the file that the compiled kernel names."""
    for name in ("before", "after"):
        path = tmp_path / f"{name}.py"
        path.write_text(KERNEL)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        compiled = tlx.compile(module.store, {"y": "*i32"}, {"N": 1})
        path.unlink()
        assert f"{name}.py" in compiled.asm["ttgir"]
