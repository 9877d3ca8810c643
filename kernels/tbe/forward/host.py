"""The forward pass on checked lookups: which kernels run, and their launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import triton

from ...errors import ArgumentError
from ...launch import device_facts, device_of
from .classes import DimClass, dim_classes
from .config import HistogramConfig, StreamConfig, TileConfig, default_tile
from .constants import Variant, histogram_constants, rows_constants, stream_constants, tile_constants
from .dispatch import choose
from .histogram import pool_histogram
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
    kernel: str = "auto",
    config: TileConfig | StreamConfig | HistogramConfig | None = None,
) -> torch.Tensor:
    """Writes the output of a batch.

    Args:
        weights: flat, as the batch's layout says.
        batch: its offsets go from 0 to N and never fall.
        out: contiguous, of the batch's output shape.
        mean: whether sums are divided by the number of lookups; only where bags are pooled.
        checked: whether lookups outside of their table add nothing; else they read what lies there.
        kernel: "auto" for the one that suits each class of dims, or "tile", "stream", "histogram" for all of them;
            without pooling there is one only.
        config: of that kernel; by dim if None.

    Raises:
        ArgumentError: a kernel that cannot run for this batch, or another kernel's config.
    """
    asked = _Asked(Variant(mean, batch.per_sample_weights is not None, checked), config)
    with device_of(weights, "tbe", "weights"):
        if not batch.shape.pooled:
            _copy(weights, batch, out, asked)
        else:
            for group in dim_classes(batch.shape):
                _POOL[choose(kernel, group, batch, weights.element_size())](weights, batch, out, group, asked)
    return out


@dataclass(frozen=True)
class _Asked:
    """What a caller says of a launch."""

    variant: Variant
    config: TileConfig | StreamConfig | HistogramConfig | None


def _pool_tile(weights, batch: Batch, out, group: DimClass, asked: _Asked) -> None:
    config = _of_kernel(asked.config, TileConfig) or default_tile(group.block, weights.element_size())
    blocks = triton.cdiv(group.max_bags, config.trips * config.together)
    programs = blocks * len(group.members) if config.table_major else blocks
    pool_tile[(programs, triton.cdiv(group.max_dim, group.block))](
        *(out, batch.indices, batch.offsets, batch.per_sample_weights, weights),
        *(group.segments_on(weights.device), len(group.members), blocks),
        **tile_constants(group, config, asked.variant),
        num_warps=config.warps,
        enable_fp_fusion=True,  # Triton's default, which 3.9 warns about unless it is given
    )


def _pool_stream(weights, batch: Batch, out, group: DimClass, asked: _Asked) -> None:
    from .stream import pool_stream

    config = _of_kernel(asked.config, StreamConfig) or StreamConfig()
    chunks = (batch.lookups + config.bag_cost * group.bags) // config.chunk + len(group.runs)
    programs = min(triton.cdiv(chunks, config.pairs), config.programs * device_facts()["multiprocessor_count"])
    pool_stream[(programs,)](
        *(out, batch.indices, batch.offsets, batch.per_sample_weights, weights),
        *(group.segments_on(weights.device), group.runs_on(weights.device), len(group.members), len(group.runs)),
        **stream_constants(group, config, asked.variant, weights.element_size()),
        num_warps=4,
        maxnreg=config.kernel_registers,
    )


def _pool_histogram(weights, batch: Batch, out, group: DimClass, asked: _Asked) -> None:
    config = _of_kernel(asked.config, HistogramConfig) or HistogramConfig()
    constants = histogram_constants(group, config, asked.variant)
    blocks = triton.cdiv(group.max_bags, config.together)
    pool_histogram[(blocks * len(group.members), triton.cdiv(group.max_dim, constants["BLOCK"]))](
        *(out, batch.indices, batch.offsets, weights, group.segments_on(weights.device), len(group.members), blocks),
        **constants,
        num_warps=config.warps,
        enable_fp_fusion=True,
    )


_POOL = {"tile": _pool_tile, "stream": _pool_stream, "histogram": _pool_histogram}


def _of_kernel(config, kind: type):
    """The config, if it is one of the kernel that runs."""
    if config is not None and not isinstance(config, kind):
        raise ArgumentError(f"tbe: a {type(config).__name__} for a kernel that takes a {kind.__name__}")
    return config


def _copy(weights, batch: Batch, out, asked: _Asked) -> None:
    groups = dim_classes(batch.shape)
    if not groups or not batch.lookups:
        out.zero_()
        return
    (group,) = groups
    config = _of_kernel(asked.config, TileConfig) or default_tile(group.block, weights.element_size(), pooled=False)
    grid = (triton.cdiv(batch.lookups, config.trips * config.depth), triton.cdiv(group.max_dim, group.block))
    copy_rows[grid](
        *(out, batch.indices, batch.offsets, batch.per_sample_weights, weights, group.segments_on(weights.device)),
        *(len(group.members), batch.lookups),
        **rows_constants(group, config, asked.variant),
        num_warps=config.warps,
        enable_fp_fusion=True,
    )
