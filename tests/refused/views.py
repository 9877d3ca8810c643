"""Views of buffers, and single elements of them."""

import triton.language as tl

import tlx
from tlx import errors
from tlx.compiler.versions import HAS_LOCAL_GATHER

from .case import refused


@refused(errors.NotInTriton, "local_slice: the offset is known at run time only", n="i32")
def slice_from_a_run_time_offset(n):
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
