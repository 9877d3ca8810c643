"""Views of buffers, and single elements of them."""

import triton.language as tl

import tlx
from tlx import errors
from tlx.compiler.versions import HAS_LOCAL_GATHER, TRANSPOSES_UNSWIZZLED

from .case import refused


@refused(errors.NotInTriton, "run-time offset along axis 1: only along axis 0 it has parts that lie one after", n="i32")
def columns_from_a_run_time_offset(n):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [0, n], [64, 32])  # <- error


@refused(errors.NotInTriton, "run-time offset along axis 0: only along axis 1 it has parts that lie one after", n="i32")
def rows_of_a_wide_buffer_from_a_run_time_offset(n):
    a = tlx.local_alloc((64, 128), tl.float16, 1)
    tlx.local_slice(a[0], [n, 0], [32, 128])  # <- error


@refused(errors.NotInTriton, "a part of 4 along it, 512 bytes, must be a power of two, a multiple of 8", n="i32")
def part_smaller_than_the_swizzle(n):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [n, 0], [4, 64])  # <- error


@refused(errors.NotInTriton, "axis 0 and axis 1: only one offset may be known at run time", n="i32")
def two_run_time_offsets(n):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [n, n], [32, 32])  # <- error


@refused(errors.IndexOutOfRange, "a part of 128 leaves the buffer's 0:64", n="i32")
def part_larger_than_the_buffer(n):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [n, 0], [128, 64])  # <- error


@refused(errors.InvalidBuffer, "local_slice at a run-time offset of a slice of a buffer", n="i32")
def run_time_slice_of_a_slice(n):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(tlx.local_slice(a[0], [0, 0], [32, 64]), [n, 0], [16, 64])  # <- error


@refused(errors.InvalidBuffer, "offset of local_slice", n="fp32")
def fractional_offset(n):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [n, 0], [32, 64])  # <- error


@refused(errors.ShapeMismatch, "64x64 fp16 in shared memory, 8192 bytes, as 64x64 fp32, 16384 bytes")
def wider_elements_in_the_same_shape():
    a = tlx.local_alloc((64, 64), tl.float16, 2)
    tlx.local_reinterpret(a, tl.float32)  # <- error


@refused(errors.InvalidBuffer, "local_reinterpret of a slice of a buffer")
def reinterpreted_slice():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_reinterpret(tlx.local_slice(a[0], [0, 0], [64, 32]), tl.int16)  # <- error


@refused(errors.InvalidBuffer, "shape is 48, each dimension must be a power of two")
def reinterpreted_as_48():
    a = tlx.local_alloc((64,), tl.float16, 1)
    tlx.local_reinterpret(a, tl.float32, (48,))  # <- error


@refused(errors.NotABuffer, "local_reinterpret's src must be a shared buffer, not a mbarrier")
def reinterpreted_barrier():
    bars = tlx.alloc_barriers(1)
    tlx.local_reinterpret(bars, tl.int32)  # <- error


@refused(errors.ShapeMismatch, "local_reshape of 64x64 fp16 in shared memory to 64x32: the numbers of elements differ")
def reshaped_to_half():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_reshape(a[0], (64, 32))  # <- error


if HAS_LOCAL_GATHER:

    @refused(errors.ShapeMismatch, "local_gather: axis is 2, 64x64 fp32 in shared memory has 2")
    def gather_along_no_axis():
        a = tlx.local_alloc((64, 64), tl.float32, 1)
        tlx.local_gather(a[0], tl.zeros((64, 64), tl.int32), 2)  # <- error

    @refused(
        errors.ShapeMismatch, "local_gather: indices of shape 64 for 64x64 fp32 in shared memory: the ranks differ"
    )
    def gather_of_another_rank():
        a = tlx.local_alloc((64, 64), tl.float32, 1)
        tlx.local_gather(a[0], tl.arange(0, 64), 0)  # <- error

    @refused(errors.DtypeMismatch, "local_scatter of int32 into 64 fp32 in shared memory")
    def scatter_of_another_type():
        a = tlx.local_alloc((64,), tl.float32, 1)
        tlx.local_scatter(a[0], tl.arange(0, 64), tl.arange(0, 64), 0)  # <- error

else:

    @refused(errors.NotInTriton, "local_gather needs Triton 3.7")
    def gather_too_early():
        a = tlx.local_alloc((64,), tl.float32, 1)
        tlx.local_gather(a[0], tl.arange(0, 64), 0)  # <- error


if not TRANSPOSES_UNSWIZZLED:

    @refused(errors.NotInTriton, "local_trans of 32x4 fp32 in shared memory, which has no swizzle: Triton 3.")
    def transpose_without_swizzle():
        a = tlx.local_alloc((32, 4), tl.float32, 1)
        tlx.local_trans(a[0])  # <- error
