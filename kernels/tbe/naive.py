"""Pooled lookups as one would first write them in Triton: one program for each bag. The twin of the other kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

if TYPE_CHECKING:
    import torch

    from .layout import Batch

__all__ = ["pool_naive", "pooled_naive"]


@triton.jit
def pool_naive(out, indices, offsets, weights, segments, SEGMENTS, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    """Program (b, s) adds up bag b of segment s, DEPTH rows at a time; rows outside of the table are left out.

    Args:
        out: pooled output.
        indices, offsets: of all bags.
        weights: flat.
        segments: packed, in the order of `SEGMENT_FIELDS`.
        BLOCK: columns of a tile, no fewer than any dim.
    """
    bag, s = tl.program_id(0), tl.program_id(1)
    if bag < tl.load(segments + SEGMENTS + s):
        base = tl.load(segments + 2 * SEGMENTS + s)
        rows = tl.load(segments + 3 * SEGMENTS + s)
        dim = tl.load(segments + 4 * SEGMENTS + s)
        offsets += tl.load(segments + s) + bag
        begin, end = tl.load(offsets), tl.load(offsets + 1)
        columns = tl.arange(0, BLOCK)
        total = tl.zeros((BLOCK,), tl.float32)
        for start in range(begin, end, DEPTH):
            at = start + tl.arange(0, DEPTH)
            index = tl.load(indices + at, mask=at < end, other=-1).to(tl.int64)
            mask = ((index >= 0) & (index < rows))[:, None] & (columns < dim)[None, :]
            tile = tl.load(weights + base + (index * dim)[:, None] + columns[None, :], mask=mask, other=0.0)
            total += tl.sum(tile.to(tl.float32), axis=0)
        place = tl.load(segments + 5 * SEGMENTS + s) + bag * tl.load(segments + 6 * SEGMENTS + s)
        tl.store(out + place + columns, total.to(out.dtype.element_ty), mask=columns < dim)


def pooled_naive(weights: torch.Tensor, batch: Batch, out: torch.Tensor, *, depth: int = 4) -> torch.Tensor:
    """Writes the sums of all bags to `out`, of the batch's output shape.

    Args:
        weights: flat.
        batch: pooled and unweighted, with valid offsets.
        depth: rows that are loaded at a time, a power of two.
    """
    segments = batch.segments
    bags = max(segment.bags for segment in batch.shape.segments)
    if bags:
        pool_naive[(bags, segments.shape[1])](
            *(out, batch.indices, batch.offsets, weights, segments, segments.shape[1]),
            BLOCK=triton.next_power_of_2(max(batch.layout.dims)),
            DEPTH=depth,
            num_warps=1,
            enable_fp_fusion=True,  # Triton's default, which 3.9 warns about unless it is given
        )
    return out
