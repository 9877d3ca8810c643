"""Matrix product with K shared by several programs, for a C of few tiles: stream-K with a fixed order of addition."""

from ..reference import reference
from .config import StreamKConfig, default_config, pays, spread
from .host import matmul_stream_k

__all__ = ["StreamKConfig", "default_config", "matmul_stream_k", "pays", "reference", "spread"]
