import numpy as np

from tests.sim.ops.evaluate import run, same

i32 = np.int32
MATRIX = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], i32)


def add(a, b):
    return (a + b,)


def linear(a0, b0, a1, b1):
    """Composition of the maps x -> a * x + b, the left one first: associative, not commutative."""
    return a1 * a0, a1 * b0 + b1


def test_reduce():
    same(run("tt.reduce", MATRIX, combine=add, axis=0), np.array([6, 8, 10, 12], i32))
    same(run("tt.reduce", MATRIX, combine=add, axis=1), np.array([10, 26], i32))
    same(run("tt.reduce", MATRIX[0], combine=add, axis=0), i32(10))
    same(run("tt.reduce", MATRIX[0, :3], combine=add, axis=0), i32(6))
    same(run("tt.reduce", MATRIX[0, :1], combine=add, axis=0), i32(1))


def test_reduce_several_operands_in_order():
    a, b = np.array([2, 3, 5, 7], i32), np.array([1, 2, 3, 4], i32)
    slope, offset = run("tt.reduce", a, b, combine=linear, axis=0)
    same(slope, i32(210))
    same(offset, i32(((1 * 3 + 2) * 5 + 3) * 7 + 4))


def test_scan():
    same(run("tt.scan", MATRIX, combine=add, axis=1, reverse=False), np.array([[1, 3, 6, 10], [5, 11, 18, 26]], i32))
    same(run("tt.scan", MATRIX, combine=add, axis=0, reverse=False), np.array([[1, 2, 3, 4], [6, 8, 10, 12]], i32))
    same(run("tt.scan", MATRIX[0], combine=add, axis=0, reverse=True), np.array([10, 9, 7, 4], i32))


def test_scan_several_operands_in_order():
    a, b = np.array([2, 3, 5, 7], i32), np.array([1, 2, 3, 4], i32)
    slopes, offsets = run("tt.scan", a, b, combine=linear, axis=0, reverse=False)
    same(slopes, np.array([2, 6, 30, 210], i32))
    same(offsets, np.array([1, 5, 28, 200], i32))


def test_a_reduction_is_few_evaluations():
    calls = []
    run("tt.reduce", np.ones(1024, i32), combine=lambda a, b: (calls.append(1) or a + b,), axis=0)
    assert len(calls) == 10


def test_a_region_that_yields_a_constant():
    same(run("tt.scan", MATRIX[0], combine=lambda a, b: (i32(9),), axis=0, reverse=False), np.array([1, 9, 9, 9], i32))
