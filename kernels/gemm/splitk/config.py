"""How the stream-K GEMM is cut into tiles, and over how many programs their steps are spread."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from ...errors import ArgumentError
from ..blocks import MBARRIER_BYTES, MMA_ROWS, check_counts, check_sizes

__all__ = ["StreamKConfig", "default_config", "pays", "spread"]

ITEMSIZE = 2  # of bf16 and fp16 operands
PART_ITEMSIZE = 4  # of the parts of tiles, float32
LEAST_STEPS = 4  # of K for each program: with fewer, adding parts up costs more than it saves
MAX_STAGES = 12


@dataclass(frozen=True)
class StreamKConfig:
    """Tile sizes, pipeline depth and number of programs.

    Args:
        block_m: rows of a tile of C; each consumer takes its share of them.
        block_n: columns of a tile of C.
        block_k: how much of K one stage of the ring holds.
        stages: slots of the ring between the producer and the consumers.
        consumers: warp groups of four warps that multiply.
        programs: how many share the steps of all tiles; None for `spread`'s choice.

    Raises:
        ArgumentError: a number that the kernel or TMA cannot take.
    """

    block_m: int = 128
    block_n: int = 128
    block_k: int = 64
    stages: int = 4
    consumers: int = 2
    programs: int | None = None

    def __post_init__(self):
        check_counts(self, "stages", "consumers", *(["programs"] if self.programs is not None else []))
        check_sizes(self, {"block_m / consumers": self.consumer_rows, "block_k": self.block_k})
        check_sizes(self, {"block_n": self.block_n}, least=8)
        if self.block_m % (MMA_ROWS * self.consumers):
            what = f"StreamKConfig: {self.consumers} consumers cannot share block_m = {self.block_m}"
            raise ArgumentError(what, f"give each consumer a multiple of {MMA_ROWS} rows")

    @property
    def consumer_rows(self) -> int:
        """Rows of a tile that one consumer computes."""
        return self.block_m // self.consumers

    @property
    def tile(self) -> int:
        """Elements of a tile."""
        return self.block_m * self.block_n

    def fitted(self, limit: int) -> StreamKConfig:
        """This configuration with as many stages, up to MAX_STAGES, as `limit` bytes of shared memory hold."""
        stage = (self.block_m + self.block_n) * self.block_k * ITEMSIZE + 2 * MBARRIER_BYTES
        free = limit - self.tile * PART_ITEMSIZE - 1024  # the compiler turns a part's layout through shared memory
        return replace(self, stages=max(1, min(MAX_STAGES, free // stage)))


@functools.lru_cache(maxsize=4096)
def spread(tiles: int, steps: int, sms: int) -> int:
    """How many programs share the steps of all tiles.

    As many as there are multiprocessors and work for; a tenth less where then each program has whole tiles, or one part
    of one tile.
    """
    most = min(sms, max(1, tiles * steps // LEAST_STEPS))
    even = next(p for p in range(most, 0, -1) if p % tiles == 0 or tiles % p == 0)
    return even if 10 * even >= 9 * most else most


def pays(m: int, n: int, k: int, sms: int) -> bool:
    """Whether stream-K is worth its parts: tiles for less than nine tenths of the multiprocessors, and a long K."""
    tiles = -(-m // 128) * -(-n // 128)
    return 10 * tiles < 9 * sms and k >= 2048


def default_config(m: int, n: int, *, shared_limit: int) -> StreamKConfig:
    """A configuration by the shape of C: 128x128, less where that wastes rows or columns.

    Args:
        m: rows of C.
        n: columns of C.
        shared_limit: bytes of shared memory that one program may use.
    """
    block_m, consumers = (MMA_ROWS, 1) if m <= MMA_ROWS else (2 * MMA_ROWS, 2)
    block_n = 128
    while block_n > 16 and block_n >= 2 * n:
        block_n //= 2
    return StreamKConfig(block_m, block_n, consumers=consumers).fitted(shared_limit)
