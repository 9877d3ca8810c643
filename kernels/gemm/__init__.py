"""Dense matrix product C = A @ B for bf16 and fp16, accumulated in float32."""

from .config import GemmConfig, default_config
from .host import Plan, matmul, plan
from .reference import reference

__all__ = ["GemmConfig", "Plan", "default_config", "matmul", "plan", "reference"]
