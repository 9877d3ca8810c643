"""How the block-scaled fp8 GEMM is cut into tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...errors import ArgumentError
from ..blocks import MBARRIER_BYTES, MMA_ROWS, check_counts, check_sizes

__all__ = ["SCALED", "BlockScaledConfig", "default_config"]

SCALED = 128  # elements of K, and of N of B, that share a scale; how much of K one stage of the ring holds
MAX_STAGES = 8
MAX_CONSUMERS = 3  # each holds its sums twice: those of a block of K, and those of all blocks


@dataclass(frozen=True)
class BlockScaledConfig:
    """Tile sizes and pipeline depth.

    Args:
        block_m: rows of a tile of C, MMA_ROWS for each consumer.
        block_n: columns of a tile of C; at most the 128 that share a scale.
        stages: slots of the ring between the producer and the consumers.
        consumers: warp groups of four warps that multiply.
        group_m: rows of tiles that are walked together, for reuse in L2.

    Raises:
        ArgumentError: a number that the kernel or TMA cannot take.
    """

    block_m: int = 128
    block_n: int = 128
    stages: int = 5
    consumers: int = 2
    group_m: int = 8

    def __post_init__(self):
        check_counts(self, "stages", "consumers", "group_m")
        check_sizes(self, {"block_n": self.block_n})
        if self.block_n > SCALED:
            raise ArgumentError(f"BlockScaledConfig: block_n is {self.block_n}", f"use at most {SCALED}")
        if self.consumers > MAX_CONSUMERS or self.block_m != MMA_ROWS * self.consumers:
            what = f"BlockScaledConfig: {self.consumers} consumers of block_m = {self.block_m}"
            raise ArgumentError(what, f"give each of at most {MAX_CONSUMERS} consumers {MMA_ROWS} rows")

    def fitted(self, out_itemsize: int, limit: int) -> BlockScaledConfig:
        """This configuration with as many stages, up to MAX_STAGES, as `limit` bytes of shared memory hold.

        Args:
            out_itemsize: bytes of an element of C, or 0 where C is stored through pointers and not staged.
            limit: bytes that one program may use.
        """
        stage = (self.block_m + self.block_n) * SCALED + 2 * MBARRIER_BYTES
        scratch = self.block_m * self.block_n * (out_itemsize or 4) + 1024  # staged, or turned for stores by pointers
        return replace(self, stages=max(1, min(MAX_STAGES, (limit - scratch) // stage)))


def default_config(m: int, n: int, *, out_itemsize: int, sms: int, shared_limit: int) -> BlockScaledConfig:
    """A configuration by shape: 128x128, less where that wastes rows or columns or leaves multiprocessors idle.

    Args:
        m: rows of C.
        n: columns of C.
        out_itemsize: bytes of an element of C, or 0 where C is not staged in shared memory.
        sms: streaming multiprocessors of the GPU.
        shared_limit: bytes of shared memory that one program may use.
    """
    consumers = 1 if m <= MMA_ROWS else 2
    block_m, block_n = MMA_ROWS * consumers, SCALED
    while block_n > 32 and (block_n >= 2 * n or 2 * -(-m // block_m) * -(-n // block_n) <= sms):
        block_n //= 2
    return BlockScaledConfig(block_m, block_n, consumers=consumers).fitted(out_itemsize, shared_limit)
