import ml_dtypes
import numpy as np
import pytest

from tlx_kernels.gemm import reference


def test_reference_is_float64():
    a = np.array([[1, 2], [3, 4]], dtype=ml_dtypes.bfloat16)
    b = np.array([[10, 0], [1, 2**-20]], dtype=ml_dtypes.bfloat16)
    c = reference(a, b)
    assert c.dtype == np.float64
    assert c.tolist() == [[12, 2**-19], [34, 2**-18]]


def test_reference_of_torch_tensors():
    torch = pytest.importorskip("torch")
    a = torch.tensor([[1.0, 2.0]], dtype=torch.float16)
    b = torch.tensor([[10.0], [2**-20]], dtype=torch.float16)
    assert reference(a, b).tolist() == [[10 + 2**-19]]
