"""Every case on three levels: what it compiles to, what the simulator computes, what a GPU computes."""

import numpy as np
import pytest
import triton

from tlx import sim

from . import (
    aliases,
    buffers,
    bulk_copies,
    clusters,
    control,
    copies,
    descriptors,
    dot,
    epilogues,
    gather,
    helpers,
    layouts,
    memory,
    mma,
    prefetches,
    reductions,
    ring_copies,
    ring_gemm,
    ring_uses,
    rings,
    slices,
    tasks,
    threads,
    utility,
    views,
    warp_barriers,
)
from .case import Case, run_simulated

CONCEPTS = (
    layouts,
    tasks,
    rings,
    ring_uses,
    ring_gemm,
    ring_copies,
    buffers,
    aliases,
    slices,
    copies,
    bulk_copies,
    reductions,
    prefetches,
    descriptors,
    mma,
    dot,
    memory,
    control,
    helpers,
    threads,
    utility,
    warp_barriers,
    views,
    gather,
    epilogues,
    clusters,
)
CASES = [case for concept in CONCEPTS for case in concept.CASES]

each_case = pytest.mark.parametrize("case", CASES, ids=str)


def check(case: Case, found: dict[str, np.ndarray]) -> None:
    for name, values in case.expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@each_case
def test_compiled(case):
    kernel = case.compiled()
    assert kernel.asm["cubin"]
    for stage in ("ttgir", "ptx"):
        for text, count in getattr(case, stage).items():
            assert kernel.asm[stage].count(text) == count, text


@each_case
def test_simulated(case):
    if case.simulated:
        check(case, run_simulated(case))
    else:
        with pytest.raises(sim.UnsupportedOp):
            run_simulated(case)


BITS = {1: np.uint8, 2: np.int16}  # dtypes that torch doesn't take from NumPy travel as these


@pytest.mark.gpu
@each_case
def test_run(case):
    import torch

    def to_cuda(values: np.ndarray):
        if hasattr(np, values.dtype.name):
            return torch.from_numpy(values).cuda()
        bits = torch.from_numpy(values.view(BITS[values.itemsize])).cuda()
        return bits.view(getattr(torch, values.dtype.name))

    def from_cuda(tensor, dtype: np.dtype) -> np.ndarray:
        if hasattr(np, dtype.name):
            return tensor.cpu().numpy()
        return tensor.cpu().view(getattr(torch, np.dtype(BITS[dtype.itemsize]).name)).numpy().view(dtype)

    # Scratch for what a kernel allocates for itself: tensor maps that it makes.
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    tensors = case.launch(to_cuda)
    check(case, {name: from_cuda(tensors[name], values.dtype) for name, values in case.expected.items()})


def test_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES)
