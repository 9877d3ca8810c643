"""The database of tunings: one SQLite file, written by the autotuner, read with `tlx sql`."""

from .errors import DatabaseError, DatabaseSetAside
from .exchange import COMPARISONS, export_text, import_text
from .store import Database, default_path

__all__ = ["COMPARISONS", "Database", "DatabaseError", "DatabaseSetAside", "default_path", "export_text", "import_text"]
