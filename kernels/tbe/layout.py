"""Where everything lies: tables in one flat tensor of weights, lookups in bags, pooled rows in the output.

Bags are numbered feature by feature. A *segment* is a run of consecutive bags of one feature whose rows of the output
follow each other at one step: all bags of a feature, or, where batch sizes are given for each rank, those of one rank.
Kernels know segments only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from .specs import TableSpec

if TYPE_CHECKING:
    import torch

__all__ = ["SEGMENT_FIELDS", "TABLE_ALIGNMENT", "Batch", "BatchShape", "Feature", "Segment", "TableLayout", "pack"]

TABLE_ALIGNMENT = 64  # elements between possible starts of tables: whole sectors of memory in every dtype
MAX_SHAPES = 64  # of batches whose segments stay on their device


@dataclass(frozen=True)
class Feature:
    """What a feature looks up in.

    Args:
        table: the table's number.
        rows, dim: of the table.
        column: of the output where the feature's columns begin, if all batch sizes are the same.
        weights_offset: element of the flat weights (and of each optimizer state by element) where the table begins.
        row_base: number of the table's row 0 among the rows of all tables, which also numbers optimizer states by row;
            features that share a table share it.
    """

    table: int
    rows: int
    dim: int
    column: int
    weights_offset: int
    row_base: int


@dataclass(frozen=True)
class TableLayout:
    """Tables in one flat tensor of weights, and the table of each feature.

    Args:
        tables: the physical tables in the order in which they lie.
        feature_tables: the number of each feature's table.

    Raises:
        ArgumentError: no table, or a feature of a table that doesn't exist.
    """

    tables: tuple[TableSpec, ...]
    feature_tables: tuple[int, ...]

    def __post_init__(self):
        if not self.tables or not self.feature_tables:
            raise ArgumentError("tbe: there is no table", "give at least one TableSpec and one feature")
        for feature, table in enumerate(self.feature_tables):
            if not 0 <= table < len(self.tables):
                raise ArgumentError(f"tbe: feature {feature} is of table {table}; there are {len(self.tables)} tables")

    @staticmethod
    def of(tables: Sequence[TableSpec], feature_tables: Sequence[int] | None = None) -> TableLayout:
        """The layout of these tables; without `feature_tables`, each table has one feature."""
        return TableLayout(tuple(tables), tuple(range(len(tables)) if feature_tables is None else feature_tables))

    @cached_property
    def weights_offsets(self) -> tuple[int, ...]:
        """Where each table begins in the flat weights, and after the last one their size."""
        sizes = (-(-spec.rows * spec.dim // TABLE_ALIGNMENT) * TABLE_ALIGNMENT for spec in self.tables)
        return tuple(accumulate(sizes, initial=0))

    @cached_property
    def row_bases(self) -> tuple[int, ...]:
        """The number of each table's row 0 among the rows of all tables, and after the last one their number."""
        return tuple(accumulate((spec.rows for spec in self.tables), initial=0))

    @property
    def elements(self) -> int:
        """Elements of the flat weights, what aligns the tables included."""
        return self.weights_offsets[-1]

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return self.row_bases[-1]

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """The dim of each feature."""
        return tuple(self.tables[table].dim for table in self.feature_tables)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """What each feature looks up in."""
        columns = accumulate(self.dims, initial=0)
        return tuple(
            Feature(
                table,
                self.tables[table].rows,
                self.tables[table].dim,
                column,
                self.weights_offsets[table],
                self.row_bases[table],
            )
            for table, column in zip(self.feature_tables, columns)
        )

    @property
    def total_dim(self) -> int:
        """Columns of the pooled output: the sum over all features' dims."""
        return sum(self.dims)


SEGMENT_FIELDS = (
    "first_bag",
    "bags",
    "weights_offset",
    "rows",
    "dim",
    "out_base",
    "out_stride",
    "row_base",
    "feature",
)
"""The rows of `BatchShape.segments_on`, in order."""


