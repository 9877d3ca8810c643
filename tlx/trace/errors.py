"""What can go wrong when a launch is traced."""

from __future__ import annotations

from ..errors import TLXError

__all__ = ["MatplotlibMissing", "NothingTraced", "UnknownFormat"]


class NothingTraced(TLXError):
    """No launch ran the program that was to be traced."""


class MatplotlibMissing(TLXError):
    """A PNG needs matplotlib, which is not installed."""


class UnknownFormat(TLXError):
    """A trace is saved under a name that says no format."""
