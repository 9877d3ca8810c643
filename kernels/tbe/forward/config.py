"""What can be chosen about the forward kernels, and what is chosen where nobody says."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ArgumentError

__all__ = ["TileConfig", "default_tile"]

TILE_BYTES = 4096  # of one warp's tile in flight: 32 registers of each lane


@dataclass(frozen=True)
class TileConfig:
    """How `pool_tile` and `copy_rows` cut their work.

    Args:
        together: bags in a tile, a power of two; not of `copy_rows`.
        depth: rows in a tile, of each bag, a power of two.
        trips: tiles of bags, or of rows without pooling, that a program works off one by one.
        warps: of a program.
        table_major: whether a program stays in one table; else it goes through all of them for its bags.

    Raises:
        ArgumentError: a number that is no power of two, or below 1.
    """

    together: int = 1
    depth: int = 8
    trips: int = 1
    warps: int = 1
    table_major: bool = True

    def __post_init__(self):
        for name in ("together", "depth", "warps"):
            value = getattr(self, name)
            if value < 1 or value & (value - 1):
                raise ArgumentError(f"TileConfig: {name} is {value}", "use a power of two")
        if self.trips < 1:
            raise ArgumentError(f"TileConfig: trips is {self.trips}", "use at least 1")


def default_tile(block: int, itemsize: int, pooled: bool = True) -> TileConfig:
    """A tile of about 4 KiB, up to eight rows of a bag; of narrow rows several bags.

    Args:
        block: columns of a tile.
        itemsize: bytes of a weight.
        pooled: whether bags are pooled.
    """
    rows = max(1, TILE_BYTES // (block * itemsize))
    warps = max(1, min(8, block // 256))
    if not pooled:
        return TileConfig(depth=min(rows, 64), trips=4, warps=warps)
    depth = min(rows, 8)
    return TileConfig(together=min(max(1, rows // depth), 16), depth=depth, warps=warps)
