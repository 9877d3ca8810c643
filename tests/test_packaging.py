"""What is installed, and under which names."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120, **options)


def test_kernels_are_one_package():
    import tlx_kernels
    import tlx_kernels.gemm

    assert Path(tlx_kernels.gemm.__file__).parent == ROOT / "kernels" / "gemm"
    assert "kernels" not in sys.modules


def test_import_as_kernels_is_refused():
    answer = run("-c", "import kernels", cwd=ROOT)
    assert answer.returncode == 1
    assert "imported as `tlx_kernels`" in answer.stderr.splitlines()[-1]


def test_import_from_a_checkout_needs_no_torch():
    code = "import sys; sys.modules['torch'] = None; import tlx, tlx_kernels.gemm, tlx.bench, tlx.__main__"
    answer = run("-c", code, cwd=ROOT)
    assert answer.returncode == 0, answer.stderr


def test_triton_is_unpatched():
    """Importing tlx replaces no attribute of the modules of Triton that it could have patched."""
    code = """
import triton, triton.compiler.code_generator, triton.compiler.compiler, triton.runtime.jit
modules = [triton, triton.compiler.code_generator, triton.compiler.compiler, triton.runtime.jit]
before = [dict(vars(m)) for m in modules]
classes = [c for m in modules for c in vars(m).values() if isinstance(c, type)]
members = [dict(vars(c)) for c in classes]
import tlx, tlx.__main__, tlx_kernels.gemm
for module, names in zip(modules, before):
    assert all(vars(module)[n] is v for n, v in names.items()), module
for owner, names in zip(classes, members):
    assert all(vars(owner)[n] is v for n, v in names.items() if n != "__annotations__"), owner
"""
    answer = run("-c", code, cwd=ROOT)
    assert answer.returncode == 0, answer.stderr


def installed_files() -> list[str]:
    """The sources of `tlx` and `kernels/`, under their installed names."""
    sources = [path.relative_to(ROOT).as_posix() for folder in ("tlx", "kernels") for path in files_in(ROOT / folder)]
    return [re.sub("^kernels/", "tlx_kernels/", name) for name in sources]


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in (".py", ".lark", ".sql")]


def test_what_a_wheel_holds(tmp_path):
    pytest.importorskip("setuptools")
    answer = run("setup.py", "-q", "build", "--build-base", str(tmp_path / "b"), "--build-lib", str(tmp_path), cwd=ROOT)
    assert answer.returncode == 0, answer.stderr
    for name in installed_files():
        assert (tmp_path / name).is_file(), name
    assert not (tmp_path / "tests").exists()
    assert not (tmp_path / "kernels").exists()
