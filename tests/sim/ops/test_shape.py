import numpy as np
import pytest

from tests.sim.ops.evaluate import argument, group, pointers, run, same
from tlx.ir.model import Attribute
from tlx.sim.errors import UndefinedValue
from tlx.sim.pointers import Pointers

i32 = np.int32


def dense(value):
    return Attribute("dense", (("value", value),))


MATRIX = np.array([[1, 2, 3], [4, 5, 6]], i32)


def test_splat_and_broadcast():
    same(run("tt.splat", i32(7), result="2x2xi32"), np.array([[7, 7], [7, 7]], i32))
    same(run("tt.broadcast", np.array([[1], [2]], i32), result="2x2xi32"), np.array([[1, 1], [2, 2]], i32))
    same(run("tt.unsplat", np.array([[7]], i32)), i32(7))


def test_pointers_move_as_numbers_do():
    x = argument(np.zeros(4, i32))
    splat = run("tt.splat", pointers(x, 1), result="2x1x*i32")
    wide = run("tt.broadcast", splat, result="2x2x*i32")
    assert isinstance(wide, Pointers) and wide.argument is x
    same(wide.addresses - x.address, np.full((2, 2), 4))
    first, second = run("tt.split", run("tt.join", pointers(x, 0, 1), pointers(x, 2, 3)))
    assert first.argument is x
    same(second.addresses - x.address, np.array([8, 12]))
    y = argument(np.zeros(4, i32))
    assert run("tt.join", pointers(x, 0, 1), pointers(y, 2, 3)).argument is None


def test_reshape_and_expand_dims():
    same(run("tt.reshape", MATRIX, result="3x2xi32"), np.array([[1, 2], [3, 4], [5, 6]], i32))
    same(run("tt.expand_dims", np.array([1, 2], i32), result="2x1xi32", axis=1), np.array([[1], [2]], i32))


def test_trans():
    cube = np.arange(24, dtype=i32).reshape(2, 3, 4)
    turned = run("tt.trans", cube, order=(2, 0, 1))
    assert turned.shape == (4, 2, 3)
    assert turned[3, 1, 2] == cube[1, 2, 3]


def test_join_split_cat():
    a, b = np.array([1, 2], i32), np.array([3, 4], i32)
    same(run("tt.join", a, b), np.array([[1, 3], [2, 4]], i32))
    first, second = run("tt.split", np.array([[1, 3], [2, 4]], i32))
    same(first, a), same(second, b)
    first, second = run("tt.split", np.array([5, 6], i32))
    same(first, i32(5)), same(second, i32(6))
    same(run("tt.cat", a, b), np.array([1, 2, 3, 4], i32))


def test_gather():
    same(run("tt.gather", MATRIX, np.array([[2, 0], [1, 1]], i32), axis=1), np.array([[3, 1], [5, 5]], i32))
    same(run("tt.gather", MATRIX, np.array([[1, 0, 1]], i32), axis=0), np.array([[4, 2, 6]], i32))


def test_histogram():
    values = np.array([0, 1, 1, 3, 5], i32)
    same(run("tt.histogram", values[:4], result="4xi32"), np.array([1, 2, 0, 1], i32))
    with pytest.raises(UndefinedValue, match=r"5 is outside the bins 0\.\.3"):
        run("tt.histogram", values, result="4xi32")
    mask = np.array([True, True, False, True, False])
    same(run("tt.histogram", values, mask, result="4xi32"), np.array([1, 1, 0, 1], i32))


def test_convert_layout_keeps_values():
    same(run("ttg.convert_layout", MATRIX), MATRIX)


def test_program():
    here = group(program_id=(3, 4, 5), grid=(6, 7, 8))
    assert [run("tt.get_program_id", on=here, axis=a) for a in (0, 1, 2)] == [3, 4, 5]
    same(run("tt.get_num_programs", on=here, axis=1), i32(7))
    same(run("tt.make_range", result="4xi32", start=2, end=6), np.array([2, 3, 4, 5], i32))
    same(run("arith.constant", result="f32", value=1.5), np.float32(1.5))
    same(run("arith.constant", result="2xi1", value=dense(True)), np.array([True, True]))
    same(run("arith.constant", result="2x2xi32", value=dense(((1, 2), (3, 4)))), np.array([[1, 2], [3, 4]], i32))
    same(run("ub.poison", result="2xf32"), np.zeros(2, np.float32))
