"""Kinds of mistakes from the log of real reports, each a kernel: see `row.py`."""

from . import hangs, memory, overwrites
from .row import ROWS, Row

__all__ = ["ROWS", "Row", "hangs", "memory", "overwrites"]
