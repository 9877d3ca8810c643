import math

import ml_dtypes
import numpy as np
import pytest

from tlx.bench import poison, relative_error


def test_error_is_frobenius_and_relative():
    assert relative_error(np.array([[3.0, 0.0], [0.0, 5.0]]), np.array([[3.0, 0.0], [0.0, 4.0]])) == pytest.approx(0.2)
    assert relative_error(np.zeros((2, 2)), np.zeros((2, 2))) == 0.0
    assert relative_error(np.array([0.5]), np.array([0.0])) == 0.5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_one_bad_element_is_infinitely_wrong(bad):
    assert relative_error(np.array([1.0, bad]), np.array([1.0, 2.0])) == math.inf


def test_another_shape_is_infinitely_wrong():
    assert relative_error(np.ones((2, 1)), np.ones((1, 2))) == math.inf


def test_reference_must_be_finite():
    with pytest.raises(ValueError, match="reference"):
        relative_error(np.array([1.0]), np.array([math.nan]))


def test_low_precision_is_widened_before_it_is_summed():
    actual = np.full(70_000, 1.0, dtype=np.float16)  # in float16 the sum of squares would overflow
    assert relative_error(actual, actual) == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_poisoned_array_never_passes(dtype):
    array = np.zeros(4, dtype=dtype)
    poison(array)
    array[:3] = 1
    assert relative_error(array, np.ones(4)) == math.inf


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    actual = torch.tensor([3.0, 5.0], dtype=torch.bfloat16)
    assert relative_error(actual, torch.tensor([3.0, 4.0], dtype=torch.float64)) == pytest.approx(0.2)
    poison(actual)
    assert relative_error(actual, torch.ones(2)) == math.inf
