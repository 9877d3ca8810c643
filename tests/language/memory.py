"""Pointer loads and stores with masks, reductions and scans, in tasks of 1 to 8 warps."""

import numpy as np
import triton.language as tl

import tlx

from .case import Case, integers, output

WARPS = (1, 2, 4, 8)


@tlx.jit
def masked_vector(x, y, n, N: tl.constexpr, WARPS: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, N)
            tl.store(y + i, tl.load(x + i, mask=i < n, other=-9))
        with tlx.async_task(num_warps=WARPS):
            i = tl.arange(0, N)
            tl.store(y + N + i, tl.load(x + i, mask=i < n, other=0.0) * 2, mask=i < n)


@tlx.jit
def masked_matrix(x, y, rows, columns, other, R: tl.constexpr, C: tl.constexpr, WARPS: tl.constexpr):
    """The mask is a column and a row broadcast; `other` is a run-time scalar."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=WARPS):
            i, j = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
            tile = tl.load(x + i * columns + j, mask=(i < rows) & (j < columns), other=other)
            tl.store(y + i * C + j, tile.to(tl.float32))


@tlx.jit
def reductions(x, by_row, by_column, over_all, R: tl.constexpr, C: tl.constexpr, WARPS: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=WARPS):
            i, j = tl.arange(0, R), tl.arange(0, C)
            tile = tl.load(x + i[:, None] * C + j[None, :])
            tl.store(by_row + i, tl.sum(tile, axis=1))
            tl.store(by_column + j, tl.max(tile, axis=0))
            tl.store(over_all, tl.sum(tile))
            tl.store(over_all + 1, tl.min(tl.min(tile, axis=0), axis=0))


@tlx.jit
def softmax(x, y, R: tl.constexpr, C: tl.constexpr, WARPS: tl.constexpr):
    """A row's reductions broadcast back over the row."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=WARPS):
            i, j = tl.arange(0, R), tl.arange(0, C)
            at = i[:, None] * C + j[None, :]
            tile = tl.load(x + at)
            tile = tl.exp2(tile - tl.max(tile, axis=1)[:, None])
            tl.store(y + at, tile / tl.sum(tile, axis=1, keep_dims=True))


@tlx.jit
def shapes(x, y, R: tl.constexpr, C: tl.constexpr):
    """Transposes, reshapes, joins and scans, each with a layout of its own."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i, j = tl.arange(0, R), tl.arange(0, C)
            tile = tl.load(x + i[:, None] * C + j[None, :])
            tl.store(y + j[:, None] * R + i[None, :], tl.trans(tile))
        with tlx.async_task(num_warps=2):
            i, j = tl.arange(0, R), tl.arange(0, C)
            tile = tl.load(x + i[:, None] * C + j[None, :])
            flat = tl.reshape(tile, (R * C,))
            left, right = tl.split(tl.reshape(flat, (R * C // 2, 2)))
            pairs = tl.join(right, left)
            tl.store(y + R * C + tl.arange(0, R * C), tl.reshape(pairs, (R * C,)))
            tl.store(y + 2 * R * C + i[:, None] * C + j[None, :], tl.cumsum(tile, axis=1))


@tlx.jit
def where_and_atomics(x, y, total, N: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, N)
            value = tl.load(x + i)
            tl.store(y + i, tl.where(value > 0, value, 0))
            tl.atomic_add(total, tl.sum(tl.maximum(value, 0)))
        with tlx.async_task(num_warps=1, replicate=2):
            i = tl.arange(0, N)
            tl.atomic_add(total, tl.sum(tl.where(i % 2 == tlx.async_task_replica_id(), tl.load(x + i), 0)))


def masked_vector_case(warps: int) -> Case:
    x, untouched = integers(256), output(256)
    inside = np.arange(256) < 100
    expected = np.concatenate([np.where(inside, x, -9), np.where(inside, x * 2, untouched)])
    arguments = {"x": x, "y": output(512), "n": 100, "N": 256, "WARPS": warps}
    return Case(f"a masked vector in {warps} warps", masked_vector, arguments, {"y": expected})


def masked_matrix_case(warps: int) -> Case:
    x = integers(13, 50, dtype=np.float16)
    expected = np.full((16, 64), -5, np.float32)
    expected[:13, :50] = x
    arguments = {"x": x, "y": output(16, 64), "rows": 13, "columns": 50, "other": -5, "R": 16, "C": 64, "WARPS": warps}
    return Case(f"a masked matrix in {warps} warps", masked_matrix, arguments, {"y": expected})


def reduction_case(warps: int, rows: int, columns: int) -> Case:
    x = integers(rows, columns)
    outputs = {"by_row": output(rows), "by_column": output(columns), "over_all": output(2)}
    arguments = {"x": x, **outputs, "R": rows, "C": columns, "WARPS": warps}
    expected = {"by_row": x.sum(1), "by_column": x.max(0), "over_all": np.array([x.sum(), x.min()])}
    return Case(f"reductions of {rows}x{columns} in {warps} warps", reductions, arguments, expected)


def softmax_case(warps: int) -> Case:
    x = np.zeros((16, 32), np.float32)  # every row: 32 equal shares, exact in binary
    x[:, 16:] = -200
    expected = np.zeros((16, 32), np.float32)
    expected[:, :16] = 1 / 16
    arguments = {"x": x, "y": output(16, 32), "R": 16, "C": 32, "WARPS": warps}
    return Case(f"softmax of rows in {warps} warps", softmax, arguments, {"y": expected})


TILE = integers(16, 32)
SWAPPED = TILE.reshape(-1, 2)[:, ::-1]
VECTOR = integers(128, dtype=np.int32)
POSITIVE = np.maximum(VECTOR, 0)

CASES = [
    *[masked_vector_case(warps) for warps in WARPS],
    *[masked_matrix_case(warps) for warps in WARPS],
    *[reduction_case(warps, rows, columns) for warps in WARPS for rows, columns in [(16, 64), (64, 16)]],
    *[softmax_case(warps) for warps in WARPS],
    Case(
        "transposes, reshapes, joins and scans",
        shapes,
        {"x": TILE, "y": output(3 * 512), "R": 16, "C": 32},
        {"y": np.concatenate([TILE.T.ravel(), SWAPPED.ravel(), TILE.cumsum(1).ravel()])},
    ),
    Case(
        "where and atomics",
        where_and_atomics,
        {"x": VECTOR, "y": output(128, dtype=np.int32), "total": np.zeros(1, np.int32), "N": 128},
        {"y": POSITIVE, "total": np.array([POSITIVE.sum() + VECTOR.sum()])},
    ),
]
