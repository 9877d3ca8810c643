"""Tuning: configs measured in processes of their own, checked, and kept in a database.

`tlx.autotune` chooses the config of a kernel; `Space` declares configs to search, `Grid`, `Random` and `Local` are ways
to do it. Where the results are: `tlx.tune.database`.
"""

from .autotuner import Autotuner, autotune
from .database import Database, DatabaseError, DatabaseSetAside
from .errors import InProcess, InvalidTuning, TuningError
from .search import Grid, Local, Random
from .space import Space
from .trial import Trial
from .tuning import Report

__all__ = [
    "Autotuner",
    "Database",
    "DatabaseError",
    "DatabaseSetAside",
    "Grid",
    "InProcess",
    "InvalidTuning",
    "Local",
    "Random",
    "Report",
    "Space",
    "Trial",
    "TuningError",
    "autotune",
]
