"""Where shared layouts put their elements."""

import numpy as np
import pytest
import triton

from tlx.ir.attributes import read_type
from tlx.ir.model import Attribute
from tlx.sim.errors import UnsupportedLayout
from tlx.sim.layouts import layout_map


def nvmma(swizzle, bits, transposed=False, rank=2):
    parameters = {
        "swizzlingByteWidth": swizzle,
        "transposed": transposed,
        "elementBitWidth": bits,
        "rank": rank,
    }
    return Attribute("ttg.nvmma_shared", tuple(parameters.items()))


def swizzled(vec, per_phase, max_phase, order):
    parameters = {"vec": vec, "perPhase": per_phase, "maxPhase": max_phase, "order": order}
    return Attribute("ttg.swizzled_shared", tuple(parameters.items()))


def test_128_byte_swizzle_xors_the_16_byte_chunk_with_the_row():
    offsets = layout_map((64, 64), nvmma(128, 16), 2).offsets
    assert offsets[0, 0] == 0
    assert offsets[0, 8] == 16
    assert offsets[1, 0] == 128 + 16
    assert offsets[1, 8] == 128
    assert offsets[7, 0] == 7 * 128 + 7 * 16
    assert offsets[8, 0] == 8 * 128


def test_32_byte_swizzle_changes_its_phase_every_fourth_row():
    offsets = layout_map((16, 16), nvmma(32, 16), 2).offsets
    assert [int(offsets[row, 0]) for row in (0, 3, 4, 7, 8)] == [0, 96, 128 + 16, 224 + 16, 256]


def test_tiles_wider_than_the_swizzle_lie_one_behind_the_other():
    offsets = layout_map((64, 256), nvmma(128, 16), 2).offsets
    assert offsets[0, 64] == 64 * 128
    assert offsets[63, 255] < 4 * 64 * 128


def test_a_transposed_layout_is_contiguous_along_the_first_axis():
    plain = layout_map((64, 32), nvmma(64, 16), 2).offsets
    turned = layout_map((32, 64), nvmma(64, 16, transposed=True), 2).offsets
    assert np.array_equal(turned, plain.T)


def test_leading_axes_number_buffers():
    map = layout_map((3, 64, 64), nvmma(128, 16), 2)
    start, inner = map.buffer(2)
    assert start == 2 * 64 * 64 * 2
    assert np.array_equal(inner.offsets, layout_map((64, 64), nvmma(128, 16), 2).offsets)