@dataclass(frozen=True)
class Segment:
    """Consecutive bags of one feature.

    Args:
        first_bag: flat number of its first bag.
        bags: how many.
        weights_offset, rows, dim, row_base: as of its `Feature`.
        out_base: element of the output (and of its gradient) where its first bag's row begins; 0 without pooling.
        out_stride: elements from one bag's row to the next one's; without pooling, from one lookup's to the next one's.
        feature: its number.
    """

    first_bag: int
    bags: int
    weights_offset: int
    rows: int
    dim: int
    out_base: int
    out_stride: int
    row_base: int
    feature: int


@dataclass(frozen=True)
class BatchShape:
    """How many bags each feature has, and how the output lies.

    Args:
        layout: of the tables.
        sizes: bags of each feature for each rank, [features][ranks].
        pooled: whether each bag has one row of output; else each lookup has one.

    The output has the shape `output_shape`: [B, total_dim] where all features have the same number B of bags and there
    is one rank; else it is flat, rank by rank, feature by feature, bag by bag; without pooling it is [N, dim].

    Raises:
        ArgumentError: sizes that do not fit; or no pooling with tables of different dims.
    """

    layout: TableLayout
    sizes: tuple[tuple[int, ...], ...]
    pooled: bool = True

    def __post_init__(self):
        features = len(self.layout.feature_tables)
        if len(self.sizes) != features or len({len(ranks) for ranks in self.sizes}) != 1 or not self.sizes[0]:
            what = f"tbe: batch sizes for {len(self.sizes)} features, there are {features}"
            raise ArgumentError(what, "give one for each feature, or for each feature as many as there are ranks")
        if any(size < 0 for ranks in self.sizes for size in ranks):
            raise ArgumentError("tbe: a batch size is negative")
        if not self.pooled and len(set(self.layout.dims)) != 1:
            raise ArgumentError(
                f"tbe: without pooling all rows go into one matrix, the dims are {sorted(set(self.layout.dims))}",
                "give each dim a module of its own",
            )

    @staticmethod
    @lru_cache(maxsize=MAX_SHAPES)
    def of(layout: TableLayout, sizes: int | tuple, pooled: bool = True) -> BatchShape:
        """The shape for one batch size, for one of each feature, or for those of each feature and rank (tuples)."""
        if isinstance(sizes, int):
            sizes = (sizes,) * len(layout.feature_tables)
        return BatchShape(layout, tuple((s,) if isinstance(s, int) else tuple(s) for s in sizes), pooled)

    @cached_property
    def bags(self) -> int:
        """Bags of all features."""
        return sum(map(sum, self.sizes))

    @cached_property
    def rectangular(self) -> bool:
        """Whether the pooled output is a matrix."""
        return len(set(self.sizes)) == 1 and len(self.sizes[0]) == 1

    def output_shape(self, lookups: int) -> tuple[int, ...]:
        """The shape of the output of a batch with this many lookups."""
        if not self.pooled:
            return (lookups, self.layout.dims[0])
        if self.rectangular:
            return (self.sizes[0][0], self.layout.total_dim)
        return (sum(dim * sum(ranks) for dim, ranks in zip(self.layout.dims, self.sizes)),)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """In the order of their bags."""
        out_bases = self._flat_bases()
        found, bag = [], 0
        for number, (feature, ranks) in enumerate(zip(self.layout.features, self.sizes)):
            for rank, size in enumerate(ranks):
                if not self.pooled:
                    base, stride = 0, feature.dim
                elif self.rectangular:
                    base, stride = feature.column, self.layout.total_dim
                else:
                    base, stride = out_bases[rank, number], feature.dim
                place = (feature.weights_offset, feature.rows, feature.dim)
                found.append(Segment(bag, size, *place, base, stride, feature.row_base, number))
                bag += size
        return tuple(found)

    def _flat_bases(self) -> dict[tuple[int, int], int]:
        """Where the flat output of each rank and feature begins."""
        bases, base = {}, 0
        for rank in range(len(self.sizes[0])):
            for number, dim in enumerate(self.layout.dims):
                bases[rank, number] = base
                base += self.sizes[number][rank] * dim
        return bases

    def segments_on(self, device: torch.device) -> torch.Tensor:
        """[len(SEGMENT_FIELDS), segments] int64: one row for each field."""
        import torch

        return self.cached("segments", device, lambda: torch.from_numpy(pack(self.segments)).to(device))

    def cached(self, name: str, device: torch.device | None, make: Callable[[], Any]) -> Any:
        """What `make` gave for this name and device the first time."""
        known = self.__dict__.setdefault("_cached", {})
        if (name, device) not in known:
            known[name, device] = make()
        return known[name, device]


