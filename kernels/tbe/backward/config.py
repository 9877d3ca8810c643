"""How the backward pass is cut into chunks and tiles."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ArgumentError

__all__ = ["FIXUP_CHUNK", "BackwardConfig", "default_config"]

FIXUP_CHUNK = 64  # sums of cut runs that one program adds up
MIN_CHUNK = 8  # a chunk leaves two sums at most, so that each launch has far fewer of them than the one before
CHUNKS = 8192  # what large batches are cut into: several for each warp of any GPU


@dataclass(frozen=True)
class BackwardConfig:
    """Sizes of the segmented sum.

    Args:
        chunk: lookups, in the order of their rows, whose runs one program sums. The order of sums depends on it.
        rows: of a tile, a power of two: rows that a warp loads at a time.
        warps: of a program, if the kernel is "plain".
        programs: of a launch; each takes every programs-th chunk. None: one for each chunk. Results don't depend on it.

    Raises:
        ArgumentError: a number that the kernel cannot take.
    """

    chunk: int = 256
    rows: int = 8
    warps: int = 1
    programs: int | None = None

    def __post_init__(self):
        if self.chunk < MIN_CHUNK:
            raise ArgumentError(f"BackwardConfig: chunk is {self.chunk}", f"use at least {MIN_CHUNK}")
        for name in ("rows", "warps"):
            value = getattr(self, name)
            if value < 1 or value & (value - 1):
                raise ArgumentError(f"BackwardConfig: {name} is {value}", "use a power of two")
        if self.programs is not None and self.programs < 1:
            raise ArgumentError(f"BackwardConfig: programs is {self.programs}", "use at least 1, or None")


def default_config(lookups: int, block: int) -> BackwardConfig:
    """A configuration by the number of lookups and the width of rows; it doesn't depend on the GPU, nor do the bits."""
    chunk = min(512, max(32, 1 << (lookups // CHUNKS).bit_length()))
    warps = min(16, max(1, block // 512))
    rows = max(2, min(8 if block >= 64 else 32, 1024 * warps // block))
    return BackwardConfig(chunk=chunk, rows=rows, warps=warps)
