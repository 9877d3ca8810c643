"""Global memory: masks, hints, atomics."""

import numpy as np
import triton.language as tl

from tests.tl.case import FORMS, MINOR, N, case, floats, numbers, output, put

M, W = 8, 32


def masked(x, other):
    return np.where(np.arange(N) < 50, x, other)


@case(
    x=floats("f4", N),
    out=output(9, N),
    N=N,
    n=50,
    expected=lambda x: [
        masked(x, 0),
        masked(x, -1),
        masked(x, np.arange(N)),
        2 * x,
        2 * x,
        2 * x,
        masked(x, 77),
        x,
        masked(x, 77),
    ],
)
def load_and_store(x, out, N: tl.constexpr, n):
    i = tl.arange(0, N)
    put(out, 0, tl.where(i < n, tl.load(x + i, i < n), 0))
    put(out, 1, tl.load(x + i, mask=i < n, other=-1.0))
    put(out, 2, tl.load(x + i, mask=i < n, other=i.to(tl.float32)))
    put(out, 3, tl.load(x + i, cache_modifier=".cg") + tl.load(x + i, eviction_policy="evict_last"))
    put(out, 4, tl.load(x + i, cache_modifier=".ca") + tl.load(x + i, eviction_policy="evict_first"))
    put(out, 5, tl.load(x + i, volatile=True) + tl.load(x + i, cache_modifier=".cv"))
    tl.store(out + 6 * N + i, tl.load(x + i, i < n), mask=i < n, cache_modifier=".wb")
    tl.store(out + 6 * N + i, tl.load(x + i, i < n), mask=i < n, cache_modifier=".cs")
    tl.store(out + 7 * N + i, tl.load(x + i), eviction_policy="evict_first")
    (out + 8 * N + i).store(tl.load(x + i, i < n), mask=i < n)


