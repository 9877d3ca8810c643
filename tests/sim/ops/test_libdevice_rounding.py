"""Directed rounding of libdevice's operations and conversions."""

import numpy as np
import pytest

from .evaluate import run, same

f32, f64 = np.float32, np.float64
ABOVE_ONE, BELOW_ONE = np.nextafter(f32(1), f32(2)), np.nextafter(f32(1), f32(0))
LARGEST = np.finfo(f32).max


def libdevice(symbol: str, *values, result: str = "f32"):
    return run("tt.extern_elementwise", *values, result=result, symbol=f"__nv_{symbol}")


@pytest.mark.parametrize(("direction", "expected"), [("rn", 1), ("rz", 1), ("rd", 1), ("ru", ABOVE_ONE)])
def test_a_little_more_than_one(direction, expected):
    same(libdevice(f"fadd_{direction}", f32(1), f32(2**-30)), f32(expected))


@pytest.mark.parametrize(("direction", "expected"), [("rn", 1), ("rz", BELOW_ONE), ("rd", BELOW_ONE), ("ru", 1)])
def test_a_little_less_than_one(direction, expected):
    same(libdevice(f"fsub_{direction}", f32(1), f32(2**-30)), f32(expected))


@pytest.mark.parametrize(("direction", "expected"), [("rz", LARGEST), ("rd", LARGEST), ("ru", np.inf)])
def test_overflow(direction, expected):
    same(libdevice(f"fmul_{direction}", LARGEST, f32(2)), f32(expected))


def test_a_negative_quotient():
    third = f32(1) / f32(3)  # rounded up
    same(libdevice("fdiv_rz", f32(-1), f32(3)), -np.nextafter(third, f32(0)))
    same(libdevice("fdiv_rd", f32(-1), f32(3)), -third)


def test_exact_results_stay():
    for direction in ("rn", "rz", "rd", "ru"):
        same(libdevice(f"dsqrt_{direction}", f64(9), result="f64"), f64(3))
        same(libdevice(f"fmaf_{direction}", f32(3), f32(4), f32(5)), f32(17))


@pytest.mark.parametrize(("direction", "expected"), [("rn", 2), ("rz", 2), ("rd", 2), ("ru", 3)])
def test_a_float_as_an_integer(direction, expected):
    same(libdevice(f"float2int_{direction}", f32(2.5), result="i32"), np.int32(expected))


def test_a_large_integer_as_a_float():
    n = np.int64(2**53 + 1)
    same(libdevice("ll2double_rd", n, result="f64"), f64(2**53))
    same(libdevice("ll2double_ru", n, result="f64"), f64(2**53 + 2))
