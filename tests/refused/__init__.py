"""Small kernels that tlx refuses, each with the line that is to blame, by concept.

`docs/errors.md` shows the first one of each class.
"""

from . import (
    aliases,
    arguments,
    blackwell,
    clusters,
    control,
    copies,
    engine_copies,
    layouts,
    memory,
    mma,
    rings,
    tasks,
    utility,
    views,
)
from .case import CASES, MARK, Refused

__all__ = [
    "CASES",
    "MARK",
    "Refused",
    "aliases",
    "arguments",
    "blackwell",
    "clusters",
    "control",
    "copies",
    "engine_copies",
    "layouts",
    "memory",
    "mma",
    "rings",
    "tasks",
    "utility",
    "views",
]
