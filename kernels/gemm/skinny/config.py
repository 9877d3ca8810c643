"""How the skinny GEMM is cut into tiles."""

from __future__ import annotations

from ..splitk.config import StreamKConfig

__all__ = ["default_config"]


def default_config(m: int, *, shared_limit: int) -> StreamKConfig:
    """Tiles of C^T: 128 columns of B by all rows of A, and as many bytes of B under way as shared memory holds.

    Args:
        m: rows of A, at most 64.
        shared_limit: bytes of shared memory that one program may use.
    """
    block_n = 8
    while block_n < m:
        block_n *= 2
    return StreamKConfig(block_m=128, block_n=block_n, consumers=1).fitted(shared_limit)