def pack(segments: Sequence[Segment]) -> np.ndarray:
    """[len(SEGMENT_FIELDS), segments] int64: one row for each field."""
    return np.array([[getattr(segment, name) for segment in segments] for name in SEGMENT_FIELDS], np.int64)


@dataclass(frozen=True, eq=False)
class Batch:
    """The lookups of one call, checked.

    Args:
        shape: how many bags each feature has.
        indices: [N], int32 or int64.
        offsets: [bags + 1], of the same type: bag g holds the lookups from offsets[g] to offsets[g + 1].
        per_sample_weights: [N] float32, or None.
    """

    shape: BatchShape
    indices: torch.Tensor
    offsets: torch.Tensor
    per_sample_weights: torch.Tensor | None = None

    @property
    def layout(self) -> TableLayout:
        """Of the tables."""
        return self.shape.layout

    @property
    def lookups(self) -> int:
        """N."""
        return self.indices.numel()

    @property
    def segments(self) -> torch.Tensor:
        """`BatchShape.segments_on` the device of the indices."""
        return self.shape.segments_on(self.indices.device)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the output."""
        return self.shape.output_shape(self.lookups)

    @staticmethod
    def of(
        layout: TableLayout,
        indices: torch.Tensor,
        offsets: torch.Tensor,
        per_sample_weights: torch.Tensor | None = None,
        *,
        batch_sizes: Sequence[int] | Sequence[Sequence[int]] | None = None,
        pooled: bool = True,
    ) -> Batch:
        """Checks shapes, types and devices; nothing that lies on the device is read.

        Args:
            layout: of the tables.
            indices: [N], int32 or int64.
            offsets: [bags + 1], int32 or int64; of another type than the indices, they are converted.
            per_sample_weights: [N] floating point, or None.
            batch_sizes: bags of each feature, or of each feature and rank; None: the same number for each feature.
            pooled: whether each bag has one row of output.

        Raises:
            ArgumentError: a shape, a type or a device that does not fit.
        """
        import torch

        _check_integers("indices", indices)
        _check_integers("offsets", offsets)
        if offsets.numel() == 0:
            raise ArgumentError("tbe: offsets have no element", "give one more than there are bags")
        if offsets.device != indices.device:
            raise ArgumentError(f"tbe: indices are on {indices.device}, offsets on {offsets.device}")
        bags = offsets.numel() - 1
        if batch_sizes is None:
            features = len(layout.feature_tables)
            if bags % features:
                raise ArgumentError(
                    f"tbe: {bags} bags, which {features} features don't divide",
                    "give features * batch + 1 offsets, or batch_sizes",
                )
            sizes = bags // features
        else:
            sizes = tuple(s if isinstance(s, int) else tuple(s) for s in batch_sizes)
        shape = BatchShape.of(layout, sizes, pooled)
        if shape.bags != bags:
            raise ArgumentError(f"tbe: the batch sizes sum to {shape.bags}, the offsets are of {bags} bags")
        weights = per_sample_weights
        if weights is not None:
            if weights.shape != indices.shape or not weights.is_floating_point() or weights.device != indices.device:
                raise ArgumentError(
                    f"tbe: per_sample_weights are {weights.dtype} {list(weights.shape)} on {weights.device}, "
                    f"the indices {list(indices.shape)} on {indices.device}",
                    "give one number of a floating-point type for each index",
                )
            weights = weights.to(torch.float32).contiguous()
        return Batch(shape, indices.contiguous(), offsets.to(indices.dtype).contiguous(), weights)


def _check_integers(name: str, tensor: torch.Tensor) -> None:
    import torch

    if tensor.dtype not in (torch.int32, torch.int64):
        raise ArgumentError(f"tbe: {name} are {tensor.dtype}", "use int32 or int64")
    if tensor.ndim != 1:
        raise ArgumentError(f"tbe: {name} have shape {list(tensor.shape)}", "give them as one vector")
