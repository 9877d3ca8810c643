"""The compile-time arguments of the forward kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import triton

from .classes import DimClass
from .config import HistogramConfig, StreamConfig, TileConfig, stage_layout

__all__ = ["Variant", "histogram_constants", "rows_constants", "stream_constants", "tile_constants"]

MMA_ROWS = 16  # the least that `tl.dot` takes along any axis
HISTOGRAM_BLOCK = 256  # columns of a tile whose sums and table stay in registers


@dataclass(frozen=True)
class Variant:
    """What a kernel computes.

    Args:
        mean: whether sums are divided by the number of lookups.
        weighted: whether there are per-sample weights.
        checked: whether lookups outside of their table are left out.
    """

    mean: bool = False
    weighted: bool = False
    checked: bool = True


def tile_constants(group: DimClass, config: TileConfig, variant: Variant) -> dict[str, Any]:
    """Those of `pool_tile`."""
    return {
        "MEAN": variant.mean,
        **rows_constants(group, config, variant),
        "TOGETHER": config.together,
        "TABLE_MAJOR": config.table_major,
    }


def rows_constants(group: DimClass, config: TileConfig, variant: Variant) -> dict[str, Any]:
    """Those of `copy_rows`."""
    return {
        "WEIGHTED": variant.weighted,
        "CHECKED": variant.checked,
        **_rows_of(group, group.block),
        "DEPTH": config.depth,
        "TRIPS": config.trips,
    }


def stream_constants(group: DimClass, config: StreamConfig, variant: Variant, itemsize: int) -> dict[str, Any]:
    """Those of `pool_stream`."""
    depth = config.depth_for(group.block, itemsize)
    return {
        "MEAN": variant.mean,
        "WEIGHTED": variant.weighted,
        "CHECKED": variant.checked,
        **_rows_of(group, group.block),
        "DEPTH": depth,
        "STAGES": config.stages,
        "CHUNK": config.chunk,
        "BAG_COST": config.bag_cost,
        "PAIRS": config.pairs,
        "REGISTERS": config.registers,
        "LAYOUT": stage_layout(depth, group.block, itemsize),
    }


def histogram_constants(group: DimClass, config: HistogramConfig, variant: Variant) -> dict[str, Any]:
    """Those of `pool_histogram`."""
    return {
        "MEAN": variant.mean,
        "CHECKED": variant.checked,
        **_rows_of(group, max(MMA_ROWS, min(group.block, HISTOGRAM_BLOCK))),
        "TOGETHER": config.together,
        "DEPTH": config.depth,
        "TABLE": max(MMA_ROWS, triton.next_power_of_2(group.max_rows)),
    }


def _rows_of(group: DimClass, block: int) -> dict[str, int]:
    return {"D": group.dim, "ALIGN": group.align, "BLOCK": block}