def test_swizzled_shared_permutes_groups_of_vec():
    offsets = layout_map((4, 8), swizzled(2, 1, 4, (1, 0)), 2).offsets // 2
    assert offsets[0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert offsets[1].tolist() == [10, 11, 8, 9, 14, 15, 12, 13]
    assert offsets[3].tolist() == [30, 31, 28, 29, 26, 27, 24, 25]


def test_shared_linear_lists_a_place_for_each_bit():
    layout = Attribute("ttg.shared_linear", (("offset", ((0, 1), (1, 1), (2, 0))),))
    assert (layout_map((4, 2), layout, 1).offsets).tolist() == [[0, 1], [3, 2], [4, 5], [7, 6]]


def padded(*pairs, **linear):
    return Attribute("ttg.padded_shared", (("intervals", pairs), *linear.items()))


def test_padded_shared_leaves_gaps():
    """Behind every 2 elements comes 1, behind every 4 come 2 more: e e p e e p p p e e p e e."""
    map = layout_map((2, 4), padded((2, 1), (4, 2), order=(1, 0), shape=(2, 4)), 4)
    assert (map.offsets // 4).tolist() == [[0, 1, 3, 4], [8, 9, 11, 12]]
    assert not map.dense
    turned = layout_map((4, 2), padded((2, 1), (4, 2), order=(0, 1), shape=(4, 2)), 4)
    assert np.array_equal(turned.offsets, map.offsets.T)


def test_padded_shared_in_an_order_of_its_own():
    map = layout_map((4, 2), padded((4, 1), offset=((0, 1), (2, 0), (1, 0)), block=()), 2)
    assert (map.offsets // 2).tolist() == [[0, 1], [5, 6], [2, 3], [7, 8]]


def test_gaps_between_the_buffers_of_a_padded_ring():
    map = layout_map((3, 2, 4), padded((4, 2), order=(1, 0), shape=(2, 4)), 4)
    assert [map.buffer(i)[0] // 4 for i in range(3)] == [0, 12, 24]
    assert map.buffer(2)[1].offsets.tolist() == layout_map((2, 4), padded((4, 2), order=(1, 0)), 4).offsets.tolist()


def test_padded_shared_is_read_from_its_spelling():
    text = (
        "!ttg.memdesc<3x2x4xf32, #ttg.padded_shared<[2:+1, 4:+2] {order = [1, 0], shape = [2, 4]}>, #ttg.shared_memory>"
    )
    assert dict(read_type(text).encoding.parameters) == {
        "intervals": ((2, 1), (4, 2)),
        "order": (1, 0),
        "shape": (2, 4),
    }


@pytest.mark.parametrize("layout", [nvmma(128, 16), nvmma(0, 8), swizzled(8, 2, 4, (0, 1))], ids=str)
def test_every_byte_belongs_to_one_element(layout):
    map = layout_map((64, 128), layout, 2)
    assert sorted(map.offsets.reshape(-1)) == list(range(0, 64 * 128 * 2, 2))
    assert map.dense


def test_views_share_bytes():
    map = layout_map((64, 128), nvmma(128, 16), 2)
    part = map.slice((8, 64), (16, 32))
    assert np.array_equal(part.offsets, map.offsets[8:24, 64:96])
    assert np.array_equal(map.transpose((1, 0)).offsets, map.offsets.T)
    assert np.array_equal(map.reshape((128, 64)).offsets, map.offsets.reshape(128, 64))
    assert not part.dense


def test_an_unknown_layout_is_named():
    with pytest.raises(UnsupportedLayout, match="amd_rotating_shared"):
        layout_map((8, 8), Attribute("ttg.amd_rotating_shared", (), "#ttg.amd_rotating_shared<{}>"), 2)


# Triton says where its layouts put elements from 3.9 on; before, it aborts for shared layouts.
needs_linear_layouts = pytest.mark.skipif(triton.__version__ < "3.9", reason="Triton aborts on shared layouts")


def stock_offsets(layout, shape):
    from triton._C.libtriton import gluon_ir, ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    context = ir.context()
    ir.load_dialects(context)
    make_backend(GPUTarget("cuda", 90, 32)).load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    linear = builder.to_linear_layout(layout._to_ir(builder), list(shape))
    bases = tuple(map(tuple, linear.offset_bases))
    return layout_map(shape, Attribute("ttg.shared_linear", (("offset", bases),)), 1).offsets


SHAPES = [
    (64, 64),
    (64, 256),
    (8, 128),
    (16, 64),
    (128, 32),
    (512, 64),
    (64, 512),
    (256, 16),
    (2, 64, 64),
    (1, 64, 128),
]


@needs_linear_layouts
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_nvmma_shared_agrees_with_triton(swizzle, bits, transposed):
    import triton.experimental.gluon.language as gl

    for shape in SHAPES:
        contiguous = shape[0 if transposed else -1] * bits // 8
        if contiguous < swizzle or (transposed and len(shape) > 2):
            continue
        stock = gl.NVMMASharedLayout(swizzle, bits, rank=len(shape), transposed=transposed)
        ours = layout_map(shape, nvmma(swizzle, bits, transposed, len(shape)), bits // 8).offsets
        assert np.array_equal(ours, stock_offsets(stock, shape) * (bits // 8)), shape


@needs_linear_layouts
@pytest.mark.parametrize(
    ("vec", "per_phase", "max_phase", "order", "shape"),
    [
        (8, 1, 8, (1, 0), (64, 64)),
        (8, 2, 4, (0, 1), (64, 32)),
        (8, 1, 8, (1, 0), (16, 32)),
        (4, 2, 4, (2, 1, 0), (2, 16, 32)),
        (4, 1, 4, (1, 2, 0), (2, 16, 32)),
        (1, 1, 1, (0,), (8,)),
    ],
)
def test_swizzled_shared_agrees_with_triton(vec, per_phase, max_phase, order, shape):
    import triton.experimental.gluon.language as gl

    stock = gl.SwizzledSharedLayout(vec, per_phase, max_phase, list(order))
    ours = layout_map(shape, swizzled(vec, per_phase, max_phase, order), 2).offsets
    assert np.array_equal(ours, stock_offsets(stock, shape) * 2)
