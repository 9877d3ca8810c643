"""Backward: from the gradient of the output to updated tables and state, and the gradient of the per-sample weights."""

from .config import BackwardConfig
from .host import backward_update

__all__ = ["BackwardConfig", "backward_update"]
