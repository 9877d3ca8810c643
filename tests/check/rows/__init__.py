"""Kinds of mistakes from the log of real reports, each a kernel: see `row.py`."""

from . import clusters, hangs, memory, overwrites
from .row import ROWS, Row

__all__ = ["ROWS", "Row", "clusters", "hangs", "memory", "overwrites"]
