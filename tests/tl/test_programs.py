"""Kernels drawn at random: NumPy, the stock kernel and tlx give the same bits."""

import importlib.util

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.tl.case import STOCK, Case, output
from tests.tl.programs import M, Program, W, programs
from tlx import sim

QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True, "database": None}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where the programs' sources go: Triton reads them again."""
    return tmp_path_factory.mktemp("programs")


def case_of(program: Program, folder) -> Case:
    number = len(list(folder.iterdir()))
    path = folder / f"program_{number}.py"
    path.write_text(program.source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    inputs = {**program.inputs(), "out": output(3 * M * W + 2 * W + 2 * M, dtype=program.dtype)}
    return Case(path.stem, module.program, {**inputs, "n": program.n, "M": M, "W": W})


def check(program: Program, folder) -> None:
    case = case_of(program, folder)
    with sim.simulating():
        stock = case.run(STOCK, sim.array).numpy()
        found = case.run(program.form, sim.array).numpy()
    np.testing.assert_array_equal(stock, program.result())
    assert found.tobytes() == stock.tobytes()


@given(program=programs())
@settings(max_examples=25, **QUIET)
def test_a_program(program, folder):
    check(program, folder)


@pytest.mark.slow
@given(program=programs())
@settings(max_examples=400, **QUIET)
def test_many_programs(program, folder):
    check(program, folder)


def test_a_difference_is_found(folder):
    """The check can fail: NumPy is told of one statement less than the kernel has."""
    program = Program((), "int32", "outside", 1)
    wrong = type("Wrong", (), {"source": program.source.replace("c = a - b", "c = a + b"), "form": "outside"})()
    wrong.inputs, wrong.result, wrong.dtype, wrong.n = program.inputs, program.result, "int32", 1
    with pytest.raises(AssertionError):
        check(wrong, folder)
