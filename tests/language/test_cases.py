"""Every case on three levels: what it compiles to, what the simulator computes, what a GPU computes."""

import numpy as np
import pytest

from . import buffers, rings, tasks
from .case import Case, run_simulated

CASES = [case for module in (tasks, rings, buffers) for case in module.CASES]

each_case = pytest.mark.parametrize("case", CASES, ids=str)


def check(case: Case, found: dict[str, np.ndarray]) -> None:
    for name, values in case.expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@each_case
def test_compiled(case):
    kernel = case.compiled()
    assert kernel.asm["cubin"]
    for text, count in case.ttgir.items():
        assert kernel.asm["ttgir"].count(text) == count, text


@each_case
def test_simulated(case):
    check(case, run_simulated(case))


@pytest.mark.gpu
@each_case
def test_run(case):
    import torch

    def to_cuda(values: np.ndarray):
        if values.dtype.name == "bfloat16":  # which torch doesn't take from NumPy
            return torch.from_numpy(values.view(np.int16)).cuda().view(torch.bfloat16)
        return torch.from_numpy(values).cuda()

    def to_numpy(tensor, like: np.ndarray) -> np.ndarray:
        if like.dtype.name == "bfloat16":
            return tensor.view(torch.int16).cpu().numpy().view(like.dtype)
        return tensor.cpu().numpy()

    tensors = case.launch(to_cuda)
    check(case, {name: to_numpy(tensors[name], values) for name, values in case.expected.items()})


def test_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES)
