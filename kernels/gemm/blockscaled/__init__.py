"""Product of fp8 matrices with a float32 scale for each 1x128 of A and each 128x128 of B."""

from .config import SCALED, BlockScaledConfig, default_config
from .host import matmul_block_scaled
from .reference import reference

__all__ = ["SCALED", "BlockScaledConfig", "default_config", "matmul_block_scaled", "reference"]
