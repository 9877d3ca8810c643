"""What can be wrong with a database."""

from __future__ import annotations

from ...errors import TLXError

__all__ = ["DatabaseError", "DatabaseSetAside"]


class DatabaseError(TLXError):
    """A database that this tlx can't use, a text that is no export of one, or a query that SQLite refuses."""


class DatabaseSetAside(UserWarning):
    """A damaged database was renamed and an empty one takes its place; or none can be written and results are lost."""
