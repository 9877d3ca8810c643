"""Grouped matrix product: groups of A's rows, whose sizes only the device knows, each times a matrix of its own."""

from .config import GroupedConfig, default_config
from .host import grouped_matmul
from .reference import reference

__all__ = ["GroupedConfig", "default_config", "grouped_matmul", "reference"]
