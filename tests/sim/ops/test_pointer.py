import ml_dtypes
import numpy as np
import pytest

from tests.sim.ops.evaluate import HERE, argument, group, pointers, run, same
from tlx.sim.errors import MisalignedAccess, OutOfBounds
from tlx.sim.pointers import Pointers

i32 = np.int32


def test_a_pointer_moves_by_elements():
    x = argument(np.zeros(8, np.float64))
    moved = run("tt.addptr", pointers(x, 0), np.array([0, -1, 3], i32), operands="*f64")
    assert list(moved.addresses - x.address) == [0, -8, 24]
    assert moved.argument is x


def test_offsets_of_64_bits():
    x = argument(np.zeros(8, np.int8))
    assert run("tt.addptr", pointers(x, 0), np.int64(2**40), operands="*i8").addresses - x.address == 2**40


def test_load_and_store():
    array = np.array([1, 2, 3, 4], np.float32)
    x = argument(array)
    same(run("tt.load", pointers(x, 3, 0, 0), on=group(x), operands="*f32", result="3xf32"), np.array([4, 1, 1], "f4"))
    same(run("tt.load", pointers(x, 2), on=group(x), operands="*f32", result="f32"), np.float32(3))
    run("tt.store", pointers(x, 1, 2), np.array([7, 8], np.float32), operands="2x*f32", on=group(x))
    same(array, np.array([1, 7, 8, 4], np.float32))


def test_bf16():
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    x = argument(array)
    same(run("tt.load", pointers(x, 1, 0), on=group(x), operands="*bf16", result="2xbf16"), array[::-1])


def test_masked_lanes_are_not_accessed():
    array = np.array([1, 2], i32)
    x = argument(array)
    far = pointers(x, 0, 1, 2, 10**12)
    mask = np.array([True, False, False, False])
    other = np.array([9, 9, 9, 9], i32)
    load = {"on": group(x), "operands": "*i32", "result": "4xi32"}
    same(run("tt.load", far, mask, other, **load), np.array([1, 9, 9, 9], i32))
    same(run("tt.load", far, mask, **load), np.array([1, 0, 0, 0], i32))
    run("tt.store", far, np.array([5, 6, 7, 8], i32), mask, operands="4x*i32", on=group(x))
    same(array, np.array([5, 2], i32))


def test_a_scalar_with_a_false_mask():
    x = argument(np.array([1], i32))
    far = pointers(x, 99)
    same(run("tt.load", far, np.bool_(False), i32(7), on=group(x), operands="*i32", result="i32"), i32(7))
    run("tt.store", far, i32(1), np.bool_(False), operands="*i32", on=group(x))


def test_the_last_of_several_stores_to_one_address_stays():
    array = np.zeros(2, i32)
    x = argument(array)
    run("tt.store", pointers(x, 0, 1, 0), np.array([1, 2, 3], i32), operands="3x*i32", on=group(x))
    same(array, np.array([3, 2], i32))


def test_a_view_reaches_its_whole_storage():
    whole = np.arange(8, dtype=i32)
    x = argument(whole[4:6])
    load = {"on": group(x), "operands": "*i32"}
    same(run("tt.load", pointers(x, -4, 3), result="2xi32", **load), np.array([0, 7], i32))
    with pytest.raises(OutOfBounds, match=r"load of x\[4\] .* holds indices -4..3 of int32 \(32 B\): 4 B past the end"):
        run("tt.load", pointers(x, 4), result="i32", **load)


def test_past_the_end_names_argument_range_distance_program_and_line():
    x = argument(np.zeros(6, np.float32), "weights")
    with pytest.raises(OutOfBounds) as caught:
        run(
            "tt.store",
            pointers(x, *range(8)),
            np.zeros(8, np.float32),
            operands="8x*f32",
            on=group(x, program_id=(3, 1, 0)),
        )
    assert caught.value.what == (
        "store of weights[6..7] is outside the storage of weights, which holds indices 0..5 of float32 (24 B): "
        "8 B past the end, 2 of 8 lanes, in program (3, 1, 0)"
    )
    assert caught.value.location is HERE


def test_before_the_start():
    x = argument(np.zeros(6, np.float32))
    with pytest.raises(OutOfBounds, match=r"load of x\[-2\] .*: 8 B before the start"):
        run("tt.load", pointers(x, -2), on=group(x), operands="*f32", result="f32")


def test_an_element_half_outside():
    x = argument(np.zeros(3, i32))
    with pytest.raises(OutOfBounds, match=r"load of x\[2\] .*: 4 B past the end"):
        run("tt.load", pointers(x, 2), on=group(x), operands="*i64", result="i64")


def test_a_neighbouring_array_is_not_ones_own():
    both = np.zeros(8, i32)
    x = argument(both[:4].copy(), "x")
    y = argument(np.zeros(4, i32), "y")
    to_y = Pointers(np.int64(y.address), x)
    with pytest.raises(OutOfBounds, match=r"load of x\["):
        run("tt.load", to_y, on=group(x, y), operands="*i32", result="i32")


def test_an_empty_storage():
    x = argument(np.zeros(0, i32))
    with pytest.raises(OutOfBounds, match="the storage of x is empty"):
        run("tt.load", pointers(x, 0), on=group(x), operands="*i32", result="i32")


def test_misaligned():
    x = argument(np.zeros(4, i32))
    with pytest.raises(
        MisalignedAccess, match=r"load of int32 through x at address 0x\w+, which is not a multiple of 4"
    ):
        run("tt.load", Pointers(np.int64(x.address + 2), x), on=group(x), operands="*i32", result="i32")


def test_pointers_of_unknown_origin_must_be_in_some_argument():
    x, y = argument(np.array([1, 2], i32), "x"), argument(np.array([3, 4], i32), "y")
    addresses = np.array([run("tt.ptr_to_int", pointers(a, 1)) for a in (y, x)])
    found = run("tt.int_to_ptr", addresses)
    same(run("tt.load", found, on=group(x, y), operands="*i32", result="2xi32"), np.array([4, 2], i32))
    run("tt.store", found, np.array([8, 9], i32), operands="2x*i32", on=group(x, y))
    same(x.owner, np.array([1, 9], i32)), same(y.owner, np.array([3, 8], i32))
    with pytest.raises(OutOfBounds, match=r"load at address 0x10 \(1 of 3 lanes\).*pointer arguments: x, y"):
        run("tt.load", Pointers(np.append(addresses, 16)), on=group(x, y), operands="*i32", result="3xi32")


def test_pointers_in_memory():
    x = argument(np.array([1, 2], i32), "x")
    table = argument(np.array([x.address + 4], np.int64), "table")
    loaded = run("tt.load", pointers(table, 0), on=group(x, table), operands="*i64", result="*i32")
    same(run("tt.load", loaded, on=group(x, table), operands="*i32", result="i32"), i32(2))


def test_arguments_that_share_a_storage():
    whole = np.zeros(4, i32)
    x, y = argument(whole[:2], "x"), argument(whole[2:], "y")
    run("tt.store", pointers(x, 3), i32(5), operands="*i32", on=group(x, y))
    same(run("tt.load", pointers(y, 1), on=group(x, y), operands="*i32", result="i32"), i32(5))
