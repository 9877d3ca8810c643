import numpy as np
import pytest

from tests.sim.ops.evaluate import argument, pointers, run, same
from tlx.sim.pointers import Pointers

T, F = np.bool_(True), np.bool_(False)


@pytest.mark.parametrize(
    "predicate, a, b, expected",
    [
        ("eq", np.int32(1), np.int32(1), T),
        ("ne", np.int32(1), np.int32(1), F),
        ("slt", np.int32(-1), np.int32(0), T),
        ("ult", np.int32(-1), np.int32(0), F),
        ("sge", np.int8(-1), np.int8(-1), T),
        ("ugt", np.int64(-1), np.int64(5), T),
        ("sle", np.int32(2), np.int32(1), F),
        ("slt", T, F, T),  # a true i1 is -1
        ("ult", F, T, T),
    ],
)
def test_integers(predicate, a, b, expected):
    same(run("arith.cmpi", a, b, predicate=predicate), expected)
    same(run("arith.cmpi", np.array([a]), np.array([b]), predicate=predicate), np.array([expected]))


@pytest.mark.parametrize(
    "predicate, with_nan, one_two, equal",
    [
        ("oeq", F, F, T),
        ("ueq", T, F, T),
        ("one", F, T, F),
        ("une", T, T, F),
        ("olt", F, T, F),
        ("ult", T, T, F),
        ("oge", F, F, T),
        ("uge", T, F, T),
        ("ogt", F, F, F),
        ("ule", T, T, T),
        ("ord", F, T, T),
        ("uno", T, F, F),
        ("true", T, T, T),
        ("false", F, F, F),
    ],
)
def test_floats(predicate, with_nan, one_two, equal):
    a, b = np.array([np.nan, 1, 2], np.float32), np.array([1, 2, 2], np.float32)
    same(run("arith.cmpf", a, b, predicate=predicate), np.array([with_nan, one_two, equal]))


def test_select():
    a, b = np.array([1, 2], np.int32), np.array([3, 4], np.int32)
    same(run("arith.select", np.array([True, False]), a, b), np.array([1, 4], np.int32))
    same(run("arith.select", F, a, b), b)
    same(run("arith.select", T, np.int32(1), np.int32(2)), np.int32(1))


def test_selected_pointers_keep_a_common_argument():
    x, y = argument(np.zeros(4, np.int32), "x"), argument(np.zeros(4, np.int32), "y")
    both_x = run("arith.select", np.array([True, False]), pointers(x, 0, 1), pointers(x, 2, 3))
    assert both_x.argument is x
    assert list(both_x.addresses - x.address) == [0, 12]
    mixed = run("arith.select", np.array([True, False]), pointers(x, 0, 1), pointers(y, 2, 3))
    assert isinstance(mixed, Pointers) and mixed.argument is None
