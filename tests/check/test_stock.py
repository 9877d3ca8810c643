"""Stock Triton: what its own passes specialize and pipeline has no errors."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from tlx import sim
from tlx.check import NOTE, checking
from tlx.check.rules import BARRIER_UNUSED


@triton.jit
def specialized(a, b, c, K, N: tl.constexpr, BLOCK_K: tl.constexpr):
    """One tile of C; Triton makes the warp groups and barriers."""
    acc = tl.zeros((64, N), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), warp_specialize=True):
        acc = tl.dot(a.load([0, k * BLOCK_K]), b.load([k * BLOCK_K, 0]), acc)
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, N)[None, :]
    tl.store(c + i * N + j, acc.to(tl.float16))


@triton.jit
def pipelined(a, b, c, K, N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The same through pointers: cp.async in a pipeline of Triton's."""
    i, j, k = tl.arange(0, 64), tl.arange(0, N), tl.arange(0, BLOCK_K)
    acc = tl.zeros((64, N), tl.float32)
    for step in tl.range(0, tl.cdiv(K, BLOCK_K), num_stages=3):
        depth = step * BLOCK_K + k
        acc = tl.dot(tl.load(a + i[:, None] * K + depth[None, :]), tl.load(b + depth[:, None] * N + j[None, :]), acc)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(tl.float16))


@pytest.mark.parametrize("kernel", [specialized, pipelined], ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_a_gemm_of_stock_triton_has_no_errors(kernel, steps):
    K, N = 64 * steps, 64
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((64, K), (K, N)))
    c = np.zeros((64, N), np.float16)
    tiled = kernel is specialized
    operands = [TensorDescriptor.from_tensor(sim.array(x), [64, 64]) if tiled else sim.array(x) for x in (a, b)]
    with checking(schedules=10) as checker:
        compiled = kernel[(1,)](*operands, sim.array(c), K, N, 64, num_warps=4)
    assert ("ttg.warp_specialize" in compiled.asm["ttgir"]) == tiled
    # Until 3.7 it makes barriers that it has no use for.
    found = {finding.rule for finding in checker.findings if finding.severity != NOTE}
    assert found == ({BARRIER_UNUSED} if tiled and triton.__version__ < "3.8" else set())
    assert np.array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))
