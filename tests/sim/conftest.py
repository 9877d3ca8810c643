"""Problems for the GEMM of `gluon_kernels`, with integers so that every dtype is exact."""

import numpy as np
import pytest
import triton.experimental.gluon.language as gl
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from tests.sim.gluon_kernels import FAULTLESS, gemm
from tlx import sim


def operands(M: int, N: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """A[i,k] = ((3i+5k) mod 7) - 3 and B[k,j] = ((2k+11j) mod 5) - 2 in float16."""
    i, k = np.ogrid[:M, :K]
    a = (3 * i + 5 * k) % 7 - 3
    k, j = np.ogrid[:K, :N]
    b = (2 * k + 11 * j) % 5 - 2
    return a.astype(np.float16), b.astype(np.float16)


def descriptor(values: np.ndarray, block: tuple[int, int]) -> TensorDescriptor:
    tensor = sim.array(values)
    layout = gl.NVMMASharedLayout.get_default_for(list(block), gl.float16)
    return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()), list(block), layout)


@pytest.fixture
def run_gemm():
    """`run_gemm(M, N, K, ...)` runs the GEMM and returns (result, expected)."""

    def run(M, N, K, *, tile=(64, 64, 64), stages=2, grid=1, **faults):
        a, b = operands(M, N, K)
        c = np.full((M, N), 7, np.float16)
        BM, BN, BK = tile
        gemm[(grid,)](
            descriptor(a, (BM, BK)),
            descriptor(b, (BK, BN)),
            descriptor(c, (BM, BN)),
            M,
            N,
            K,
            STAGES=stages,
            num_warps=4,
            **FAULTLESS | faults,
        )
        return c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)

    return run
