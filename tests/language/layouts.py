"""Layouts that a kernel asks for: of buffers, and of tensors in registers."""

import numpy as np
import triton
import triton.language as tl

import tlx
from tlx.compiler.versions import TRANSPOSES_UNSWIZZLED

from .case import Case, integers, output

ROWS, COLUMNS = 32, 64

SHARED = {
    "swizzled": tlx.swizzled_layout(3, 2, 4),
    "swizzled, columns contiguous": tlx.swizzled_layout(2, 0, 5, order=(0, 1)),
    "no swizzle": tlx.swizzled_layout.make_default(2),
    "Triton's swizzle": tlx.swizzled_shared_layout_encoding(4, 2, 4, [1, 0], [1, 1], [1, 1], [1, 1], [1, 0]),
    "TMA's": tlx.nv_mma_shared_layout_encoding.make_default((ROWS, COLUMNS), tl.float32),
    "TMA's without swizzle": tlx.nv_mma_shared_layout_encoding((ROWS, COLUMNS), (1, 0), tl.float32, swizzled=False),
    "TMA's, columns contiguous": tlx.nv_mma_shared_layout_encoding((ROWS, COLUMNS), (0, 1), tl.float32),
    "padded": tlx.padded_shared_layout_encoding.with_identity_for([(64, 4), (512, 8)], (ROWS, COLUMNS)),
    "padded, columns contiguous": tlx.padded_shared_layout_encoding.with_identity_for(
        [(32, 4)], (ROWS, COLUMNS), order=(0, 1)
    ),
    "padded in an order of its own": tlx.padded_shared_layout_encoding.with_bases(
        [(128, 16)],
        [*[(0, 1 << bit) for bit in range(6)], (16, 0), (1, 0), (2, 0), (4, 0), (8, 0)],
        (ROWS, COLUMNS),
    ),
    "linear": tlx.shared_linear_layout_encoding(
        [*[(0, 1 << bit) for bit in range(6)], (1, 4), (2, 8), (4, 16), (8, 0), (16, 0)]
    ),
}


