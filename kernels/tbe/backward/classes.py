"""Keys of rows, and tables whose rows are about as wide: what one launch of the backward pass updates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..layout import BatchShape, TableLayout

if TYPE_CHECKING:
    import torch

__all__ = ["WidthClass", "align_of", "classes_of", "segments_on"]

MIN_BLOCK = 4  # columns of a tile: what one draw of random numbers covers
MAX_ALIGN = 8  # elements: 16 bytes of the narrowest type


@dataclass(frozen=True)
class WidthClass:
    """Tables whose rows fit into tiles of the same number of columns, but not of half as many.

    Args:
        block: columns of a tile.
        dim: columns of the rows if all tables have the same, else 0.
        low, high: the keys of their rows are low to high - 1.
        tables: (first key, element of the weights, number of the first row, columns) of each table; a single one stands
            for several that follow each other without a gap.
    """

    block: int
    dim: int
    low: int
    high: int
    tables: tuple[tuple[int, int, int, int], ...]

    def tables_on(self, device: torch.device, align: int) -> torch.Tensor:
        """[4, tables] int64, elements and columns in units of `align`."""
        import torch

        units = [(key, element // align, row, dim // align) for key, element, row, dim in self.tables]
        return torch.tensor(units, dtype=torch.int64).T.contiguous().to(device)


def align_of(layout: TableLayout) -> int:
    """A power of two of elements, at most 16 bytes of any type, that divides where each row begins and ends."""
    return math.gcd(MAX_ALIGN, *(spec.dim for spec in layout.tables))


def block_of(dim: int) -> int:
    """Columns of a tile for rows of this many."""
    return max(MIN_BLOCK, 1 << (dim - 1).bit_length())


@lru_cache(maxsize=64)
def key_bases(layout: TableLayout) -> tuple[int, ...]:
    """The key of each table's row 0. Keys count all rows, of narrow tables first."""
    order = sorted(range(len(layout.tables)), key=lambda table: (block_of(layout.tables[table].dim), table))
    bases, base = [0] * len(order), 0
    for table in order:
        bases[table] = base
        base += layout.tables[table].rows
    return tuple(bases)


@lru_cache(maxsize=64)
def classes_of(layout: TableLayout) -> tuple[WidthClass, ...]:
    """The classes of the tables, in the order of their keys."""
    found = {}
    for key, element, row, spec in sorted(
        zip(key_bases(layout), layout.weights_offsets, layout.row_bases, layout.tables), key=lambda table: table[0]
    ):
        found.setdefault(block_of(spec.dim), []).append((key, element, row, spec.dim, spec.rows))
    return tuple(_class(block, tables) for block, tables in found.items())


def _class(block: int, tables: list[tuple[int, int, int, int, int]]) -> WidthClass:
    dims = {dim for *_, dim, _ in tables}
    dim = dims.pop() if len(dims) == 1 else 0
    low, high = tables[0][0], tables[-1][0] + tables[-1][-1]
    if dim and all(_follows(a, b) for a, b in zip(tables, tables[1:])):
        tables = tables[:1]
    return WidthClass(block, dim, low, high, tuple(table[:4] for table in tables))


def _follows(a, b) -> bool:
    """Whether table b begins where table a ends, in the weights and in the numbers of rows."""
    (_, element, row, dim, rows), (_, next_element, next_row, *_) = a, b
    return next_element == element + rows * dim and next_row == row + rows


def segments_on(shape: BatchShape, device: torch.device) -> torch.Tensor:
    """What `linearize` is told about the bags of a batch: [5, segments] int64, gradients in units of `align_of`."""
    import torch

    align, bases = align_of(shape.layout), key_bases(shape.layout)
    rows = [
        (
            segment.first_bag,
            bases[shape.layout.feature_tables[segment.feature]],
            segment.rows,
            segment.out_base // align,
            segment.out_stride // align,
        )
        for segment in shape.segments
    ]
    return torch.tensor(rows, dtype=torch.int64).T.contiguous().to(device)
