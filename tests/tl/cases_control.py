"""Control flow: loops and their options, branches, early return, what they carry."""

import numpy as np
import triton
import triton.language as tl

from tests.tl.case import N, case, numbers, output, put

M, W = 8, 32


@case(
    x=numbers("i4", N),
    out=output(8, N, dtype="i4"),
    N=N,
    n=5,
    expected=lambda x: [x + 10, x + 25, x + 10, x + 10, x + 10, x + 9, x + 10, x + 6],
)
def ranges(x, out, N: tl.constexpr, n):
    start = tl.load(x + tl.arange(0, N))
    a = start
    for i in range(n):
        a += i
    put(out, 0, a)
    a = start
    for _ in range(n):
        for j in tl.range(0, n, 2):
            a += j if j < 4 else 3
    put(out, 1, a)
    a = start
    for i in tl.range(0, n, loop_unroll_factor=2):
        a += i
    put(out, 2, a)
    a = start
    for i in tl.range(n, num_stages=2):
        a += i
    put(out, 3, a)
    a = start
    for i in tl.range(0, n, disallow_acc_multi_buffer=True, disable_licm=True):
        a += i
    put(out, 4, a)
    a = start
    for i in range(n, 0, -2):
        a += i
    put(out, 5, a)
    a = start
    for i in tl.static_range(5):
        a += i
    put(out, 6, a)
    a = start
    for i in tl.static_range(4, 0, -2):
        a += i
    put(out, 7, a)


@case(x=numbers("i4", 4, N), out=output(2, N, dtype="i4"), N=N, n=4, expected=lambda x: [2 * x.sum(0), x.sum(0)])
def flattened(x, out, N: tl.constexpr, n):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    for _ in tl.range(0, 2, flatten=True):
        for k in range(0, n):
            total += tl.load(x + k * N + i)
    put(out, 0, total)
    total = tl.zeros((N,), tl.int32)
    for k in tl.range(0, n, warp_specialize=False):
        total += tl.load(x + k * N + i)
    put(out, 1, total)


def collatz_steps(x):
    steps = []
    for n in np.abs(x[:4]) + 1:
        count = 0
        while n != 1:
            n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
        steps.append(count)
    return steps


@case(x=numbers("i4", N), out=output(2, 4, dtype="i4"), expected=lambda x: [collatz_steps(x), [8, 8, 8, 8]])
def while_loops(x, out):
    for k in range(4):
        n = tl.abs(tl.load(x + k)) + 1
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        tl.store(out + k, steps)
    v = tl.full((4,), 1, tl.int32)
    while tl.condition(tl.sum(v) < 32, disable_licm=True):
        v += v
    put(out, 1, v)


@case(
    x=numbers("i4", N),
    out=output(6, N, dtype="i4"),
    N=N,
    n=3,
    expected=lambda x: [x + 1, x, 2 * x, x * (x > 0), x + 3, np.maximum(x, 3)],
)
def branches(x, out, N: tl.constexpr, n):
    a = tl.load(x + tl.arange(0, N))
    if n > 2:
        b = a + 1
    else:
        b = a - 1
    put(out, 0, b)
    c = a
    if n > 5:
        c = a * 100
    put(out, 1, c)
    if n == 1:
        d = a
    elif n == 3:
        d = 2 * a
    else:
        d = 3 * a
    put(out, 2, d)
    put(out, 3, tl.where(a > 0, a, 0))
    put(out, 4, a + n if n > 2 and n < 10 else a - n)
    put(out, 5, tl.maximum(a, n) if not n > 9 or n == 0 else a)


@case(
    x=numbers("i4", 4, N),
    out=output(4, N, dtype="i4"),
    N=N,
    n=2,
    grid=4,
    expected=lambda x: [np.where(np.arange(4)[:, None] < 2, x + 1, 77)],
)
def early_return(x, out, N: tl.constexpr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    put(out, pid, tl.load(x + pid * N + tl.arange(0, N)) + 1)


@case(x=numbers("i4", 3, N), out=output(3, N, dtype="i4"), N=N, grid=3, expected=lambda x: [x[0], x[1] + 1, x[2] + 2])
def several_returns(x, out, N: tl.constexpr):
    pid = tl.program_id(0)
    a = tl.load(x + pid * N + tl.arange(0, N))
    if pid == 0:
        put(out, pid, a)
        return
    elif pid == 1:
        put(out, pid, a + 1)
        return
    put(out, pid, a + 2)


@case(
    x=numbers("f4", M, W),
    out=output(4, M, W),
    M=M,
    W=W,
    n=3,
    expected=lambda x: [x[:, ::-1], x, x, x.sum(1, keepdims=True) * 8 + 0 * x],
)
def carries(x, out, M: tl.constexpr, W: tl.constexpr, n):
    """Carried values that swap, that enter with one layout and leave with another, and that grow out of others."""
    there = tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :]
    a = tl.load(x + there)
    b = tl.flip(a, 1)
    for _ in range(n):
        a, b = b, a
    tl.store(out + there, a)
    tl.store(out + M * W + there, b)
    c = tl.trans(a)
    for _ in range(2 * n):
        c = tl.trans(c.reshape(M, W).reshape(W, M)).trans()
    tl.store(out + 2 * M * W + there, tl.flip(tl.trans(c), 1))
    rows = tl.sum(a, 1)
    for _ in range(n):
        rows = tl.sum(rows[:, None] + tl.zeros((1, 2), tl.float32), 1)
    tl.store(out + 3 * M * W + there, rows[:, None] + tl.zeros((M, W), tl.float32))


@case(
    x=numbers("f4", M, W), out=output(3, W), M=M, W=W, n=4, flag=2, expected=lambda x: [x.sum(0), x[0], x.sum(0) + x[0]]
)
def branch_layouts(x, out, M: tl.constexpr, W: tl.constexpr, n, flag):
    """The branches make one value in different layouts, in a loop and outside."""
    a = tl.load(x + tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :])
    row = tl.load(x + tl.arange(0, W))
    if flag > 0:
        v = tl.sum(a, 0)
    else:
        v = row
    put(out, 0, v)
    for i in range(n):
        if i % 2 == 0:
            v = tl.sum(a, 0)
        else:
            v = row
    put(out, 1, v)
    while flag < 4:
        v = (tl.sum(a, 0) + row) if flag == 3 else row
        flag += 1
    put(out, 2, v)


@triton.jit
def fold(values):
    total = values[0]
    for i in tl.static_range(1, len(values)):
        total += values[i]
    return total


@triton.jit
def choose(a, b, first):
    if first:
        return a
    else:
        return b


@case(x=numbers("i4", N), out=output(4, N, dtype="i4"), N=N, n=3, expected=lambda x: [6 * x, x, 5 * x, 2 * x])
def helpers(x, out, N: tl.constexpr, n):
    """Helpers that take tuples, return from both branches, and are called in loops."""
    a = tl.load(x + tl.arange(0, N))
    put(out, 0, fold((a, 2 * a, 3 * a)))
    put(out, 1, choose(a, 2 * a, n > 2))
    total = a
    for _ in range(4):
        total = fold((total, a))
    put(out, 2, total)
    put(out, 3, choose(a, 2 * a, False))
