"""Two ways to write the same kernel give the same code; every public name is used by a case."""

import ast
import re
from pathlib import Path

import pytest

import tlx
from tlx.language import blackwell

from . import tasks

HERE = Path(__file__).parent

# What is not for use inside kernels; who tests it instead.
ELSEWHERE = {
    "Config": "tests/compiler/test_clusters.py",
    "IgnoredArgument": "tests/sim/test_engine_copies.py, tests/compat",
    "Space": "tests/tune/test_space.py",
    "TLXError": "tests/test_errors.py",
    "__version__": "tests/test_cli.py",
    "check": "tests/check",
    "async_token": "what async_load returns; never spelled",
    "autotune": "tests/tune",
    "buffered_tensor_type": "the type of buffered_tensor, compared and mangled whenever helpers take one",
    "compile": "tests/compiler",
    "mbarrier_type": "the type of mbarrier, likewise",
    "simulating": "tests/sim",
    "tensor_descriptor_ptr": "what allocate_tensor_descriptor returns; never spelled",
    "tensor_descriptor_ptr_type": "the type of tensor_descriptor_ptr, likewise",
    "layout_encoding": "the base of all layouts; never spelled",
    "shared_layout_encoding": "the base of the layouts of buffers; never spelled",
    **dict.fromkeys(blackwell.__all__, "tests/test_tlx_names.py"),
}


def code(kernel, **arguments: str) -> str:
    """The TTGIR without locations and without the kernel's name."""
    ttgir = tlx.compile(kernel, arguments).asm["ttgir"]
    ttgir = "\n".join(line for line in ttgir.splitlines() if not line.startswith("#loc"))
    return re.sub(r" loc\(.*?\)+(?=$| |,|\))", "", ttgir, flags=re.MULTILINE).replace(kernel.__name__, "kernel")


def test_declared_tasks_equal_blocks():
    assert code(tasks.declared, y="*i32") == code(tasks.as_blocks, y="*i32")


def test_the_comparison_sees_a_difference():
    assert code(tasks.registers, y="*i32") != code(tasks.as_blocks, y="*i32")


def names_used() -> set[str]:
    """The X of each `tlx.X` in this folder's kernels."""
    trees = [ast.parse(path.read_text()) for path in HERE.glob("*.py") if not path.name.startswith("test_")]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == "tlx"}


@pytest.mark.parametrize("name", sorted(set(tlx.__all__) - ELSEWHERE.keys()))
def test_a_case_uses(name):
    assert name in names_used()


def test_the_list_of_exceptions_is_current():
    assert set(tlx.__all__) >= ELSEWHERE.keys()
