"""The warp-specialized kernel on NumPy arrays in the simulator, as on a machine without torch."""

import ml_dtypes
import numpy as np
import pytest
from triton.tools.tensor_descriptor import TensorDescriptor

from tlx.sim import array, simulating
from tlx_kernels.gemm.ws import gemm_ws


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_one_step_of_k_with_any_ring(stages, dtype):
    i, j, k = np.arange(128), np.arange(128), np.arange(64)
    a = array(((3 * i[:, None] + 5 * k) % 7 - 3).astype(dtype))
    b = array(((2 * k[:, None] + 11 * j) % 5 - 2).astype(dtype))
    c = array(np.full((128, 128), np.nan, dtype))
    with simulating():
        gemm_ws[(1,)](
            TensorDescriptor.from_tensor(a, [128, 64]),
            TensorDescriptor.from_tensor(b, [64, 128]),
            TensorDescriptor.from_tensor(c, [128, 128]),
            *(128, 128, 64, 128, 1),
            BLOCK_M=128,
            BLOCK_N=128,
            BLOCK_K=64,
            STAGES=stages,
            CONSUMERS=1,
            GROUP_M=8,
            A_TRANS=False,
            B_TRANS=False,
            C_TMA=True,
        )
    result = c.numpy().astype(np.float64)
    weights = (31 * i[:, None] + 17 * j) % 97
    assert (result[0, 0], result[-1, -1], result.sum(), (result * weights).sum()) == (-6, 0, 13, -1720)
    assert np.array_equal(result, a.numpy().astype(np.float64) @ b.numpy().astype(np.float64))
