"""Control flow and helpers."""

# ruff: noqa: B007, F841 -- names that a kernel leaves unused make it readable

import triton
import triton.language as tl

import tlx
from tlx import errors

from .case import refused

# --- control flow ---


@refused(errors.InvalidLoop, "x changes its type: int32 becomes fp32", n="i32", y="*fp32")
def changing_element_type(n, y):
    x = 0
    for i in range(n):  # <- error
        x = x + 1.5
    tl.store(y, x)


@refused(errors.InvalidLoop, "tile changes its type", n="i32")
def changing_shape(n):
    tile = tl.zeros((16, 16), tl.float32)
    while n > 0:  # <- error
        tile = tl.zeros((16, 32), tl.float32)
        n -= 1


@refused(errors.InvalidLoop, "x after `if` changes its type", n="i32", y="*fp32")
def changing_in_a_branch(n, y):
    if n > 0:  # <- error
        x = tl.zeros((16,), tl.float32)
    else:
        x = tl.zeros((32,), tl.float32)
    tl.store(y, tl.sum(x))


@refused(errors.InvalidLoop, "bounds and step must be integer scalars")
def float_bound():
    for _ in tl.range(0, 1.5):  # <- error
        pass


@refused(errors.InvalidLoop, "COUNT is a compile-time constant outside of the loop", n="i32")
def constant_assigned_in_a_loop(n):
    COUNT: tl.constexpr = 0
    for _ in range(n):  # <- error
        COUNT = n


# --- helpers ---


@triton.jit
def inner(buffer):
    tlx.barrier_wait(buffer, 0)  # <- error


@tlx.jit
def outer(buffer):
    inner(buffer)


@refused(errors.NotABarrier, "barrier_wait takes an mbarrier", marked=inner)
def through_two_helpers():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    outer(a[0])
