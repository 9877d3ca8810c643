"""The layout policy, as a table, and what it makes of kernels."""

import pytest
import triton.language as tl
from triton.experimental.gluon.language._layouts import (
    BlockedLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    SliceLayout,
)

import tlx
from tlx.compiler.layouts import accumulator_layout, default_layout, operand_layout, shared_layout, stronger
from tlx.compiler.targets import TARGETS

from .lowering import find, lower

HOPPER = TARGETS[90]

# Shape, bits of an element, warps -> elements of a thread, lanes and warps along each axis.
DEFAULTS = [
    ((1024,), 32, 4, ([4], [32], [4])),
    ((1024,), 16, 4, ([8], [32], [4])),
    ((1024,), 64, 1, ([2], [32], [1])),
    ((1024,), 8, 1, ([16], [32], [1])),
    ((128,), 32, 4, ([1], [32], [4])),  # an element for each thread, not four for a quarter of them
    ((256,), 32, 4, ([2], [32], [4])),
    ((32,), 32, 4, ([1], [32], [4])),  # replicated over the warps
    ((8,), 32, 1, ([1], [32], [1])),  # replicated over the lanes
    ((64, 64), 32, 4, ([1, 4], [2, 16], [4, 1])),
    ((64, 64), 16, 4, ([1, 8], [4, 8], [4, 1])),
    ((64, 64), 64, 4, ([1, 2], [1, 32], [4, 1])),
    ((64, 256), 16, 8, ([1, 8], [1, 32], [8, 1])),
    ((128, 8), 16, 4, ([1, 8], [32, 1], [4, 1])),
    ((128, 4), 32, 1, ([1, 4], [32, 1], [1, 1])),
    ((1, 1024), 32, 4, ([1, 4], [1, 32], [1, 4])),
    ((2, 512), 32, 4, ([1, 4], [1, 32], [2, 2])),
    ((16, 1), 32, 4, ([1, 1], [32, 1], [4, 1])),
    ((4, 16, 32), 16, 2, ([1, 1, 8], [1, 8, 4], [2, 1, 1])),
]


@pytest.mark.parametrize(("shape", "bits", "warps", "expected"), DEFAULTS, ids=str)
def test_default_layout(shape, bits, warps, expected):
    layout = default_layout(list(shape), bits, warps)
    assert layout == BlockedLayout(*expected, list(reversed(range(len(shape)))))


ACCUMULATORS = [
    (64, 16, 4, [4, 1], [16, 64, 16]),
    (256, 16, 4, [4, 1], [16, 256, 16]),
    (8, 8, 4, [4, 1], [16, 8, 32]),
    (128, 32, 8, [8, 1], [16, 128, 8]),
]


@pytest.mark.parametrize(("n", "bits", "warps", "grid", "instruction"), ACCUMULATORS)
def test_accumulator_layout(n, bits, warps, grid, instruction):
    expected = NVMMADistributedLayout(version=[3, 0], warps_per_cta=grid, instr_shape=instruction)
    assert accumulator_layout(n, bits, warps, HOPPER) == expected


@pytest.mark.parametrize(("bits", "k_width"), [(32, 1), (16, 2), (8, 4)])
def test_operand_layout(bits, k_width):
    accumulator = accumulator_layout(64, bits, 4, HOPPER)
    assert operand_layout(accumulator, bits) == DotOperandLayout(0, accumulator, k_width)


# A row of the buffer in bytes decides the swizzle.
@pytest.mark.parametrize(("columns", "swizzle"), [(128, 128), (64, 128), (32, 64), (16, 32)])
def test_shared_layout(columns, swizzle):
    expected = NVMMASharedLayout(swizzle_byte_width=swizzle, element_bitwidth=16, rank=2)
    assert shared_layout([64, columns], tl.float16) == expected


def test_the_stronger_layout_wins():
    blocked = default_layout([64, 64], 32, 4)
    other = default_layout([64, 64], 16, 4)
    mma = accumulator_layout(64, 16, 4, HOPPER)
    assert stronger(blocked, mma) == stronger(mma, blocked) == mma
    assert stronger(SliceLayout(0, blocked), SliceLayout(0, mma)) == SliceLayout(0, mma)
    assert stronger(blocked, SliceLayout(0, blocked)) == SliceLayout(0, blocked)
    assert stronger(blocked, other) == blocked


@tlx.jit
def row_sums(x, y, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(y + i, tl.sum(tl.load(x + i[:, None] * C + j[None, :]), axis=1))


def test_a_row_is_loaded_in_16_bytes_and_summed_within_a_warp():
    ttgir = lower(row_sums, {"x": "*fp16:16", "y": "*fp16:16"}, {"R": 64, "C": 256})
    (load,), (reduce,) = find(ttgir, "tt.load"), find(ttgir, "tt.reduce")
    for layout in (load.results[0].type.encoding, reduce.operands[0].type.encoding):
        assert (layout["sizePerThread"], layout["warpsPerCTA"]) == ((1, 8), (4, 1))
