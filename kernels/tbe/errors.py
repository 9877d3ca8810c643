"""What is wrong with the lookups of a batch, as it is raised or warned about."""

from __future__ import annotations

from ..errors import ArgumentError

__all__ = ["BadLookupWarning", "BadOffsets", "IndexOutOfTable"]


class IndexOutOfTable(ArgumentError, IndexError):
    """A lookup names a row that its table doesn't have."""


class BadOffsets(ArgumentError):
    """Offsets fall, or don't go from 0 to the number of lookups."""


class BadLookupWarning(UserWarning):
    """Lookups or offsets were left out because they are wrong."""
