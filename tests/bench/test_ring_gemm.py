"""The GEMM over `tlx.ring` takes the time of the one whose barriers are written by hand, within 1%."""

from unittest.mock import patch

import pytest

torch = pytest.importorskip("torch")

from tests.language.gemm_by_hand import gemm_by_hand  # noqa: E402
from tlx.bench import CudaTimer, Problem, compare  # noqa: E402
from tlx_kernels.gemm import matmul, ws  # noqa: E402

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("size", [4096, 8192])
def test_the_ring_costs_nothing(size):
    torch.manual_seed(0)
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.bfloat16)

    def over_a_ring():
        return matmul(a, b, out=c)

    def by_hand():
        with patch.object(ws, "gemm_ws", gemm_by_hand):
            return matmul(a, b, out=c)

    candidates = {"by hand": by_hand, "ring": over_a_ring}
    problem = Problem(f"{size}^3 bf16", candidates, a @ b, tolerance=2**-7, outputs=(c,), flops=2 * size**3)
    hand, ring = compare(problem, timer=CudaTimer()).measurements
    assert hand.correct and ring.correct, (hand, ring)
    ratio = ring.us.median / hand.us.median
    print(f"{problem.title}: by hand {hand.us.median:.1f} us, ring {ring.us.median:.1f} us, ratio {ratio:.4f}")
    assert ratio <= 1.01
