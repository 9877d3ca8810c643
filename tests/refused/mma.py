"""Asynchronous MMA."""

# ruff: noqa: B007, F841 -- names that a kernel leaves unused make it readable

import triton.language as tl

import tlx
from tlx import errors

from .case import refused


@refused(errors.InvalidMMA, "M is 32, a task of 4 warps takes multiples of 64")
def too_few_rows():
    a = tlx.local_alloc((32, 64), tl.float16, 1)
    b = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.InvalidMMA, "N is 512, it must be a multiple of 8 from 8 to 256")
def too_many_columns():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((64, 512), tl.float16, 1)
    tlx.async_dot(a[0], b[0])  # <- error


@refused(errors.InvalidMMA, "K is 8, for fp16 it must be a multiple of 16 (32 bytes)")
def too_small_k():
    b = tlx.local_alloc((8, 64), tl.float16, 1)
    tlx.async_dot(tl.zeros((64, 8), tl.float16), b[0])  # <- error


@refused(errors.InvalidMMA, "fp8e5 operands must be K-major: A stored [M, K], B stored [N, K]")
def eight_bits_not_k_major():
    a = tlx.local_alloc((64, 64), tl.float8e5, 1)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.InvalidMMA, "the tensor cores take no int16 x int16")
def operand_type_of_no_mma():
    a = tlx.local_alloc((64, 64), tl.int16, 1)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.InvalidMMA, "async_dot takes matrices")
def vector_operand():
    a = tlx.local_alloc((64,), tl.float16, 1)
    tlx.async_dot(a[0], a[0])  # <- error


@refused(errors.InvalidMMA, "async_dot_wait takes the result of async_dot, not a buffered_tensor of type 64x64 fp16")
def wait_for_a_buffer():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot_wait(0, a[0])  # <- error


@refused(errors.InvalidMMA, "input_precision is 'ieee', the tensor cores take fp32 as tf32")
def fp32_at_full_precision():
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    tlx.async_dot(a[0], tlx.local_trans(a[0]), input_precision="ieee")  # <- error


@refused(errors.DtypeMismatch, "out_dtype is fp16, this MMA accumulates in fp32")
def narrow_accumulator():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.async_dot(a[0], a[0], out_dtype=tl.float16)  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores may still be writing it", y="*fp32")
def added_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    acc = acc + 1.0  # <- error
    acc = tlx.async_dot_wait(0, acc)


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def method_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    acc.to(tl.float16)  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def summed_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    tl.store(y, tl.sum(acc))  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def operand_before_the_wait(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tlx.async_dot(a[0], a[0])
    tlx.async_dot(acc, a[0])  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", y="*fp32")
def newer_of_two_after_a_wait_for_the_older(y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    first = tlx.async_dot(a[0], a[0])
    second = tlx.async_dot(a[0], a[0])
    first = tlx.async_dot_wait(1, first)
    tl.store(y, tl.sum(first + second))  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", n="i32", y="*fp32")
def carried_out_of_a_loop(n, y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    acc = tl.zeros((64, 64), tl.float32)
    for _ in range(n):
        acc = tlx.async_dot(a[0], a[0], acc)
    tl.store(y, tl.max(tl.exp2(acc)))  # <- error


@refused(errors.UseBeforeWait, "used while the tensor cores", n="i32", y="*fp32")
def older_than_the_wait_only_on_one_path(n, y):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    first = tlx.async_dot(a[0], a[0])
    if n > 0:
        second = tlx.async_dot_wait(0, tlx.async_dot(a[0], a[0]))
        tl.store(y, tl.sum(second))
    first = tlx.async_dot_wait(1, first)
    first *= 2  # <- error
