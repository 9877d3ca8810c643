"""A ring traced: one producer that loads by TMA, one consumer that reads."""

import numpy as np
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.check.rings import COLUMNS, ROWS, SLOT_BYTES, ring
from tlx import sim
from tlx.trace import Costs, Trace, tracing

USES = 8


def traced(stages: int, *, grid: int = 1, costs: Costs | None = None, seed: int = 0, **options) -> Trace:
    """The trace of a ring that is filled and used eight times."""
    values = np.ones((USES * ROWS, COLUMNS), np.float16)
    sums = sim.array(np.zeros((1, ROWS, COLUMNS), np.float32))
    switches = {"RESET": False, "ARRIVE_EARLY": False, "ARRIVE": True, "FULL_TWICE": False}
    with tracing(costs=costs, seed=seed, **options) as trace:
        ring[(grid,)](
            TensorDescriptor.from_tensor(sim.array(values), [ROWS, COLUMNS]),
            *(sums, 2, USES // 2, ROWS, COLUMNS, stages),
            CONSUMERS=1,
            EMPTY_COUNT=1,
            BYTES=SLOT_BYTES,
            FIRST_PARITY=1,
            WAIT_FULL=True,
            WAIT_EMPTY=True,
            **switches,
        )
    return trace
