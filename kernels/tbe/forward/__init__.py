"""Forward: from lookups to the output, by the kernel that suits them."""

from .config import HistogramConfig, StreamConfig, TileConfig
from .host import forward

__all__ = ["HistogramConfig", "StreamConfig", "TileConfig", "forward"]
