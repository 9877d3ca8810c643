import ml_dtypes
import numpy as np
import pytest

from tests.sim.ops.evaluate import run, same

f32 = np.float32


def dot(a, b, c, dtype, out, **attributes):
    return run("tt.dot", np.array([[*a]], dtype), np.array([[v] for v in b], dtype), np.array([[c]], out), **attributes)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_narrow_floats_accumulate_in_float32(dtype):
    same(dot([1.5, 256], [2, 256], 0.25, dtype, f32), np.array([[65539.25]], f32))


def test_int8_is_exact():
    same(dot([-128] * 4, [127] * 4, 1, np.int8, np.int32), np.array([[-65023]], np.int32))


def test_a_float16_accumulator_is_rounded_at_the_end():
    same(dot([1, 1], [1, 1], 2048, np.float16, np.float16), np.array([[2050]], np.float16))


def test_tf32_ignores_the_low_13_bits():
    value = 1 + 2**-10 + 2**-11
    same(dot([value], [1], 0, f32, f32, inputPrecision="tf32"), np.array([[1 + 2**-10]], f32))
    same(dot([value], [1], 0, f32, f32, inputPrecision="ieee"), np.array([[value]], f32))


def test_batches():
    a = np.arange(8, dtype=f32).reshape(2, 2, 2)
    eye = np.broadcast_to(np.eye(2, dtype=f32), (2, 2, 2))
    same(run("tt.dot", a, eye, np.ones((2, 2, 2), f32), inputPrecision="ieee"), a + 1)
