"""Arguments of a wrong kind."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

TILES = "tensordesc<fp16[64, 64]>"


@refused(errors.InvalidBuffer, "slice 0:48 of 64x64 fp16 in shared memory: along each axis a slice has a power of two")
def slice_of_48_rows():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [0, 0], [48, 64])  # <- error


@refused(errors.InvalidBuffer, "slice 8:24 of 64x64 fp16 in shared memory")
def slice_between_its_multiples():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [8, 0], [16, 64])  # <- error


@refused(errors.InvalidBuffer, "slice of 4 along axis 0 of 64x64 fp16 in shared memory: its rows are swizzled by 8s")
def slice_within_swizzled_rows():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], [4, 0], [4, 64])  # <- error


@refused(errors.ShapeMismatch, "local_slice's offset must be a list, not 0")
def slice_at_a_number():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_slice(a[0], 0, [32, 64])  # <- error


@refused(errors.ShapeMismatch, "async_descriptor_load: offsets must be a list, not 0", x=TILES)
def load_at_a_number(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    bars = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], 0, bars[0])  # <- error


@refused(errors.ShapeMismatch, "async_descriptor_store: an offset is a tensor of type", x=TILES)
def store_at_many_places(x):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_descriptor_store(x, a[0], [tl.arange(0, 4), 0])  # <- error


@refused(errors.InvalidMMA, "input_precision is 'exact', Triton knows")
def unknown_precision():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot(a[0], a[0], input_precision="exact")  # <- error


@refused(errors.ShapeMismatch, "async_load's mask is 32, the pointers are 64", x="*fp32")
def mask_of_half_a_copy(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x + tl.arange(0, 64), a[0], mask=tl.arange(0, 32) < 4)  # <- error


@refused(errors.InvalidCopy, "async_load_commit_group: tokens must be a list, not 3")
def number_of_tokens():
    tlx.async_load_commit_group(3)  # <- error


@refused(errors.InvalidHint, "'sometimes'", x="*fp32")
def unknown_eviction_policy(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x + tl.arange(0, 64), a[0], eviction_policy="sometimes")  # <- error
