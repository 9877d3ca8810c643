"""What the kernels of the backward pass share: where a row lies, the sums of its gradients, and how it is written."""

import triton
import triton.language as tl

from .linearize import last_at_most
from .rounding import random_bits, round_stochastically


@triton.jit
def _add_in_run(x, x_starts, y, y_starts):
    """Sums that begin anew where a run starts; associative."""
    return tl.where(y_starts != 0, y, x + y), x_starts | y_starts


@triton.jit
def sums_in_runs(x, starts):
    """For each row of x the sum of the rows from its run's start to it.

    Args:
        x: [ROWS, BLOCK] float32.
        starts: [ROWS], 1 where a run starts.
    """
    starts = tl.broadcast_to(starts.to(tl.int32)[:, None], x.shape)
    sums, _ = tl.associative_scan((x, starts), 0, _add_in_run)
    return sums


@triton.jit
def place_of(key, trained, tables, TABLES: tl.constexpr, D: tl.constexpr, ALIGN: tl.constexpr):
    """Where a row of weights begins, its number among all rows, and how many columns it has.

    Args:
        key: [ROWS] int64, valid where `trained`.
        tables: [4, TABLES] int64: first key, row 0's element offset in units of ALIGN, number of row 0, columns in
            units of ALIGN. They are sorted by first key.
        TABLES: 1 stands for any number of tables that lie one behind the other in the order of their keys.
        D: the columns if all tables have the same, else 0.

    Returns:
        element offset [ROWS] int64, row number [ROWS] int64, columns (constant or [ROWS] int32).
    """
    if TABLES == 1:
        base, offset, number, columns = tl.load(tables), tl.load(tables + 1), tl.load(tables + 2), tl.load(tables + 3)
    else:
        table = last_at_most(tables, TABLES, tl.where(trained, key, 0))
        base, offset = tl.load(tables + table), tl.load(tables + TABLES + table)
        number, columns = tl.load(tables + 2 * TABLES + table), tl.load(tables + 3 * TABLES + table)
    row = tl.where(trained, key - base, 0)
    if D:
        dim = D
        element = (offset + row * (D // ALIGN)) * ALIGN
    else:
        dim = columns.to(tl.int32) * ALIGN
        element = (offset + row * columns) * ALIGN
    return element, number + row, dim


@triton.jit
def store_rows(pointers, values, mask, seed, rows, step, STOCHASTIC: tl.constexpr):
    """Writes float32 rows as the type of the weights, rounded to nearest or by chance."""
    dtype: tl.constexpr = pointers.dtype.element_ty
    if STOCHASTIC:
        rounded = round_stochastically(values, random_bits(seed, rows, step, values.shape[1]), dtype)
    else:
        rounded = values.to(dtype)
    tl.store(pointers, rounded, mask=mask)
