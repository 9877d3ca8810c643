"""Copies by the threads of a task."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused


@refused(errors.InvalidCopy, "cp.async would copy single elements of less than 4 bytes", x="*fp16", n="i32")
def mask_of_any_length(x, n):
    a = tlx.local_alloc((64,), tl.float16, 1)
    i = tl.arange(0, 64)
    tlx.async_load(x + i, a[0], mask=i < n)  # <- error
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)


@refused(errors.InvalidCopy, "other must be 0: cp.async fills with zeros only", x="*fp32", n="i32")
def filled_with_ones(x, n):
    a = tlx.local_alloc((64,), tl.float32, 1)
    i = tl.arange(0, 64)
    tlx.async_load(x + i, a[0], mask=i < n, other=1.0)  # <- error


@refused(errors.InvalidCopy, "other must be 0: cp.async fills with zeros only", x="*fp32", value="fp32")
def filled_at_run_time(x, value):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x + tl.arange(0, 64), a[0], mask=value > 0, other=value)  # <- error


@refused(errors.InvalidCopy, "cache_modifier is '.wb', cp.async has '', '.ca', '.cg'", x="*fp32")
def modifier_of_stores(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x + tl.arange(0, 64), a[0], cache_modifier=".wb")  # <- error


@refused(errors.InvalidCopy, "async_load of 1 fp16 in shared memory: cp.async copies at least 4 bytes", x="*fp16")
def copy_of_two_bytes(x):
    a = tlx.local_alloc((1,), tl.float16, 1)
    tlx.async_load(x + tl.arange(0, 1), a[0])  # <- error


@refused(errors.InvalidCopy, "async_load_commit_group: 3 is no token")
def number_as_token():
    tlx.async_load_commit_group([3])  # <- error


@refused(errors.InvalidCopy, "pendings is -1, it must be at least 0")
def fewer_than_none():
    tlx.async_load_wait_group(-1)  # <- error


@refused(errors.ShapeMismatch, "async_load of 32 pointers into 64 fp32 in shared memory", x="*fp32")
def copy_of_half_a_buffer(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x + tl.arange(0, 32), a[0])  # <- error


@refused(errors.ShapeMismatch, "async_load of one pointer into 64 fp32 in shared memory", x="*fp32")
def copy_from_a_scalar(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x, a[0])  # <- error


@refused(errors.DtypeMismatch, "async_load from fp32 into 64 fp16 in shared memory", x="*fp32")
def copy_of_another_type(x):
    a = tlx.local_alloc((64,), tl.float16, 1)
    tlx.async_load(x + tl.arange(0, 64), a[0])  # <- error


@refused(errors.DtypeMismatch, "async_load's src must be a tensor of pointers, not a tensor of type")
def copy_of_values():
    a = tlx.local_alloc((64,), tl.int32, 1)
    tlx.async_load(tl.arange(0, 64), a[0])  # <- error
