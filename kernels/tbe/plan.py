"""Everything about a module that never changes, as a text: what the operators of torch are told about it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from . import optimizers
from .layout import BatchShape, TableLayout
from .optimizers import Optimizer
from .specs import BOUNDS, POOLINGS, TableSpec, check_choice

if TYPE_CHECKING:
    import torch

__all__ = ["DTYPES", "Plan"]

DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Plan:
    """What a module does.

    Args:
        layout: of its tables.
        pooling: "sum", "mean" or "none".
        output_dtype: "float32", "float16" or "bfloat16".
        bounds: "fatal", "warn", "ignore" or "none".
        kernel: which forward kernel runs; "auto" for the one that suits a batch.
        optimizer: what the backward pass does to touched rows; None for nothing.
        stochastic_rounding: whether trained weights of 16 bits are rounded by chance.
        max_gradient: what gradients of the output are clamped to on either side, or None.
        seed: of the rounding.

    Raises:
        ArgumentError: a word that is none of the above.
    """

    layout: TableLayout
    pooling: str = "sum"
    output_dtype: str = "float32"
    bounds: str = "warn"
    kernel: str = "auto"
    optimizer: Optimizer | None = None
    stochastic_rounding: bool = False
    max_gradient: float | None = None
    seed: int = 0

    def __post_init__(self):
        check_choice("pooling", self.pooling, POOLINGS)
        check_choice("bounds", self.bounds, BOUNDS)
        check_choice("output_dtype", self.output_dtype, DTYPES)

    @property
    def pooled(self) -> bool:
        """Whether each bag has one row of output."""
        return self.pooling != "none"

    @property
    def checked(self) -> bool:
        """Whether lookups outside of their table are left out."""
        return self.bounds != "none"

    @property
    def torch_dtype(self) -> torch.dtype:
        """Of the output."""
        import torch

        return getattr(torch, self.output_dtype)

    @cached_property
    def text(self) -> str:
        """JSON that `parse` reads."""
        tables = [(spec.rows, spec.dim) for spec in self.layout.tables]
        facts = {"tables": tables, "feature_tables": self.layout.feature_tables}
        names = ("pooling", "output_dtype", "bounds", "kernel", "stochastic_rounding", "max_gradient", "seed")
        facts.update((name, getattr(self, name)) for name in names)
        if self.optimizer is not None:
            facts["optimizer"] = [type(self.optimizer).__name__, asdict(self.optimizer)]
        return json.dumps(facts)

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(text: str) -> Plan:
        """The plan that this is the text of."""
        facts = json.loads(text)
        tables = tuple(TableSpec(*spec) for spec in facts.pop("tables"))
        if "optimizer" in facts:
            name, fields = facts["optimizer"]
            facts["optimizer"] = getattr(optimizers, name)(**fields)
        return Plan(TableLayout(tables, tuple(facts.pop("feature_tables"))), **facts)

    def sizes(self, bags: int, batch_sizes: list[int]) -> int | tuple:
        """Batch sizes as `BatchShape.of` takes them.

        Args:
            bags: of all features.
            batch_sizes: of each feature and rank, feature by feature, in one list; empty if all have the same.
        """
        features = len(self.layout.feature_tables)
        if not batch_sizes:
            return bags // features
        ranks = len(batch_sizes) // features
        return tuple(tuple(batch_sizes[feature * ranks : (feature + 1) * ranks]) for feature in range(features))

    def output_shape(self, lookups: int, bags: int, batch_sizes: list[int]) -> tuple[int, ...]:
        """The shape of an output; numbers may be symbolic where there are no batch sizes."""
        if self.pooled and not batch_sizes:
            return (bags // len(self.layout.feature_tables), self.layout.total_dim)
        if not self.pooled:
            return (lookups, self.layout.dims[0])
        return BatchShape.of(self.layout, self.sizes(bags, batch_sizes), self.pooled).output_shape(lookups)
