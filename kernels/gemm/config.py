"""How the warp-specialized GEMM is cut into tiles, and what that costs in shared memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import ArgumentError
from ..tma import MAX_BOX

__all__ = ["GemmConfig", "default_config"]

MMA_ROWS = 64  # rows of one wgmma, which a warp group of four warps issues
MBARRIER_BYTES = 8
MAX_STAGES = 4
ITEMSIZE = 2  # of bf16 and fp16 operands


@dataclass(frozen=True)
class GemmConfig:
    """Tile sizes and pipeline depth.

    Args:
        block_m: rows of a tile of C; each consumer takes its share of them.
        block_n: columns of a tile of C.
        block_k: how much of K one stage of the ring holds.
        stages: slots of the ring between the producer and the consumers.
        consumers: warp groups of four warps that multiply.
        group_m: rows of tiles that are walked together, for reuse in L2.

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
        for name in ("stages", "consumers", "group_m"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"GemmConfig: {name} is {getattr(self, name)}", "use at least 1")
        sizes = {"block_m / consumers": self.consumer_rows, "block_n": self.block_n, "block_k": self.block_k}
        for name, size in sizes.items():
            if size & (size - 1) or not 16 <= size <= MAX_BOX:
                raise ArgumentError(f"GemmConfig: {name} is {size}", f"use a power of two from 16 to {MAX_BOX}")
        if self.block_m % (MMA_ROWS * self.consumers):
            what = f"GemmConfig: {self.consumers} consumers cannot share block_m = {self.block_m}"
            raise ArgumentError(what, f"give each consumer a multiple of {MMA_ROWS} rows")

    @property
    def consumer_rows(self) -> int:
        """Rows of C that one consumer computes."""
        return self.block_m // self.consumers

    @property
    def stage_bytes(self) -> int:
        """Bytes of A and B in one slot of the ring."""
        return (self.block_m + self.block_n) * self.block_k * ITEMSIZE

    def shared_bytes(self, out_itemsize: int) -> int:
        """Shared memory that the kernel needs: the ring, the staged tile of C and two barriers a slot.

        Args:
            out_itemsize: bytes of an element of C, or 0 where C is stored through pointers and not staged.
        """
        staged = self.block_m * self.block_n * out_itemsize
        return self.stages * (self.stage_bytes + 2 * MBARRIER_BYTES) + staged

    def fitted(self, out_itemsize: int, limit: int) -> GemmConfig:
        """This configuration with as many stages, up to MAX_STAGES, as `limit` bytes of shared memory hold."""
        staged = replace(self, stages=1).shared_bytes(out_itemsize) - self.stage_bytes - 2 * MBARRIER_BYTES
        fit = (limit - staged) // (self.stage_bytes + 2 * MBARRIER_BYTES)
        return replace(self, stages=max(1, min(MAX_STAGES, fit)))


def default_config(m: int, n: int, *, out_itemsize: int, sms: int, shared_limit: int) -> GemmConfig:
    """A configuration by shape: 128x256, less where that wastes rows or columns or leaves multiprocessors idle.

    Args:
        m: rows of C.
        n: columns of C.
        out_itemsize: bytes of an element of C, or 0 where C is not staged in shared memory.
        sms: streaming multiprocessors of the GPU.
        shared_limit: bytes of shared memory that one program may use.
    """
    block_m, consumers = (MMA_ROWS, 1) if m <= MMA_ROWS else (2 * MMA_ROWS, 2)
    block_n = 256
    while block_n > 64 and (block_n >= 2 * n or 2 * _tiles(m, n, block_m, block_n) <= sms):
        block_n //= 2
    return GemmConfig(block_m, block_n, consumers=consumers).fitted(out_itemsize, shared_limit)


def _tiles(m: int, n: int, block_m: int, block_n: int) -> int:
    return -(-m // block_m) * -(-n // block_n)
