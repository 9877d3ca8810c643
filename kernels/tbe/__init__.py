"""Table-batched embeddings: many tables looked up in one launch, and trained in the backward pass."""

from typing import Any

from .errors import BadLookupWarning, BadOffsets, IndexOutOfTable
from .optimizers import LAMB, LARS, SGD, Adagrad, Adam, PartialRowWiseAdam, RowWiseAdagrad
from .reference import reference
from .specs import TableSpec

__all__ = [
    "LAMB",
    "LARS",
    "SGD",
    "Adagrad",
    "Adam",
    "BadLookupWarning",
    "BadOffsets",
    "IndexOutOfTable",
    "PartialRowWiseAdam",
    "RowWiseAdagrad",
    "TableBatchedEmbedding",
    "TableSpec",
    "reference",
]


def __getattr__(name: str) -> Any:
    """The module is imported where it is asked for: the kernels compile without torch."""
    if name == "TableBatchedEmbedding":
        from .module import TableBatchedEmbedding

        return TableBatchedEmbedding
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