@case(
    x=floats("f4", M, W),
    out=output(3, M, W),
    M=M,
    W=W,
    n=20,
    expected=lambda x: [
        np.where(np.arange(W) < 20, x, 5),
        np.where(np.arange(M)[:, None] < 3, x, 7),
        np.where(np.arange(W) < 20, x, 77),
    ],
)
def broadcast_masks(x, out, M: tl.constexpr, W: tl.constexpr, n):
    """Masks and values that are broadcast to the pointers' shape."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, W)[None, :]
    there = i * W + j
    tl.store(out + there, tl.load(x + there, mask=j < n, other=5))
    tl.store(out + M * W + there, tl.load(x + there, mask=i < 3, other=7))
    tl.store(out + 2 * M * W + there, tl.load(x + there), mask=j < n)


@case(x=numbers("i4", N), out=output(4, dtype="i4"), expected=lambda x: [[x[0], x[3], 77, 9]])
def scalar_access(x, out):
    tl.store(out, tl.load(x))
    tl.store(out + 1, tl.load(x + 3, True, 0))
    tl.store(out + 2, 5, mask=False)
    tl.store(out + 3, tl.load(x + 9999, tl.program_id(0) > 0, other=9))


@case(
    x=floats("f2", 4 * N),
    out=output(4, N),
    N=N,
    grid=4,
    n=4 * N - 5,
    expected=lambda x: [np.where(np.arange(4 * N) < 4 * N - 5, x.astype("f4") * 2, 77)],
)
def grid_of_programs(x, out, N: tl.constexpr, n):
    i = tl.program_id(axis=0) * N + tl.arange(0, N)
    i = tl.max_contiguous(tl.multiple_of(i, N), N)
    i = tl.max_constancy(i, 1)
    tl.assume(n > 0)
    mask = (i < n) & (tl.num_programs(0) == 4)
    tl.store(out + i, tl.load(x + i, mask) * 2, mask)


def after_atomics(x):
    i = np.arange(N)
    lanes = [x[i % 4 == k] for k in range(4)]
    sums = [lane.sum() for lane in lanes]
    high, low = [max(0, lane.max()) for lane in lanes], [min(0, lane.min()) for lane in lanes]
    flags = [np.bitwise_or.reduce(lane) for lane in lanes], [np.bitwise_xor.reduce(lane) for lane in lanes]
    return [sums, high, low, *flags, [0] * 4, [x[0] + 1, 0, 5, 9], [3, 4, 0, 0]]


@case(x=numbers("i4", N), out=np.zeros((8, 4), "i4"), N=N, expected=after_atomics)
def atomics(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    there = out + i % 4
    tl.atomic_add(there, a)
    tl.atomic_max(there + 4, a)
    tl.atomic_min(there + 8, a, sem="relaxed", scope="cta")
    tl.atomic_or(there + 12, a)
    tl.atomic_xor(there + 16, a)
    tl.atomic_and(there + 20, a, mask=i < 9)
    old = tl.atomic_xchg(out + 24, tl.load(x) + 1)
    tl.atomic_cas(out + 25, 1, 7)
    tl.atomic_cas(out + 26, old, 5)
    tl.atomic_add(out + 27, 9, sem="acquire", scope="sys")
    tl.atomic_add(out + 28 + tl.arange(0, 2), tl.arange(3, 5))


@case(
    x=numbers("i4", N),
    out=np.zeros((7, N), "i4"),
    N=N,
    expected=lambda x: [x, np.maximum(x, 0), np.minimum(x, 0), x, x, 0 * x, np.full(N, 7)],
)
def atomic_methods(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    there = out + i
    there.atomic_add(a)
    (there + N).atomic_max(a)
    (there + 2 * N).atomic_min(a)
    (there + 3 * N).atomic_or(a)
    (there + 4 * N).atomic_xor(a)
    (there + 5 * N).atomic_and(a)
    (there + 6 * N).atomic_cas(tl.zeros((N,), tl.int32), tl.full((N,), 3, tl.int32))
    (there + 6 * N).atomic_xchg(tl.full((N,), 7, tl.int32))


@case(
    x=numbers("f4", N),
    h=numbers("f2", N),
    out=np.zeros(3, "f4"),
    N=N,
    expected=lambda x, h: [[x.sum(), x.max(), min(0, x.min())]],
)
def float_atomics(x, h, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    tl.atomic_add(out, tl.sum(a))
    tl.atomic_max(out + 1 + tl.zeros((N,), tl.int32), a)
    tl.atomic_min(out + 2 + tl.zeros((N,), tl.int32), a)


@case(x=numbers("i4", N), out=np.zeros((3, N), "i4"), N=N, expected=lambda x: [np.zeros(N), x, x + 1])
def atomic_results(x, out, N: tl.constexpr):
    """What atomics return is the memory before them, also for lanes that several threads hold."""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    put(out, 2, a)
    first = tl.atomic_add(out + N + i, a)
    tl.atomic_add(out + 2 * N + i, tl.full((N,), 1, tl.int32))
    tl.store(out + i, first)


@case(out=np.zeros((2, N), "i4"), N=N, since=9, expected=lambda: [np.arange(N), np.arange(N) + 1])
def atomic_loads(out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_store(out + i, i)
    tl.debug_barrier()
    (out + N + i).atomic_store(tl.atomic_load(out + i) + (out + i).atomic_load() - i + 1)


@case(out=np.zeros(2, "i4"), grid=2, since=9, expected=lambda: [[1, 1]])
def atomic_polling(out):
    if tl.program_id(0) == 0:
        tl.atomic_store(out, 1)
    else:
        tl.atomic_poll(out, 1)
        out.atomic_poll(1)
        tl.store(out + 1, 1)


@case(
    x=numbers("f4", M, W),
    out=output(M, W),
    M=M,
    W=W,
    until=8,
    expected=lambda x: [x + 1],
    refused={form: "block pointers are not supported" for form in FORMS} if MINOR < 8 else {},
)
def block_pointers(x, out, M: tl.constexpr, W: tl.constexpr):
    source = tl.make_block_ptr(x, (M, W), (W, 1), (0, 0), (M, 16), (1, 0))
    target = tl.make_block_ptr(out, (M, W), (W, 1), (0, 0), (M, 16), (1, 0))
    tl.store(target, tl.load(source) + 1)
    source, target = tl.advance(source, (0, 16)), target.advance((0, 16))
    tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option="zero") + 1, boundary_check=(0, 1))


@case(x=numbers("f2", 2 * M, W), out=output(2 * M, W, dtype="f2"), M=M, W=W, expected=lambda x: [x[:M] + 1, x[M:] + W])
def descriptors(x, out, M: tl.constexpr, W: tl.constexpr):
    """Descriptors made on the device: they need scratch memory that the launcher allocates."""
    desc_x = tl.make_tensor_descriptor(x, [2 * M, W], [W, 1], [M, W])
    desc_out = tl.make_tensor_descriptor(out, shape=[2 * M, W], strides=[W, 1], block_shape=[M, W])
    desc_out.store([0, 0], desc_x.load([0, 0]) + tl.full((M, W), 1, desc_x.dtype))
    moved = tl.load_tensor_descriptor(desc_x, [M, 0]) + desc_x.block_shape[1]
    tl.store_tensor_descriptor(desc_out, [M, 0], moved)


@case(
    x=numbers("i4", M, W),
    out=output(6, M, W, dtype="i4"),
    M=M,
    W=W,
    expected=lambda x: [x + 77, np.minimum(x, 77), np.maximum(x, 77), x & 77, x | 77, x ^ 77],
)
def descriptor_atomics(x, out, M: tl.constexpr, W: tl.constexpr):
    """Each reduction by TMA into rows of its own."""
    desc = tl.make_tensor_descriptor(out, [6 * M, W], [W, 1], [M, W])
    value = tl.load(x + tl.arange(0, M)[:, None] * W + tl.arange(0, W)[None, :])
    desc.atomic_add([0, 0], value)
    desc.atomic_min([M, 0], value)
    desc.atomic_max([2 * M, 0], value)
    desc.atomic_and([3 * M, 0], value)
    desc.atomic_or([4 * M, 0], value)
    desc.atomic_xor([5 * M, 0], value)
