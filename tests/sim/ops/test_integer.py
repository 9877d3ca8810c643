import numpy as np
import pytest

from tests.sim.ops.evaluate import run, same

MIN, MAX = -(2**31), 2**31 - 1
i1, i8, i16, i32, i64 = np.bool_, np.int8, np.int16, np.int32, np.int64


@pytest.mark.parametrize(
    "name, a, b, expected",
    [
        ("addi", i32(MAX), i32(1), i32(MIN)),
        ("addi", i8(100), i8(100), i8(-56)),
        ("addi", i1(True), i1(True), i1(False)),
        ("subi", i32(MIN), i32(1), i32(MAX)),
        ("subi", i1(False), i1(True), i1(True)),
        ("muli", i32(65536), i32(65536), i32(0)),
        ("muli", i1(True), i1(True), i1(True)),
        ("andi", i32(12), i32(10), i32(8)),
        ("ori", i1(True), i1(False), i1(True)),
        ("xori", i32(12), i32(-1), i32(-13)),
        ("divsi", i32(-7), i32(2), i32(-3)),
        ("remsi", i32(-7), i32(2), i32(-1)),
        ("remsi", i32(7), i32(-2), i32(1)),
        ("divsi", i32(MIN), i32(-1), i32(MIN)),
        ("remsi", i32(MIN), i32(-1), i32(0)),
        ("divsi", i32(5), i32(0), i32(-1)),
        ("remsi", i32(5), i32(0), i32(-1)),
        ("divui", i32(-1), i32(2), i32(MAX)),
        ("divui", i32(5), i32(0), i32(-1)),
        ("remui", i32(-1), i32(10), i32(5)),
        ("floordivsi", i32(-7), i32(2), i32(-4)),
        ("floordivsi", i32(7), i32(2), i32(3)),
        ("ceildivsi", i32(7), i32(2), i32(4)),
        ("ceildivsi", i32(-7), i32(2), i32(-3)),
        ("ceildivui", i32(-1), i32(2), i32(MIN)),
        ("minsi", i32(-1), i32(1), i32(-1)),
        ("minui", i32(-1), i32(1), i32(1)),
        ("maxui", i8(-1), i8(1), i8(-1)),
        ("maxsi", i1(True), i1(False), i1(False)),
        ("maxui", i1(True), i1(False), i1(True)),
        ("shli", i32(1), i32(31), i32(MIN)),
        ("shli", i32(1), i32(32), i32(0)),
        ("shli", i32(1), i32(-1), i32(0)),
        ("shrsi", i32(-8), i32(1), i32(-4)),
        ("shrsi", i32(-8), i32(40), i32(-1)),
        ("shrui", i32(-8), i32(1), i32(2**31 - 4)),
        ("shrui", i32(-8), i32(32), i32(0)),
        ("shrui", i8(-1), i8(7), i8(1)),
        ("shli", i64(1), i64(2**32), i64(1)),
    ],
)
def test_two_operands(name, a, b, expected):
    same(run(f"arith.{name}", a, b), expected)
    same(run(f"arith.{name}", np.array([a, a]), np.array([b, b])), np.array([expected, expected]))


def test_extended_results():
    total, carry = run("arith.addui_extended", i32(-1), i32(2))
    same(total, i32(1)), same(carry, i1(True))
    low, high = run("arith.mulsi_extended", i32(-2), i32(3))
    same(low, i32(-6)), same(high, i32(-1))
    low, high = run("arith.mului_extended", i32(-1), i32(-1))
    same(low, i32(1)), same(high, i32(-2))
    low, high = run("arith.mulsi_extended", i64(-(2**62)), i64(4))
    same(low, i64(0)), same(high, i64(-1))


def test_upper_half_of_a_product():
    same(run("tt.mulhiui", i32(-1), i32(2)), i32(1))
    same(run("tt.mulhiui", i64(-1), i64(-1)), i64(-2))
    same(
        run("tt.mulhiui", i64(0x123456789ABCDEF), i64(0x7EDCBA9876543210)),
        i64(0x123456789ABCDEF * 0x7EDCBA9876543210 >> 64),
    )


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("absi", i32(-3), i32(3)),
        ("absi", i32(MIN), i32(MIN)),
        ("ctlz", i32(1), i32(31)),
        ("ctlz", i32(0), i32(32)),
        ("ctlz", i32(-1), i32(0)),
        ("ctlz", i8(1), i8(7)),
        ("ctlz", i64(1 << 40), i64(23)),
        ("cttz", i32(8), i32(3)),
        ("cttz", i32(MIN), i32(31)),
        ("cttz", i32(0), i32(32)),
        ("ctpop", i32(-1), i32(32)),
        ("ctpop", i8(-1), i8(8)),
    ],
)
def test_one_operand(name, value, expected):
    same(run(f"math.{name}", value), expected)