@tlx.jit
def through_a_ring(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    """Through two slots of a ring of three, the second one transposed; the slots must not touch each other."""
    ring = tlx.local_alloc((R, C), tl.float32, 3, layout=LAYOUT)
    i, j = tl.arange(0, R), tl.arange(0, C)
    at = i[:, None] * C + j[None, :]
    tile = tl.load(x + at)
    tlx.local_store(ring[2], tile * 2)
    tlx.local_store(ring[1], tile)
    tl.store(y + at, tlx.local_load(ring[2]))
    turned = j[:, None] * R + i[None, :]
    tl.store(y + R * C + turned, tlx.local_load(tlx.local_trans(ring[1])))


@tlx.jit
def parts_of_a_buffer(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    """A quarter of a slot, and the whole one in another shape."""
    ring = tlx.local_alloc((R, C), tl.float32, 2, layout=LAYOUT)
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tlx.local_store(ring[1], tl.load(x + at))
    i, j = tl.arange(0, R // 2), tl.arange(0, C // 2)
    quarter = tlx.local_slice(ring[1], [R // 2, C // 2], [R // 2, C // 2])
    tl.store(y + i[:, None] * (C // 2) + j[None, :], tlx.local_load(quarter))
    other = tl.arange(0, 2 * R)[:, None] * (C // 2) + j[None, :]
    tl.store(y + R * C + other, tlx.local_load(tlx.local_reshape(ring[1], (2 * R, C // 2))))


@tlx.jit
def copied_by_threads(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    ring = tlx.local_alloc((R, C), tl.float32, 2, layout=LAYOUT)
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tlx.async_load(x + at, ring[1])
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tl.store(y + at, tlx.local_load(ring[1]))


@tlx.jit
def columns_of_a(x, w, y, D: tl.constexpr, LAYOUT: tl.constexpr):
    """Both operands of an MMA with their columns contiguous."""
    a = tlx.local_alloc((D, D), tl.float16, 2, layout=LAYOUT)
    at = tl.arange(0, D)[:, None] * D + tl.arange(0, D)[None, :]
    tlx.local_store(a[0], tl.load(x + at))
    tlx.local_store(a[1], tl.load(w + at))
    tl.store(y + at, tlx.async_dot_wait(0, tlx.async_dot(a[0], a[1])))


@tlx.jit
def reinterpreted_with_a_layout(x, y, N: tl.constexpr, LAYOUT: tl.constexpr):
    """Written through rows without swizzle, read as what lies at each place."""
    buffer = tlx.local_alloc((N, N), tl.float32, 1, layout=tlx.swizzled_layout.make_default(2))
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tlx.local_store(buffer[0], tl.load(x + at))
    tl.store(y + at, tlx.local_load(tlx.local_reinterpret(buffer[0], tl.float32, layout=LAYOUT)))


@tlx.jit
def in_a_small_task(x, y, N: tl.constexpr, LAYOUT: tl.constexpr):
    """A layout of 2 warps in a task of 2, beside a default task of 4."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y + N, 5.0)
        with tlx.async_task(num_warps=2):
            i = tl.arange(0, N)
            tile = tlx.require_layout(tl.load(x + i), LAYOUT)
            tlx.assert_same_layout(tile, LAYOUT)
            tl.store(y + i, tile + 1)


# A thread holds two neighbours in each of 8 pairs of rows; 4 warps side by side.
PAIRS = tlx.layout(shape=((32, 4), (2, 8)), stride=((2, 512), (1, 64)))
BROADCAST = tlx.layout(shape=((32, 2, 2), (32,)), stride=((1, 32, 0), (64,)))


@tlx.jit
def loaded_in_a_layout(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    buffer = tlx.local_alloc((R, C), tl.float32, 1)
    i, j = tl.arange(0, R), tl.arange(0, C)
    at = i[:, None] * C + j[None, :]
    tlx.local_store(buffer[0], tl.load(x + at))
    tile = tlx.local_load(buffer[0], layout=LAYOUT)
    tlx.assert_same_layout(tile, LAYOUT)
    tl.store(y + at, tile * 2)


@triton.jit
def twice_in(tile, LAYOUT: tl.constexpr):
    return tlx.require_layout(tile, LAYOUT) * 2


@tlx.jit
def carried_in_a_layout(x, y, n, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    """A sum kept in the author's layout over a loop, through a helper, in a task of its own."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(y + R * C, n)
        with tlx.async_task(num_warps=4):
            at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
            acc = tlx.zeros((R, C), tl.float32, LAYOUT)
            for _ in tl.range(0, n):
                acc += twice_in(tl.load(x + at), LAYOUT)
            tlx.assert_same_layout(acc, LAYOUT)
            rows = tl.sum(acc, axis=1)
            tl.store(y + at, acc + rows[:, None], mask=at % 3 != 1)


@tlx.jit
def released(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    """Behind the release the compiler stores as it likes: in 16 bytes."""
    i, j = tl.arange(0, R), tl.arange(0, C)
    at = i[:, None] * C + j[None, :]
    tile = tlx.require_layout(tl.load(x + at), LAYOUT)
    tl.store(y + at, tlx.release_layout(tile) + 1)
    tl.store(y + R * C + at, tlx.require_layout(tl.load(x + at), LAYOUT, pin=False) + 2)
    tlx.dump_layout(tile)


@tlx.jit
def through_every_pass(x, w, y, n, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    """A pin on a constant, on what a pipelined loop over `tl.dot` carries, and in a branch."""
    i, j = tl.arange(0, R), tl.arange(0, C)
    at = i[:, None] * C + j[None, :]
    square = j[:, None] * C + j[None, :]
    acc = tlx.zeros((R, C), tl.float32, LAYOUT)
    for k in tl.range(0, n, num_stages=3):
        product = tl.dot(tl.load(x + k * R * C + at), tl.load(w + k * C * C + square))
        acc += tlx.require_layout(product, LAYOUT)
    if n > 2:
        acc = tlx.require_layout(acc * 2, LAYOUT)
    tlx.assert_same_layout(acc, LAYOUT)
    tl.store(y + at, acc)


X = integers(ROWS, COLUMNS)
SQUARE = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
AT = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
SUMS = 6 * X + 6 * X.sum(1, keepdims=True)
SMALL = integers(64, 64, dtype=np.float16)
TILES = integers(3, ROWS, COLUMNS, dtype=np.float16)
WEIGHTS = integers(3, COLUMNS, COLUMNS, dtype=np.float16)
KEPT = np.where(AT % 3 != 1, SUMS, 77)
SIZES = {"R": ROWS, "C": COLUMNS}

CASES = [
    *[
        Case(
            f"a ring laid out {name}",
            through_a_ring,
            {"x": X, "y": output(2 * ROWS * COLUMNS), "LAYOUT": layout, **SIZES},
            {"y": np.concatenate([2 * X.reshape(-1), X.T.reshape(-1)])},
        )
        for name, layout in SHARED.items()
        if TRANSPOSES_UNSWIZZLED or name != "TMA's without swizzle"
    ],
    *[
        Case(
            f"parts of a buffer laid out {name}",
            parts_of_a_buffer,
            {"x": X, "y": output(2 * ROWS * COLUMNS), "LAYOUT": layout, **SIZES},
            {"y": np.concatenate([X[16:, 32:].ravel(), np.full(3 * 512, 77), X.ravel()])},
        )
        for name, layout in SHARED.items()
    ],
    *[
        Case(
            f"cp.async into a buffer laid out {name}",
            copied_by_threads,
            {"x": X, "y": output(ROWS, COLUMNS), "LAYOUT": layout, **SIZES},
            {"y": X},
        )
        for name, layout in SHARED.items()
        if not name.startswith("padded")
    ],
    Case(
        "an MMA of columns",
        columns_of_a,
        {
            "x": SMALL,
            "w": SMALL.T,
            "y": output(64, 64),
            "D": 64,
            "LAYOUT": tlx.nv_mma_shared_layout_encoding((64, 64), (0, 1), tl.float16),
        },
        {"y": SMALL.astype(np.float32) @ SMALL.T.astype(np.float32)},
    ),
    Case(
        "reinterpreted as columns",
        reinterpreted_with_a_layout,
        {"x": SQUARE, "y": output(32, 32), "N": 32, "LAYOUT": tlx.swizzled_layout(0, order=(0, 1))},
        {"y": SQUARE.T},
    ),
    Case(
        "reinterpreted through CuTe's Swizzle<2, 1, 5>",
        reinterpreted_with_a_layout,
        {"x": SQUARE, "y": output(32, 32), "N": 32, "LAYOUT": tlx.swizzled_layout(2, 1, 5)},
        # element (row, column) is at row * 32 + (column ^ (2 * (row // 2 % 4)))
        {"y": np.array([[row * 32 + (column ^ (2 * (row // 2 % 4))) for column in range(32)] for row in range(32)])},
    ),
    Case(
        "a load in the author's layout",
        loaded_in_a_layout,
        {"x": X, "y": output(ROWS, COLUMNS), "LAYOUT": PAIRS, **SIZES},
        {"y": 2 * X},
        ttgir={"__held_": 0, "tt.call": 0, "convert_layout": 0},
        ptx={"ld.shared.v2.b32": 8, "st.global.v2.b32": 8},
    ),
    Case(
        "a load in a layout with copies",
        loaded_in_a_layout,
        {"x": X, "y": output(ROWS, COLUMNS), "LAYOUT": BROADCAST, **SIZES},
        {"y": 2 * X},
        ptx={"st.global.b32": 32},
    ),
    Case(
        "a layout over a loop",
        carried_in_a_layout,
        {"x": X, "y": output(ROWS * COLUMNS + 1), "n": 3, "LAYOUT": PAIRS, **SIZES},
        {"y": np.append(KEPT, 3)},
        ttgir={"tt.call": 0},
    ),
    *[
        Case(
            f"a layout in a pipelined loop over tl.dot, {n} trips",
            through_every_pass,
            {"x": TILES, "w": WEIGHTS, "y": output(ROWS, COLUMNS), "n": n, "LAYOUT": PAIRS, **SIZES},
            {"y": (TILES[:n].astype(np.float32) @ WEIGHTS[:n].astype(np.float32)).sum(0) * (2 if n > 2 else 1)},
        )
        for n in (2, 3)
    ],
    Case(
        "a layout in a task of 2 warps",
        in_a_small_task,
        {
            "x": X.ravel()[:256],
            "y": output(257),
            "N": 256,
            "LAYOUT": tlx.layout(shape=((32, 2), 4), stride=((1, 128), 32)),
        },
        {"y": np.append(X.ravel()[:256] + 1, 5)},
    ),
    Case(
        "a layout released",
        released,
        {"x": X, "y": output(2 * ROWS * COLUMNS), "LAYOUT": PAIRS, **SIZES},
        {"y": np.concatenate([X.reshape(-1) + 1, X.reshape(-1) + 2])},
        ttgir={"tlx.observer": 0},
        ptx={"st.global.v4.b32": 8},
    ),
]
