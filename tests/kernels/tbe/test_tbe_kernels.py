"""The forward kernels on NumPy arrays: exact results, whatever the bags; nothing for the checker. Without torch."""

import ml_dtypes
import numpy as np
import pytest

import tlx
from tests.kernels.tbe.forward_cases import case, shape_of
from tests.language.case import run_simulated
from tlx import sim
from tlx.check import NOTE
from tlx_kernels.tbe.forward.config import StreamConfig, TileConfig, stage_layout
from tlx_kernels.tbe.forward.constants import Variant

ALL = Variant(weighted=True)
WIDE = shape_of(5)
UNEVEN = shape_of(5, dims=(20, 24))  # one class, two dims
CASES = [
    case("tile", UNEVEN, variant=ALL, config=TileConfig(together=2, depth=2, trips=2)),
    case("tile", WIDE, dtype=np.float16, index_dtype=np.int32, config=TileConfig(depth=4, table_major=False)),
    case("rows", shape_of(5, pooled=False), variant=ALL),
    case("histogram", WIDE, dtype=ml_dtypes.bfloat16),
    case("histogram", UNEVEN),
    case("stream", WIDE),
    case("stream", UNEVEN, variant=ALL, dtype=np.float16, index_dtype=np.int32),
]


@pytest.mark.parametrize("each", CASES, ids=str)
def test_exact(each):
    found = run_simulated(each)["out"]
    assert np.array_equal(found, each.expected["out"])


@pytest.mark.parametrize("lengths", [[0], [1], [100], [0, 0, 0, 37], [4]], ids=str)
def test_any_lengths_of_bags_in_a_stream(lengths):
    """Bags that end with a stage, within it, or stages later; bags without lookups; fewer chunks than pairs."""
    each = case("stream", WIDE, lengths=lengths)
    assert np.array_equal(run_simulated(each)["out"], each.expected["out"])


@pytest.mark.parametrize("programs", [1, 5])
def test_the_grid_of_a_stream_changes_no_bit(programs):
    rng = np.random.default_rng(3)
    each = case("stream", WIDE, programs=programs)
    each.arguments["weights"][:] = rng.standard_normal(each.arguments["weights"].shape)
    other = case("stream", WIDE, programs=2)
    other.arguments["weights"][:] = each.arguments["weights"]
    assert run_simulated(each)["out"].tobytes() == run_simulated(other)["out"].tobytes()


@pytest.mark.parametrize("each", [CASES[0], CASES[2], CASES[3], CASES[6]], ids=str)
def test_checked(each):
    arguments, _ = each.bind(sim.array)
    findings = tlx.check(each.kernel, schedules=3)[each.programs](**arguments, **each.options)
    assert [finding for finding in findings if finding.severity != NOTE] == []


def test_a_stage_lies_row_behind_row_in_each_thread():
    """Of fp16 with 128 columns each lane takes four, of all rows; of 32 columns of float32 each takes one."""
    assert stage_layout(8, 128, 2).shape == ((32,), (4, 8))
    assert stage_layout(8, 128, 2).stride == ((4,), (1, 128))
    assert stage_layout(4, 256, 4).stride == ((4,), (1, 128, 256))
    assert stage_layout(4, 8, 4).shape == ((8, 4), (1,))


def test_registers_of_a_stream():
    """Two pairs are one group of four warps with 88 registers beside four warps with 24: 56 on the average."""
    assert StreamConfig(pairs=2, registers=88).kernel_registers == 56
    assert StreamConfig(pairs=4, registers=88).kernel_registers == 72
