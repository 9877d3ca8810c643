"""Forward: from lookups to the output, by the kernel that suits them."""

from .config import TileConfig
from .host import forward

__all__ = ["TileConfig", "forward"]
