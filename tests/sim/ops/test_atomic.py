import numpy as np
import pytest

from tests.sim.ops.evaluate import argument, group, pointers, run, same
from tlx.sim.errors import OutOfBounds

i32, f32 = np.int32, np.float32


@pytest.mark.parametrize(
    "kind, before, value, after",
    [
        ("add", i32(2**31 - 1), i32(1), i32(-(2**31))),
        ("fadd", f32(1), f32(0.5), f32(1.5)),
        ("and", i32(6), i32(3), i32(2)),
        ("or", i32(6), i32(3), i32(7)),
        ("xor", i32(6), i32(3), i32(5)),
        ("max", i32(-1), i32(1), i32(1)),
        ("umax", i32(-1), i32(1), i32(-1)),
        ("min", i32(-1), i32(1), i32(-1)),
        ("umin", i32(-1), i32(1), i32(1)),
        ("exch", i32(4), i32(5), i32(5)),
    ],
)
def test_read_modify_write(kind, before, value, after):
    array = np.array([before])
    x = argument(array)
    old = run(
        "tt.atomic_rmw", pointers(x, 0), value, np.bool_(True), on=group(x), operands="*f32" if "f" in kind else "*i32",
        kind=kind,
    )  # fmt: skip
    same(old, before)
    same(array, np.array([after]))


def test_lanes_of_one_address_take_turns():
    array = np.array([10, 20], i32)
    x = argument(array)
    values, mask = np.array([1, 2, 3, 4, 5], i32), np.array([True, True, True, False, True])
    old = run("tt.atomic_rmw", pointers(x, 0, 1, 0, 0, 0), values, mask, on=group(x), operands="*i32", kind="add")
    same(old, np.array([10, 20, 11, 0, 14], i32))
    same(array, np.array([19, 22], i32))


def test_compare_and_swap():
    array = np.array([0, 7], i32)
    x = argument(array)
    swap = {"on": group(x), "operands": "*i32"}
    old = run("tt.atomic_cas", pointers(x, 0, 0, 1), np.array([0, 0, 0], i32), np.array([1, 2, 3], i32), **swap)
    same(old, np.array([0, 1, 7], i32))
    same(array, np.array([1, 7], i32))


def test_out_of_bounds():
    x = argument(np.zeros(1, i32))
    with pytest.raises(OutOfBounds, match=r"x\[1\].*in program \(0, 0, 0\)"):
        run("tt.atomic_rmw", pointers(x, 1), i32(1), on=group(x), operands="*i32", kind="add")
