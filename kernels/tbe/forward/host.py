"""The forward pass on checked lookups: which kernels run, and their launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton

from ...launch import device_of
from .classes import DimClass, dim_classes
from .config import TileConfig, default_tile
from .rows import copy_rows
from .tile import pool_tile

if TYPE_CHECKING:
    import torch

    from ..layout import Batch

__all__ = ["forward"]


def forward(
    weights: torch.Tensor,
    batch: Batch,
    out: torch.Tensor,
    *,
    mean: bool = False,
    checked: bool = True,
    config: TileConfig | None = None,
) -> torch.Tensor:
    """Writes the output of a batch.

    Args:
        weights: flat, as the batch's layout says.
        batch: its offsets go from 0 to N and never fall.
        out: contiguous, of the batch's output shape.
        mean: whether sums are divided by the number of lookups; only where bags are pooled.
        checked: whether lookups outside of their table add nothing; else they read what lies there.
        config: how work is cut; by dim if None.
    """
    with device_of(weights, "tbe", "weights"):
        if not batch.shape.pooled:
            _copy(weights, batch, out, checked, config)
        else:
            for group in dim_classes(batch.shape):
                _pool_tile(weights, batch, out, group, mean, checked, config)
    return out


def _pool_tile(weights, batch: Batch, out, group: DimClass, mean: bool, checked: bool, config) -> None:
    config = config or default_tile(group.block, weights.element_size())
    segments = group.segments_on(weights.device)
    blocks = triton.cdiv(group.max_bags, config.trips * config.together)
    programs = blocks * len(group.members) if config.table_major else blocks
    pool_tile[(programs, triton.cdiv(group.max_dim, group.block))](
        *(out, batch.indices, batch.offsets, batch.per_sample_weights, weights, segments, len(group.members), blocks),
        MEAN=mean,
        WEIGHTED=batch.per_sample_weights is not None,
        CHECKED=checked,
        D=group.dim,
        ALIGN=group.align,
        BLOCK=group.block,
        TOGETHER=config.together,
        DEPTH=config.depth,
        TRIPS=config.trips,
        TABLE_MAJOR=config.table_major,
        num_warps=config.warps,
        enable_fp_fusion=True,  # Triton's default, which 3.9 warns about unless it is given
    )


def _copy(weights, batch: Batch, out, checked: bool, config) -> None:
    groups = dim_classes(batch.shape)
    if not groups or not batch.lookups:
        out.zero_()
        return
    (group,) = groups
    config = config or default_tile(group.block, weights.element_size(), pooled=False)
    grid = (triton.cdiv(batch.lookups, config.trips * config.depth), triton.cdiv(group.max_dim, group.block))
    copy_rows[grid](
        *(out, batch.indices, batch.offsets, batch.per_sample_weights, weights, group.segments_on(weights.device)),
        *(len(group.members), batch.lookups),
        WEIGHTED=batch.per_sample_weights is not None,
        CHECKED=checked,
        D=group.dim,
        ALIGN=group.align,
        BLOCK=group.block,
        DEPTH=config.depth,
        TRIPS=config.trips,
        num_warps=config.warps,
        enable_fp_fusion=True,
    )
