"""How the grouped GEMM is cut into tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...errors import ArgumentError
from ..blocks import MBARRIER_BYTES, MMA_ROWS, check_counts, check_sizes

__all__ = ["GroupedConfig", "default_config"]

ITEMSIZE = 2  # of bf16 and fp16 operands
MAX_STAGES = 6


@dataclass(frozen=True)
class GroupedConfig:
    """Tile sizes and pipeline depth.

    Args:
        block_m: rows of a tile, all of one group; each consumer takes its share of them.
        block_n: columns of a tile.
        block_k: how much of K one stage of the ring holds.
        stages: slots of the ring between the producer and the consumers.
        consumers: warp groups of four warps that multiply.
        group_m: rows of tiles of a group that are walked together, for reuse in L2.

    Raises:
        ArgumentError: a number that the kernel or TMA cannot take.
    """

    block_m: int = 128
    block_n: int = 256
    block_k: int = 64
    stages: int = 3
    consumers: int = 2
    group_m: int = 8

    def __post_init__(self):
        check_counts(self, "stages", "consumers", "group_m")
        check_sizes(self, {"block_m / consumers": self.consumer_rows, "block_n": self.block_n, "block_k": self.block_k})
        if self.block_m % (MMA_ROWS * self.consumers):
            what = f"GroupedConfig: {self.consumers} consumers cannot share block_m = {self.block_m}"
            raise ArgumentError(what, f"give each consumer a multiple of {MMA_ROWS} rows")

    @property
    def consumer_rows(self) -> int:
        """Rows of a tile that one consumer computes."""
        return self.block_m // self.consumers

    @property
    def stage_bytes(self) -> int:
        """Bytes of one slot of the ring, its two barriers included."""
        return (self.block_m + self.block_n) * self.block_k * ITEMSIZE + 2 * MBARRIER_BYTES

    def fitted(self, out_itemsize: int, limit: int) -> GroupedConfig:
        """This configuration with as many stages, up to MAX_STAGES, as `limit` bytes of shared memory hold.

        Args:
            out_itemsize: bytes of an element of C, or 0 where C is stored through pointers and not staged.
            limit: bytes that one program may use.
        """
        scratch = 1024  # of the search for a tile: reductions between the warps of each task
        free = limit - self.block_m * self.block_n * out_itemsize - scratch
        return replace(self, stages=max(1, min(MAX_STAGES, free // self.stage_bytes)))


def default_config(m: int, groups: int, n: int, *, out_itemsize: int, sms: int, shared_limit: int) -> GroupedConfig:
    """A configuration by the mean number of rows of a group, which the host knows without asking the device.

    Args:
        m: rows of all groups together.
        groups: how many there are, at least 1.
        n: columns of C.
        out_itemsize: bytes of an element of C, or 0 where C is not staged in shared memory.
        sms: streaming multiprocessors of the GPU.
        shared_limit: bytes of shared memory that one program may use.
    """
    mean = -(-m // groups)
    block_m, consumers = (MMA_ROWS, 1) if mean <= MMA_ROWS else (2 * MMA_ROWS, 2)
    block_n = 256
    while block_n > 64 and (block_n >= 2 * n or 2 * groups * -(-mean // block_m) * -(-n // block_n) <= sms):
        block_n //= 2
    return GroupedConfig(block_m, block_n, consumers=consumers).fitted(out_itemsize, shared_limit)
