"""Numbers: every spelling of a constant means exactly the bits that MLIR wrote."""

import math

import ml_dtypes
import numpy as np
import pytest

from tlx.ir import parse


def constant(spelling):
    module = parse(f"tt.func @f() {{\n  %c = arith.constant {spelling}\n  tt.return\n}}")
    op = module.kernel.region("body").entry.ops[0]
    return op.attributes["value"], str(op.result.type)


@pytest.mark.parametrize(
    "spelling, value, type_",
    [
        ("true", True, "i1"),
        ("false", False, "i1"),
        ("-7 : i32", -7, "i32"),
        ("4294967296 : i64", 1 << 32, "i64"),
        ("1.500000e+00 : f32", 1.5, "f32"),
        ("-1.000000e-03 : f16", -1e-3, "f16"),
        ("3 : index", 3, "index"),
    ],
)
def test_scalars(spelling, value, type_):
    assert constant(spelling) == (value, type_)
    assert type(constant(spelling)[0]) is type(value)


@pytest.mark.parametrize(
    "bits, type_, dtype",
    [
        (0x7F800000, "f32", np.float32),
        (0xFF800000, "f32", np.float32),
        (0x7FC00001, "f32", np.float32),
        (0xFFC00000, "f32", np.float32),
        (0x00000001, "f32", np.float32),
        (0x7FF0000000000000, "f64", np.float64),
        (0x7FF8000000000001, "f64", np.float64),
        (0xFC00, "f16", np.float16),
        (0x7E01, "f16", np.float16),
        (0x0001, "f16", np.float16),
        (0x7F80, "bf16", ml_dtypes.bfloat16),
        (0xFFC0, "bf16", ml_dtypes.bfloat16),
        (0x7F, "f8E4M3FN", ml_dtypes.float8_e4m3fn),
        (0x01, "f8E4M3FN", ml_dtypes.float8_e4m3fn),
        (0x7C, "f8E5M2", ml_dtypes.float8_e5m2),
        (0xFC, "f8E5M2", ml_dtypes.float8_e5m2),
    ],
)
def test_hexadecimal_floats_are_bits(bits, type_, dtype):
    width = np.dtype(dtype).itemsize
    value, written_type = constant(f"0x{bits:0{2 * width}X} : {type_}")
    assert written_type == type_
    assert int(np.array(value).astype(dtype).view(f"u{width}")) == bits


def test_hexadecimal_integers_are_values():
    assert constant("0x7F800000 : i32") == (0x7F800000, "i32")


def test_splat_of_a_tensor():
    value, type_ = constant("dense<0xFF800000> : tensor<128xf32>")
    assert type_ == "tensor<128xf32>"
    assert value.name == "dense"
    assert value["value"] == -math.inf
    assert str(value) == "dense<0xFF800000> : tensor<128xf32>"


def test_splat_of_booleans_and_integers():
    assert constant("dense<true> : tensor<4xi1>")[0]["value"] is True
    assert constant("dense<-3> : tensor<4xi32>")[0]["value"] == -3


def test_element_list_is_nested_as_the_shape():
    value, _ = constant("dense<[[1.0, 0x7FC0], [-2.5, 0x0001]]> : tensor<2x2xbf16>")
    (one, nan), (minus, smallest) = value["value"]
    assert (one, minus, smallest) == (1.0, -2.5, 2.0**-133)
    assert math.isnan(nan)


def test_raw_bytes_are_little_endian_in_row_major_order():
    value, _ = constant('dense<"0x0000803F000000C0"> : tensor<1x2xf32>')
    assert value["value"] == ((1.0, -2.0),)
    value, _ = constant('dense<"0x01000000FFFFFFFF"> : tensor<2xi32>')
    assert value["value"] == (1, -1)


def test_constants_that_the_compiler_prints(texts):
    module = parse(texts["constants"]["ttir"])
    splats = [op.attributes["value"] for op in module.walk() if op.name == "arith.constant"]
    numbers = {splat.text: splat["value"] for splat in splats if hasattr(splat, "text")}
    assert numbers["dense<0x7F800000> : tensor<128xf32>"] == math.inf
    assert numbers["dense<0xFF800000> : tensor<128xf32>"] == -math.inf
    assert math.isnan(numbers["dense<0x7FC00000> : tensor<128xf32>"])
    assert numbers["dense<0xFC00> : tensor<128xf16>"] == -math.inf
