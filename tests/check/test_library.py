"""Nothing is found in right kernels: the library's, and every kernel of the language tests, under ten schedules."""

import time

import numpy as np
import pytest
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.language.test_cases import CASES
from tlx import sim
from tlx.check import NOTE, checking

SCHEDULES = 10


def reports(checker) -> list:
    return [finding for finding in checker.findings if finding.severity != NOTE]


@pytest.mark.parametrize("case", [case for case in CASES if case.simulated], ids=str)
def test_kernels_of_the_language_tests(case):
    with checking(schedules=SCHEDULES) as checker:
        case.launch(sim.array)
    assert reports(checker) == []


def integers(rows: int, columns: int):
    torch = pytest.importorskip("torch")
    return torch.from_numpy(np.random.default_rng(0).integers(-3, 4, (rows, columns))).to(torch.bfloat16)


@pytest.mark.parametrize("c_tma", [True, False], ids=["C_TMA", "C_pointer"])
@pytest.mark.parametrize(("stages", "consumers"), [(2, 1), (2, 2), (3, 2)])
def test_the_persistent_gemm(stages, consumers, c_tma):
    """Two programs, three tiles each, 2 * stages + 1 steps of K."""
    pytest.importorskip("torch")
    from tlx_kernels.gemm.ws import gemm_ws

    m, n, k = 128 * 3, 64 * 2, 64 * (2 * stages + 1)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.full((m, n), 7, np.float16)
    rows = 128 // consumers
    blocks = ((a, [rows, 64]), (b, [64, 64]), (c, [rows, 64]))
    a_tiles, b_tiles, c_tiles = (TensorDescriptor.from_tensor(sim.array(x), block) for x, block in blocks)
    with checking(schedules=SCHEDULES) as checker:
        gemm_ws[(2,)](
            a_tiles,
            b_tiles,
            c_tiles if c_tma else sim.array(c),
            *(m, n, k, n, 1),
            BLOCK_M=128,
            BLOCK_N=64,
            BLOCK_K=64,
            STAGES=stages,
            CONSUMERS=consumers,
            GROUP_M=2,
            A_TRANS=False,
            B_TRANS=False,
            C_TMA=c_tma,
        )
    assert reports(checker) == []
    assert np.array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))


@pytest.mark.parametrize("turned", [(False, True), (True, False), (True, True)], ids=str)
def test_gemm_of_transposed_operands(turned):
    pytest.importorskip("torch")
    from tlx_kernels.gemm import matmul

    a = integers(256, 128).T if turned[0] else integers(128, 256)
    b = integers(64, 256).T if turned[1] else integers(256, 64)
    with checking(schedules=3) as checker:
        matmul(a, b)
    assert reports(checker) == []


def test_gemm_through_pointers():
    pytest.importorskip("torch")
    from tlx_kernels.gemm import matmul

    with checking(schedules=3) as checker:
        matmul(integers(127, 71), integers(71, 133))
    assert reports(checker) == []


def test_a_gemm_of_512_is_checked_in_half_a_minute():
    pytest.importorskip("torch")
    from tlx_kernels.gemm import matmul

    a, b = integers(512, 512), integers(512, 512)
    start = time.perf_counter()
    with checking(schedules=SCHEDULES) as checker:
        matmul(a, b)
    assert reports(checker) == []
    assert time.perf_counter() - start < 30
