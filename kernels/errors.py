"""The errors that host entries raise before they launch anything."""

from __future__ import annotations

from tlx.errors import TLXError

__all__ = ["ArgumentError"]


class ArgumentError(TLXError, ValueError):
    """An argument that the operation has no meaning for, or that its kernel cannot take."""
