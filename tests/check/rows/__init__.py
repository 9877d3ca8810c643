"""Kinds of mistakes from the log of real reports, each a kernel: see `row.py`."""

from . import aliases, clusters, hangs, memory, overwrites
from .row import ROWS, Row

__all__ = ["ROWS", "Row", "aliases", "clusters", "hangs", "memory", "overwrites"]
