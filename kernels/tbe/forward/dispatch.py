"""Which forward kernel pools a class of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import ArgumentError
from .classes import MAX_BLOCK, DimClass

if TYPE_CHECKING:
    from ..layout import Batch

__all__ = ["KERNELS", "choose", "obstacle"]

KERNELS = ("auto", "tile", "stream", "histogram")
COPY_BYTES = 4  # the least that cp.async copies
HISTOGRAM_ROWS = 128

# What "auto" takes, first match first: the kernel, and limits on a class: the most rows of a table, the fewest and the
# most lookups of a bag on the average. Nothing is in it that was not measured to win: today the tile kernel is.
CHOICES: tuple[tuple[str, dict[str, float]], ...] = (("tile", {}),)


def choose(kernel: str, group: DimClass, batch: Batch, itemsize: int) -> str:
    """The kernel for a class: the one that was asked for, or for "auto" the first of CHOICES that suits and can run.

    Args:
        kernel: one of KERNELS.
        group: the class.
        batch: of which it is.
        itemsize: bytes of a weight.

    Raises:
        ArgumentError: a kernel that doesn't exist, or cannot run here.
    """
    if kernel not in KERNELS:
        raise ArgumentError(f"tbe: kernel is {kernel!r}", f"use one of {', '.join(map(repr, KERNELS))}")
    if kernel == "auto":
        return next(
            name
            for name, limits in CHOICES
            if _suits(limits, group, batch) and not obstacle(name, group, batch, itemsize)
        )
    reason = obstacle(kernel, group, batch, itemsize)
    if reason:
        raise ArgumentError(f"tbe: kernel {kernel!r} can't run: {reason}", 'use kernel="auto"')
    return kernel


def obstacle(kernel: str, group: DimClass, batch: Batch, itemsize: int) -> str:
    """Why a kernel cannot run for a class; empty if it can."""
    if kernel == "stream":
        if group.align * itemsize < COPY_BYTES:
            return f"rows begin at multiples of {group.align * itemsize} bytes, cp.async copies {COPY_BYTES}"
        if group.max_dim > MAX_BLOCK:
            return f"a row has {group.max_dim} elements, a stage takes {MAX_BLOCK}"
    if kernel == "histogram":
        rows = group.max_rows
        if rows > HISTOGRAM_ROWS:
            return f"a table has {rows} rows, it takes {HISTOGRAM_ROWS}"
        if batch.per_sample_weights is not None:
            return "counts know no per-sample weights"
    return ""


def _suits(limits: dict[str, float], group: DimClass, batch: Batch) -> bool:
    """Whether a class keeps within the limits."""
    length = batch.lookups / max(1, batch.shape.bags)
    return group.max_rows <= limits.get("rows", float("inf")) and limits.get("shortest", 0) <= length <= limits.get(
        "longest", float("inf")
    )
