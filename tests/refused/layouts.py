"""Layouts that mean nothing, or don't fit what they are for."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

WARP = tl.constexpr(tlx.layout(shape=(32, 2), stride=(2, 1)))
HALF = tl.constexpr(tlx.layout(shape=((32, 4), 1), stride=((2, 64), 0)))
PAIRS = tl.constexpr(tlx.layout(shape=((32, 4), 2), stride=((2, 64), 1)))
LEFT = tl.constexpr(tlx.layout(shape=((32, 4), 2), stride=((1, 32), 128)))


@refused(errors.InvalidLayout, "the layout is for 32 threads, this task has 4 warps x 32 = 128", y="*fp32")
def layout_of_one_warp(y):
    tlx.require_layout(tl.load(y + tl.arange(0, 64)), WARP)  # <- error


@refused(errors.InvalidLayout, "don't hold each of the 256 elements of a 256 tensor once", y="*fp32")
def layout_with_holes(y):
    tlx.require_layout(tl.load(y + tl.arange(0, 256)), HALF)  # <- error


@refused(errors.InvalidLayout, "sizes and strides must be powers of two", y="*fp32")
def three_values():
    tlx.layout(shape=(128, 3), stride=(1, 128))  # <- error


@refused(errors.InvalidLayout, "layout takes shape=(thread, value) and stride=(thread, value)")
def layout_without_values():
    tlx.layout(shape=(128,), stride=(1,))  # <- error


@refused(errors.InvalidLayout, "modes of sizes (32, 4) have strides (1,): one for each mode")
def layout_with_a_stride_too_few():
    tlx.layout(shape=((32, 4), (2,)), stride=((1,), (128,)))  # <- error


@refused(errors.InvalidLayout, "layout must be a tlx.layout of registers, not swizzled_layout(", y="*fp32")
def shared_layout_of_a_tensor(y):
    tlx.require_layout(tl.load(y + tl.arange(0, 256)), tlx.swizzled_layout(0))  # <- error


@refused(errors.InvalidLayout, "require_layout takes a tensor in registers, not a buffered_tensor")
def require_of_a_buffer():
    a = tlx.local_alloc((256,), tl.float32, 1)
    tlx.require_layout(a[0], LEFT)  # <- error


@refused(errors.InvalidLayout, "layout must be a layout of shared memory, not layout(")
def register_layout_of_a_buffer():
    tlx.local_alloc((256,), tl.float32, 1, layout=LEFT)  # <- error


@refused(errors.InvalidLayout, "Swizzle<3, 3, 3> has periods of 64 elements and permutes within 64; rows have 32")
def swizzle_wider_than_a_row():
    tlx.local_alloc((64, 32), tl.float32, 1, layout=tlx.swizzled_layout(3, 3, 3))  # <- error


@refused(errors.InvalidLayout, "order is (0, 0), it must list the 2 axes")
def order_with_an_axis_twice():
    tlx.local_alloc((64, 32), tl.float32, 1, layout=tlx.swizzled_layout(0, order=(0, 0)))  # <- error


@refused(errors.InvalidLayout, "vectorSize, perPhase and maxPhase are (3, 1, 1), they must be powers of two")
def swizzle_of_three():
    tlx.swizzled_shared_layout_encoding(3, 1, 1, (1, 0))  # <- error


@refused(errors.InvalidLayout, "the layout splits a buffer over CTAs")
def layout_over_two_ctas():
    tlx.swizzled_shared_layout_encoding(1, 1, 1, (1, 0), (2, 1), (2, 1), (2, 1), (1, 0))  # <- error


@refused(errors.InvalidLayout, "the layout is for 64x32 fp32, the buffer is 32x64 fp32")
def layout_of_another_shape():
    layout = tlx.nv_mma_shared_layout_encoding.make_default((64, 32), tl.float32)
    tlx.local_alloc((32, 64), tl.float32, 1, layout=layout)  # <- error


@refused(errors.InvalidLayout, "fp4Padded is for the tensor cores of Blackwell")
def padded_fp4():
    tlx.nv_mma_shared_layout_encoding.make_default((64, 32), tl.int8, True)  # <- error


@refused(errors.InvalidLayout, "intervals (48,) and paddings (4,) must be powers of two")
def interval_of_48():
    tlx.padded_shared_layout_encoding.with_identity_for([(48, 4)], (64, 32))  # <- error


@refused(errors.InvalidLayout, "a padding of 1 fp32 is 4 bytes, accesses of 16 bytes behind it would be misaligned")
def padding_of_one():
    layout = tlx.padded_shared_layout_encoding.with_identity_for([(32, 1)], (64, 32))
    tlx.local_alloc((64, 32), tl.float32, 1, layout=layout)  # <- error


@refused(errors.InvalidLayout, "3 offset bases, 2 of them independent, reach 4 of the 8 elements of a buffer of 8")
def dependent_bases():
    layout = tlx.shared_linear_layout_encoding([(1,), (2,), (3,)])
    tlx.local_alloc((8,), tl.float32, 1, layout=layout)  # <- error


@refused(errors.LayoutMismatch, "B is laid out as PaddedSharedLayout, which", y="*fp32")
def mma_of_a_padded_buffer(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    padded = tlx.padded_shared_layout_encoding.with_identity_for([(64, 8)], (64, 64))
    b = tlx.local_alloc((64, 64), tl.float16, 1, layout=padded)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.LayoutMismatch, "A is laid out as NVMMASharedLayout without swizzle")
def mma_without_swizzle():
    layout: tl.constexpr = tlx.nv_mma_shared_layout_encoding((64, 64), (1, 0), tl.float16, swizzled=False)
    a = tlx.local_alloc((64, 64), tl.float16, 1, layout=layout)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.LayoutMismatch, "async_load into a padded buffer", y="*fp32")
def copy_into_a_padded_buffer(y):
    padded = tlx.padded_shared_layout_encoding.with_identity_for([(64, 8)], (1024,))
    a = tlx.local_alloc((1024,), tl.float32, 1, layout=padded)
    tlx.async_load(y + tl.arange(0, 1024), a[0])  # <- error


@refused(errors.LayoutsDiffer, "(thread, value) -> element: ((128,), (2,)):((1,), (128,))", y="*fp32")
def two_layouts_of_tensors(y):
    values = tl.load(y + tl.arange(0, 256))  # of unknown alignment: no two elements at once
    tlx.assert_same_layout(values, tlx.require_layout(values, PAIRS))  # <- error


@refused(errors.LayoutsDiffer, "(thread, value) -> element: ((128,), (2,)):((2,), (1,))", y="*fp32")
def another_layout_than_asked(y):
    values = tlx.require_layout(tl.load(y + tl.arange(0, 256)), PAIRS)
    tlx.assert_same_layout(values * 2, LEFT)  # <- error


@refused(errors.LayoutsDiffer, "offset -> element: (8, 64):(64, 1)", y="*fp32")
def two_layouts_of_buffers(y):
    a = tlx.local_alloc((8, 64), tl.float32, 1)
    tlx.assert_same_layout(a[0], tlx.swizzled_layout(0, order=(0, 1)))  # <- error


@refused(errors.InvalidLayout, "assert_same_layout compares a buffer with a buffer or a layout")
def buffer_and_tensor():
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.assert_same_layout(a[0], tl.arange(0, 64))  # <- error
