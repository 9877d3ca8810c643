"""Launches of the forward kernels on NumPy arrays: for tests that compile, simulate, check and mutate them."""

from __future__ import annotations

import numpy as np
import triton

from tests.language.case import Case, output
from tlx_kernels.tbe.forward.classes import dim_classes
from tlx_kernels.tbe.forward.config import HistogramConfig, StreamConfig, TileConfig
from tlx_kernels.tbe.forward.constants import (
    Variant,
    histogram_constants,
    rows_constants,
    stream_constants,
    tile_constants,
)
from tlx_kernels.tbe.forward.histogram import pool_histogram
from tlx_kernels.tbe.forward.rows import copy_rows
from tlx_kernels.tbe.forward.stream import pool_stream
from tlx_kernels.tbe.forward.tile import pool_tile
from tlx_kernels.tbe.layout import BatchShape, TableLayout, pack
from tlx_kernels.tbe.reference import reference
from tlx_kernels.tbe.specs import TableSpec

SUM = Variant()
LENGTHS = [3, 0, 1, 12, 0, 0, 7, 2, 5, 1, 0, 9]  # of bags, over and over
STREAM = StreamConfig(depth=4, stages=2, chunk=16)


def shape_of(bags: int, dims=(32, 32), rows=(40, 1), feature_tables=(0, 1, 0), pooled=True) -> BatchShape:
    """Features of the first table, of the second, and of the first again."""
    layout = TableLayout(tuple(map(TableSpec, rows, dims)), feature_tables)
    return BatchShape.of(layout, bags, pooled)


def lookups(shape: BatchShape, dtype=np.int64, lengths=LENGTHS):
    """Indices, of which a few are negative or past the largest table's end, and offsets."""
    rng = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(np.resize(lengths, shape.bags))]).astype(dtype)
    return rng.integers(-2, max(spec.rows for spec in shape.layout.tables) + 2, offsets[-1]).astype(dtype), offsets


def case(
    kernel: str,
    shape: BatchShape,
    *,
    dtype=np.float32,
    index_dtype=np.int64,
    variant: Variant = SUM,
    config=None,
    programs: int = 2,
    lengths=LENGTHS,
) -> Case:
    """One launch; tables, sums and products are whole numbers, so results are exact.

    Args:
        kernel: "tile", "rows", "stream" or "histogram".
        shape: of the batch; all dims are in one class.
        programs: of "stream".
    """
    rng = np.random.default_rng(0)
    weights = rng.integers(-3, 4, shape.layout.elements).astype(dtype)
    indices, offsets = lookups(shape, index_dtype, lengths)
    factors = rng.integers(-2, 3, len(indices)).astype(np.float32) if variant.weighted else None
    (group,) = dim_classes(shape)
    expected = reference(weights, shape, indices, offsets, factors, mean=variant.mean).astype(np.float32)
    arguments = {"out": output(*expected.shape), "indices": indices, "offsets": offsets, "factors": factors}
    arguments |= {"weights": weights, "segments": pack(group.members), "SEGMENTS": len(group.members)}
    name = f"{kernel} of {np.dtype(dtype).name}, {variant}"
    if kernel == "tile":
        config = config or TileConfig()
        blocks = triton.cdiv(group.max_bags, config.trips * config.together)
        arguments |= {"BLOCKS": blocks, **tile_constants(group, config, variant)}
        grid = (blocks * (len(group.members) if config.table_major else 1), triton.cdiv(group.max_dim, group.block))
        return Case(name, pool_tile, arguments, {"out": expected}, grid, {"num_warps": config.warps})
    if kernel == "rows":
        config = config or TileConfig(depth=8, trips=2)
        arguments |= {"N": len(indices), **rows_constants(group, config, variant)}
        grid = (triton.cdiv(len(indices), config.trips * config.depth), triton.cdiv(group.max_dim, group.block))
        return Case(name, copy_rows, arguments, {"out": expected}, grid, {"num_warps": config.warps})
    if kernel == "histogram":
        config = config or HistogramConfig()
        blocks = triton.cdiv(group.max_bags, config.together)
        arguments |= {"BLOCKS": blocks, **histogram_constants(group, config, variant)}
        del arguments["factors"]
        grid = blocks * len(group.members)
        return Case(name, pool_histogram, arguments, {"out": expected}, grid, {"num_warps": config.warps})
    config = config or STREAM
    runs = np.array(list(zip(*group.runs)), np.int64)
    constants = stream_constants(group, config, variant, np.dtype(dtype).itemsize)
    arguments |= {"runs": runs, "RUNS": runs.shape[1], **constants}
    options = {"num_warps": 4, "maxnreg": config.kernel_registers}
    return Case(name, pool_stream, arguments, {"out": expected}, programs, options)
