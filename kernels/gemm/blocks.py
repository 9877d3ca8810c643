"""The limits of a block that TMA moves and wgmma multiplies, asked of a configuration."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..tma import MAX_BOX

__all__ = ["MBARRIER_BYTES", "MMA_ROWS", "check_counts", "check_sizes"]

MMA_ROWS = 64  # rows of one wgmma, which a warp group of four warps issues
MBARRIER_BYTES = 8


def check_counts(config: Any, *names: str) -> None:
    """Raises ArgumentError for a field that is less than 1."""
    for name in names:
        if getattr(config, name) < 1:
            raise ArgumentError(f"{type(config).__name__}: {name} is {getattr(config, name)}", "use at least 1")


def check_sizes(config: Any, sizes: dict[str, int], least: int = 16) -> None:
    """Raises ArgumentError for a size of a block that is no power of two from `least` to TMA's limit."""
    for name, size in sizes.items():
        if size < 1 or size & (size - 1) or not least <= size <= MAX_BOX:
            what = f"{type(config).__name__}: {name} is {size}"
            raise ArgumentError(what, f"use a power of two from {least} to {MAX_BOX}")
