"""The kernels of the GEMM families on NumPy arrays: exact results, and nothing found under several schedules."""

import numpy as np
import pytest

from tests.check.mutation.subjects_gemm_families import SUBJECTS
from tlx import sim
from tlx.check import NOTE, checking


@pytest.mark.parametrize("case", SUBJECTS, ids=str)
def test_the_kernel_is_right_and_clean(case):
    with checking(schedules=3) as checker:
        tensors = case.launch(sim.array)
    assert [finding for finding in checker.findings if finding.severity != NOTE] == []
    for name, expected in case.expected.items():
        np.testing.assert_array_equal(tensors[name].numpy(), expected)
