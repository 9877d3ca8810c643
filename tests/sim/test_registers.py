"""Which elements the lanes of a warp hold, by the simulator and by Triton."""

import numpy as np
import pytest
import triton.experimental.gluon.language as gl
from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.experimental.gluon.language._core import distributed_type
from triton.experimental.gluon.language._layouts import DistributedLinearLayout

from tlx.ir.attributes import read_type
from tlx.sim.errors import UnsupportedLayout
from tlx.sim.registers import elements_of_lanes


@pytest.fixture(scope="module")
def builder():
    context = ir.context()
    ir.load_dialects(context)
    make_backend(GPUTarget("cuda", 90, 32)).load_dialects(context)
    yield gluon_ir.GluonOpBuilder(context)  # while the context lives


def ours(layout, shape, builder) -> np.ndarray:
    """Of a tensor as TTGIR spells its type; the module must have as many warps as the layout."""
    text = str(distributed_type(gl.float32, list(shape), layout).to_ir(builder))
    return elements_of_lanes(read_type(text).encoding, tuple(shape))


def stock(layout, shape, builder) -> np.ndarray:
    linear = layout
    if not isinstance(layout, DistributedLinearLayout):
        linear = builder.to_linear_layout(layout._to_ir(builder), list(shape))
    parts = []
    for bases in (linear.reg_bases, linear.warp_bases, linear.lane_bases):
        indices = [0]
        for base in bases:
            indices += [index ^ int(np.ravel_multi_index(base, shape)) for index in indices]
        parts.append(np.array(indices))
    registers, warps, lanes = parts
    return registers[:, None, None] ^ warps[None, :, None] ^ lanes[None, None, :]


ROWS = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
COLUMNS = gl.BlockedLayout([2, 2], [32, 1], [2, 2], [0, 1])
SMALL = gl.BlockedLayout([1], [32], [4], [0])
LINEAR = DistributedLinearLayout([[0, 1]], [[1, 0], [2, 0], [4, 0], [0, 2], [0, 4]], [[8, 0], [0, 0]], [], [16, 8])

LAYOUTS = [
    (ROWS, (64, 64)),
    (ROWS, (4, 128)),  # more warps than rows
    (COLUMNS, (128, 8)),
    (COLUMNS, (16, 4)),  # more lanes than rows
    (SMALL, (8,)),
    (SMALL, (512,)),
    (LINEAR, (16, 8)),
    (gl.SliceLayout(1, ROWS), (64,)),
    (gl.SliceLayout(0, COLUMNS), (32,)),
]


@pytest.mark.parametrize(("layout", "shape"), LAYOUTS, ids=str)
def test_as_triton_does(layout, shape, builder):
    found, wanted = ours(layout, shape, builder), stock(layout, shape, builder)
    assert found.shape[1:] == wanted.shape[1:] == (4, 32)
    # The same registers, in whatever order; a slice's have copies.
    as_sets = [{tuple(register.ravel().tolist()) for register in array} for array in (found, wanted)]
    assert as_sets[0] == as_sets[1]


def test_lanes_then_warps(builder):
    held = ours(SMALL, (256,), builder)
    assert held[:, :, 0].tolist() == [[0, 32, 64, 96], [128, 160, 192, 224]]
    assert held[1, 3, :3].tolist() == [224, 225, 226]


def test_an_unknown_layout_is_named(builder):
    mma = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    with pytest.raises(UnsupportedLayout, match="ttg.nvidia_mma"):
        ours(mma, (64, 64), builder)
