import ml_dtypes
import numpy as np
import pytest

from tests.sim.ops.evaluate import run, same

bf16, e4m3, e5m2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
f16, f32, f64 = np.float16, np.float32, np.float64
NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    "name, value, result, expected",
    [
        ("extf", bf16(1.5), "f32", f32(1.5)),
        ("truncf", f32(1 + 2**-8), "bf16", bf16(1)),  # a tie, to even
        ("truncf", f32(1 + 3 * 2**-8), "bf16", bf16(1 + 2**-6)),
        ("truncf", f32(1e6), "f16", f16(INF)),
        ("truncf", f64(1 + 2**-8 + 2**-40), "bf16", bf16(1 + 2**-7)),  # float32 in between would make a tie of it
        ("truncf", f64(1 + 2**-11 + 2**-40), "f16", f16(1 + 2**-10)),
        ("truncf", f64(1e300), "bf16", bf16(INF)),
        ("truncf", f64(NAN), "bf16", bf16(NAN)),
        ("sitofp", np.int32(-3), "f32", f32(-3)),
        ("sitofp", np.int32(2**24 + 1), "f32", f32(2**24)),
        ("sitofp", np.int32(2**30 + 2**22 + 1), "bf16", bf16(2**30 + 2**23)),  # just above a tie
        ("sitofp", np.int64(2**62 + 2**54 + 1), "bf16", bf16(2.0**62 + 2.0**55)),
        ("sitofp", np.int64(-(2**62) - 2**54 - 1), "bf16", bf16(-(2.0**62) - 2.0**55)),
        ("sitofp", np.int64(-(2**63)), "f32", f32(-(2**63))),
        ("sitofp", np.int32(65520), "f16", f16(INF)),
        ("sitofp", np.bool_(True), "f32", f32(-1)),
        ("uitofp", np.bool_(True), "f32", f32(1)),
        ("uitofp", np.int32(-1), "f32", f32(2**32)),
        ("uitofp", np.int64(-1), "f64", f64(2**64)),
        ("uitofp", np.int64(-1), "bf16", bf16(2.0**64)),
        ("fptosi", f32(-1.9), "i32", np.int32(-1)),
        ("fptosi", f32(3e9), "i32", np.int32(2**31 - 1)),
        ("fptosi", f32(-INF), "i32", np.int32(-(2**31))),
        ("fptosi", f32(NAN), "i32", np.int32(0)),
        ("fptosi", f32(NAN), "i64", np.int64(-(2**63))),
        ("fptosi", f32(1e30), "i64", np.int64(2**63 - 1)),
        ("fptosi", f32(300), "i8", np.int8(44)),  # the 16-bit result, cut
        ("fptosi", f32(1e9), "i8", np.int8(-1)),
        ("fptosi", bf16(40000), "i16", np.int16(32767)),
        ("fptoui", f32(-1), "i32", np.int32(0)),
        ("fptoui", f32(3e9), "i32", np.int32(3000000000 - 2**32)),
        ("fptoui", f32(1e30), "i64", np.int64(-1)),
        ("extsi", np.int8(-1), "i32", np.int32(-1)),
        ("extsi", np.bool_(True), "i32", np.int32(-1)),
        ("extui", np.int8(-1), "i32", np.int32(255)),
        ("extui", np.bool_(True), "i8", np.int8(1)),
        ("trunci", np.int32(0x1234), "i8", np.int8(0x34)),
        ("trunci", np.int32(2), "i1", np.bool_(False)),
        ("index_cast", np.int64(2**32 + 5), "i32", np.int32(5)),
        ("index_castui", np.int32(-1), "index", np.int64(2**32 - 1)),
        ("bitcast", f32(1), "i32", np.int32(0x3F800000)),
    ],
)
def test_arith(name, value, result, expected):
    same(run(f"arith.{name}", value, result=result), expected)
    same(run(f"arith.{name}", np.array([value, value]), result=f"2x{result}"), np.array([expected, expected]))


@pytest.mark.parametrize(
    "value, result, expected",
    [
        (f32(500), "f8E4M3FN", e4m3(448)),
        (f32(-INF), "f8E4M3FN", e4m3(-448)),
        (f32(NAN), "f8E4M3FN", e4m3(NAN)),
        (f32(17), "f8E4M3FN", e4m3(16)),  # a tie, to even
        (f16(19), "f8E4M3FN", e4m3(20)),
        (bf16(2**-10), "f8E4M3FN", e4m3(0)),
        (f32(1e6), "f8E5M2", e5m2(57344)),
        (f16(INF), "f8E5M2", e5m2(57344)),
        (e4m3(1.75), "bf16", bf16(1.75)),
        (e5m2(INF), "f32", f32(INF)),
    ],
)
def test_fp8_saturates(value, result, expected):
    same(run("tt.fp_to_fp", value, result=result, rounding="rtne"), expected)


@pytest.mark.parametrize(
    "value, result, expected",
    [
        (f32(1 + 2**-7 - 2**-20), "bf16", bf16(1)),
        (f32(-1 - 2**-7 + 2**-20), "bf16", bf16(-1)),
        (f32(1e6), "f16", f16(65504)),
        (f32(INF), "f16", f16(INF)),
        (f32(NAN), "bf16", bf16(NAN)),
        (f32(1e6), "f8E5M2", e5m2(57344)),
    ],
)
def test_rounding_toward_zero(value, result, expected):
    same(run("tt.fp_to_fp", value, result=result, rounding="rtz"), expected)


def test_bytes_of_two_fp4_numbers():
    packed = np.array([[0x21, 0xF7]], np.uint8).view(np.int8)
    same(run("ttg.fp4_to_fp", packed, result="1x4xbf16", axis=1), np.array([[0.5, 1, 6, -6]], bf16))
    same(run("ttg.fp4_to_fp", packed, result="2x2xbf16", axis=0), np.array([[0.5, 6], [1, -6]], bf16))
