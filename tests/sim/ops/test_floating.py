import ml_dtypes
import numpy as np
import pytest

from tests.sim.ops.evaluate import run, same

f16, bf16, f32, f64 = np.float16, ml_dtypes.bfloat16, np.float32, np.float64
NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    "name, a, b, expected",
    [
        ("arith.addf", bf16(256), bf16(1), bf16(256)),  # a tie, to even
        ("arith.addf", bf16(258), bf16(1), bf16(260)),
        ("arith.addf", f16(65504), f16(16), f16(INF)),
        ("arith.mulf", f16(3), f16(1 / 3), f16(1)),
        ("arith.subf", f32(INF), f32(INF), f32(NAN)),
        ("arith.divf", f32(1), f32(0), f32(INF)),
        ("arith.divf", f32(1), f32(3), f32(0.333333343)),
        ("tt.precise_divf", f32(1), f32(3), f32(0.333333343)),
        ("arith.maxnumf", f32(NAN), f32(1), f32(1)),
        ("arith.maxnumf", f32(1), f32(NAN), f32(1)),
        ("arith.maxnumf", f32(NAN), f32(NAN), f32(NAN)),
        ("arith.maxnumf", f32(-0.0), f32(0.0), f32(0.0)),
        ("arith.minnumf", f32(0.0), f32(-0.0), f32(-0.0)),
        ("arith.minnumf", bf16(NAN), bf16(-2), bf16(-2)),
        ("arith.maximumf", f32(NAN), f32(1), f32(NAN)),
        ("arith.maximumf", f32(-1), f32(-2), f32(-1)),
        ("arith.minimumf", f16(1), f16(NAN), f16(NAN)),
        ("arith.minimumf", f16(1), f16(-INF), f16(-INF)),
        ("arith.remf", f32(7.5), f32(-2), f32(1.5)),
        ("arith.remf", f32(-7.5), f32(2), f32(-1.5)),
        ("arith.remf", f32(3), f32(INF), f32(3)),
        ("arith.remf", f32(1), f32(0), f32(NAN)),
        ("math.copysign", f32(2), f32(-0.0), f32(-2)),
        ("math.powf", f32(2), f32(0.5), f32(1.41421354)),
        ("math.atan2", f32(1), f32(-1), f32(2.3561945)),
    ],
)
def test_two_operands(name, a, b, expected):
    same(run(name, a, b), expected)
    same(run(name, np.array([a, a]), np.array([b, b])), np.array([expected, expected]))


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("arith.negf", f32(0.0), f32(-0.0)),
        ("math.absf", bf16(-1.5), bf16(1.5)),
        ("math.exp", f32(1), f32(2.71828175)),
        ("math.exp", f32(1000), f32(INF)),
        ("math.exp2", f32(-149), f32(1e-45)),
        ("math.log", f32(0), f32(-INF)),
        ("math.log2", f32(-1), f32(NAN)),
        ("math.sqrt", f32(2), f32(1.41421354)),
        ("tt.precise_sqrt", f32(2), f32(1.41421354)),
        ("math.rsqrt", f32(4), f32(0.5)),
        ("math.rsqrt", f32(0), f32(INF)),
        ("math.sin", f32(1), f32(0.841470957)),
        ("math.erf", f32(0.5), f32(0.520499885)),
        ("math.erf", f64(0.5), f64(0.5204998778130465)),
        ("math.tanh", f32(0.5), f32(0.46211717)),
        ("math.floor", bf16(-1.5), bf16(-2)),
        ("math.ceil", f16(-1.5), f16(-1)),
        ("math.round", f32(2.5), f32(3)),
        ("math.round", f32(-0.5), f32(-1)),
        ("math.round", f32(0.49999997), f32(0)),
        ("math.roundeven", f32(2.5), f32(2)),
        ("math.trunc", f32(-1.7), f32(-1)),
        ("math.isnan", f32(NAN), np.bool_(True)),
        ("math.isinf", f32(-INF), np.bool_(True)),
    ],
)
def test_one_operand(name, value, expected):
    same(run(name, value), expected)
    same(run(name, np.array([value, value])), np.array([expected, expected]))


def test_a_clamp_lets_nan_through_only_if_asked():
    low, high = f32(0), f32(1)
    same(run("tt.clampf", f32(NAN), low, high, propagateNan="none"), f32(0))
    same(run("tt.clampf", f32(NAN), low, high, propagateNan="all"), f32(NAN))
    same(run("tt.clampf", np.array([-1, 0.5, 7], f32), low, high, propagateNan="none"), np.array([0, 0.5, 1], f32))


@pytest.mark.parametrize(
    "a, b, c, expected",
    [
        # a * b = 1 + 2**-11 + 2**-24; rounding the product first would lose the last term
        (f32(1 + 2**-12), f32(1 + 2**-12), f32(-1), f32(2**-11 + 2**-24)),
        # a * b = 2**-24 - 2**-70, so the sum is below a tie of float32 by less than float64 can tell
        (f32((1 + 2**-23) * 2**-12), f32((1 - 2**-23) * 2**-12), f32(1 + 2**-23), f32(1 + 2**-23)),
        (f32(2**-12), f32(2**-12), f32(1 + 2**-23), f32(1 + 2**-22)),  # a tie, to even
        (bf16(1.0078125), bf16(1.0078125), bf16(-1), bf16(0.015686)),
        (f16(1 + 2**-10), f16(1 + 2**-10), f16(-1), f16(2**-9 + 2**-20)),
        (f64(1 + 2**-30), f64(1 + 2**-30), f64(-1), f64(2**-29 + 2**-60)),
        (f32(INF), f32(0), f32(1), f32(NAN)),
        (f32(1e38), f32(10), f32(-INF), f32(-INF)),
    ],
)
def test_fma_rounds_once(a, b, c, expected):
    same(run("math.fma", a, b, c), expected)
