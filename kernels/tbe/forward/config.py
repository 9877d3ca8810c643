"""What can be chosen about the forward kernels, and what is chosen where nobody says."""

from __future__ import annotations

from dataclasses import dataclass

import tlx

from ...errors import ArgumentError

__all__ = ["HistogramConfig", "StreamConfig", "TileConfig", "default_tile"]

WARP = 32
LEAST_REGISTERS = 24  # of a thread: PTX ISA, setmaxnreg
EXACT_COUNT = 256  # the counts up to which bfloat16 holds all
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
        check_powers(self, "together", "depth", "warps")
        check_counts(self, "trips")


@dataclass(frozen=True)
class StreamConfig:
    """How `pool_stream` cuts its work.

    Args:
        depth: rows of a stage of the ring, a power of two; 0 for stages of 4 KiB.
        stages: of each pair's ring.
        pairs: of warps in a program.
        chunk: cost of the bags that a pair takes at a time: a unit for each lookup, `bag_cost` for each bag.
        bag_cost: what storing a bag costs, in lookups.
        registers: of each thread of the pairs.
        programs: on a multiprocessor.

    Raises:
        ArgumentError: a number that the kernel can't take.
    """

    depth: int = 0
    stages: int = 4
    pairs: int = 2
    chunk: int = 1024
    bag_cost: int = 2
    registers: int = 88
    programs: int = 4

    def __post_init__(self):
        if self.depth:
            check_powers(self, "depth")
        check_counts(self, "stages", "pairs", "chunk", "bag_cost", "registers", "programs")

    def depth_for(self, block: int, itemsize: int) -> int:
        """Rows of a stage, for that many columns of that many bytes: as many as a warp's lanes cover, at least."""
        lanes, _ = columns_of_lanes(block, itemsize)
        return max(self.depth or TILE_BYTES // (block * itemsize), WARP // lanes, 1)

    @property
    def kernel_registers(self) -> int:
        """The cap on a thread's registers at launch, `maxnreg`: what the pairs ask for, and the least for the others.

        All warps come in groups of four, and the group that has nothing to do keeps 24 registers a thread.
        """
        groups = -(-2 * self.pairs // 4)
        return -(-(LEAST_REGISTERS + groups * self.registers) // (1 + groups) // 8) * 8


@dataclass(frozen=True)
class HistogramConfig:
    """How `pool_histogram` cuts its work.

    Args:
        together: bags of a program, a power of two, at least 16.
        depth: lookups of each bag that are counted at a time, a power of two up to 256.
        warps: of a program.

    Raises:
        ArgumentError: a number that the kernel can't take.
    """

    together: int = 16
    depth: int = 64
    warps: int = 4

    def __post_init__(self):
        check_powers(self, "together", "depth", "warps")
        if self.together < 16 or self.depth > EXACT_COUNT:
            what = f"HistogramConfig: together is {self.together}, depth {self.depth}"
            raise ArgumentError(what, f"use at least 16, and at most {EXACT_COUNT}")


def check_powers(config, *names: str) -> None:
    """Raises ArgumentError unless these fields are powers of two."""
    for name in names:
        value = getattr(config, name)
        if value < 1 or value & (value - 1):
            raise ArgumentError(f"{type(config).__name__}: {name} is {value}", "use a power of two")


def check_counts(config, *names: str) -> None:
    """Raises ArgumentError unless these fields are at least 1."""
    for name in names:
        if getattr(config, name) < 1:
            raise ArgumentError(f"{type(config).__name__}: {name} is {getattr(config, name)}", "use at least 1")


def columns_of_lanes(block: int, itemsize: int) -> tuple[int, int]:
    """How many lanes of a warp lie side by side in a row of `block` columns, and the columns of each at a time."""
    vector = min(16 // itemsize, max(1, block // WARP))
    return min(WARP, block // vector), vector


def stage_layout(depth: int, block: int, itemsize: int) -> tlx.layout:
    """Where a warp holds a [depth, block] stage: rows one behind the other in each thread, so that sums stay in it."""
    lanes, vector = columns_of_lanes(block, itemsize)
    rows = WARP // lanes
    threads = [(lanes, vector), (rows, block)]
    values = [(vector, 1), (block // (lanes * vector), lanes * vector), (depth // rows, block * rows)]
    return tlx.layout(shape=(_modes(threads, 0), _modes(values, 0)), stride=(_modes(threads, 1), _modes(values, 1)))


def _modes(modes: list[tuple[int, int]], part: int) -> tuple[int, ...]:
    """Sizes (part 0) or strides (part 1) of the modes that have more than one element."""
    return tuple(mode[part] for mode in modes if mode[0] > 1) or (1 - part,)


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
