"""Offsets of slices that are known at run time only: the simulator finds those that no part has."""

import numpy as np
import pytest

from tlx import sim

from .slices import VECTOR, part_of_a_vector


@pytest.mark.parametrize("at", [8, 17, 64, -16])
def test_an_offset_that_no_part_has_is_out_of_bounds(at):
    x, y = sim.array(VECTOR), sim.array(np.zeros(16, np.float32))
    with sim.simulating(), pytest.raises(sim.BufferBoundsError):
        part_of_a_vector[(1,)](x, y, at, N=64, PART=16, num_warps=4)
