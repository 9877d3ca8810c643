"""`TableBatchedEmbedding`: many embedding tables as one module, trained by its own backward pass."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..errors import ArgumentError
from .bounds import Reporter
from .layout import TableLayout
from .ops import check, lookup
from .optimizers import SGD, Optimizer
from .plan import DTYPES, Plan
from .specs import TableSpec

__all__ = ["TableBatchedEmbedding"]


class TableBatchedEmbedding(torch.nn.Module):
    """Embedding tables that are looked up in one call; the backward pass updates the rows that were looked up.

    Args:
        specs: the tables, `TableSpec`s or pairs (rows, dim).
        feature_tables: the number of each feature's table; several features may share one. None: one feature for each
            table.
        pooling: "sum" or "mean" over each bag, or "none": a row for each lookup.
        weight_dtype: float32, float16 or bfloat16.
        output_dtype: likewise; sums are in float32.
        optimizer: what the backward pass does to touched rows; None for weights that are not trained.
        lr: the learning rate, a buffer that `set_learning_rate` changes.
        bounds: what becomes of indices past a table's end and of offsets that fall: "fatal" raises, "warn" counts and
            leaves them out, "ignore" leaves them out, "none" doesn't look. A negative index is no mistake and adds
            nothing.
        stochastic_rounding: whether trained weights of 16 bits are rounded by chance, right on average.
        max_gradient: what gradients of the output are clamped to on either side; None for no clamp.
        seed: of the rounding.
        kernel: the forward kernel: "auto", or "tile", "stream", "histogram", "resident" wherever it can run.
        device: of the weights.

    The weights are `weights`, one flat parameter, and begin uniform within 1 / sqrt(rows) of 0. They have no `.grad`:
    when `backward()` has run, they are trained. Their types stay as given here: `.half()` and the like are refused.

    Raises:
        ArgumentError: an argument that has no meaning.
    """

    def __init__(
        self,
        specs: Sequence[TableSpec | tuple[int, int]],
        *,
        feature_tables: Sequence[int] | None = None,
        pooling: str = "sum",
        weight_dtype: torch.dtype = torch.float32,
        output_dtype: torch.dtype = torch.float32,
        optimizer: Optimizer | None = SGD(),  # noqa: B008 -- frozen
        lr: float = 0.01,
        bounds: str = "warn",
        stochastic_rounding: bool = True,
        max_gradient: float | None = None,
        seed: int = 0,
        kernel: str = "auto",
        device: torch.device | str | None = None,
    ):
        super().__init__()
        tables = [spec if isinstance(spec, TableSpec) else TableSpec(*spec) for spec in specs]
        layout = TableLayout.of(tables, feature_tables)
        self.plan = Plan(
            layout,
            pooling,
            _dtype_name("output_dtype", output_dtype),
            bounds,
            kernel,
            optimizer,
            stochastic_rounding and weight_dtype != torch.float32,
            max_gradient,
            seed,
        )
        _dtype_name("weight_dtype", weight_dtype)
        flat = torch.zeros(layout.elements, dtype=weight_dtype, device=device)
        self.weights = torch.nn.Parameter(flat, requires_grad=optimizer is not None)
        self.register_buffer("lr", torch.tensor(lr, dtype=torch.float32, device=device))
        self.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))
        counts = torch.zeros(len(layout.feature_tables) + 1, dtype=torch.int64, device=device)
        self.register_buffer("bad_counts", counts, persistent=False)
        self._reporter = Reporter()
        states = {}
        if optimizer is not None:
            states = optimizer.new_state(elements=layout.elements, rows=layout.rows, device=self.weights.device)
        self._state_names = tuple(f"state_{name}" for name in states)
        for name, tensor in zip(self._state_names, states.values()):
            self.register_buffer(name, tensor)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new weights, uniform within 1 / sqrt(rows) of 0."""
        with torch.no_grad():
            for table in self.split_embedding_weights():
                table.uniform_(-(table.shape[0] ** -0.5), table.shape[0] ** -0.5)

    def forward(
        self,
        indices: torch.Tensor,
        offsets: torch.Tensor,
        per_sample_weights: torch.Tensor | None = None,
        *,
        batch_sizes: Sequence[int] | Sequence[Sequence[int]] | None = None,
    ) -> torch.Tensor:
        """Looks up a batch.

        Args:
            indices: [N] int32 or int64: all lookups, feature by feature, bag by bag.
            offsets: [bags + 1]: bag g holds the lookups from offsets[g] to offsets[g + 1].
            per_sample_weights: [N], multiplied to the rows; they may require a gradient.
            batch_sizes: bags of each feature, or of each feature and rank; None: all features have the same number.

        Returns:
            Tensor: [B, sum of all dims]; with batch sizes that differ or are given for several ranks one flat vector,
            rank by rank, feature by feature, bag by bag; with pooling "none" [N, dim].

        Raises:
            ArgumentError: a shape, a type or a device that does not fit.
            IndexOutOfTable, BadOffsets: with bounds "fatal".
        """
        sizes = _flat(batch_sizes)
        if self.plan.bounds != "none":
            offsets = check(indices, offsets, self.bad_counts, sizes, self.plan.text)
            if self.plan.bounds == "warn" and not torch.compiler.is_compiling():
                self._reporter.report(self.bad_counts)
        state = [getattr(self, name) for name in self._state_names]
        facts = (indices, offsets, per_sample_weights, sizes, self.plan.text)
        return lookup(self.weights, state, self.lr, self.step, *facts)

    def split_embedding_weights(self) -> list[torch.Tensor]:
        """A view [rows, dim] of each table."""
        return self._by_table(self.weights.detach())

    def split_optimizer_states(self) -> list[dict[str, torch.Tensor]]:
        """For each table the optimizer's states by name, views of [rows, dim] or [rows]."""
        layout, found = self.plan.layout, [{} for _ in self.plan.layout.tables]
        for name in self._state_names:
            state, short = getattr(self, name), name.removeprefix("state_")
            by_element = self.plan.optimizer.states[short] == "element"
            parts = self._by_table(state) if by_element else state.split([spec.rows for spec in layout.tables])
            for table, part in zip(found, parts):
                table[short] = part
        return found

    def set_learning_rate(self, lr: float) -> None:
        """The learning rate of the backward passes from now on; also within a captured CUDA graph."""
        self.lr.fill_(lr)

    def bad_lookups(self) -> dict[str, int]:
        """How many indices of each feature were past the table's end so far, and how many offsets were wrong.

        Counted with bounds "warn"; waits for the device. Names: "feature 3", "offsets"; without those that are 0.
        """
        *features, offsets = self.bad_counts.tolist()
        named = {**{f"feature {number}": count for number, count in enumerate(features)}, "offsets": offsets}
        return {name: count for name, count in named.items() if count}

    def extra_repr(self) -> str:
        layout = self.plan.layout
        dims = sorted(set(layout.dims))
        text = f"{len(layout.tables)} tables, {len(layout.feature_tables)} features, {layout.rows:,} rows, dims {dims}"
        return f"{text}, pooling={self.plan.pooling!r}, {self.weights.dtype}, {self.plan.optimizer}"

    def _by_table(self, flat: torch.Tensor) -> list[torch.Tensor]:
        layout = self.plan.layout
        return [
            flat[start : start + spec.rows * spec.dim].view(spec.rows, spec.dim)
            for start, spec in zip(layout.weights_offsets, layout.tables)
        ]

    def _apply(self, fn, recurse=True):
        """Moves; a conversion would turn the state of the optimizer and the learning rate into 16 bits too."""
        before = self.weights.dtype
        if fn(torch.empty(0, dtype=before, device=self.weights.device)).dtype != before:
            raise ArgumentError(
                f"TableBatchedEmbedding: its types are fixed, the weights are {before}", "make it with weight_dtype="
            )
        return super()._apply(fn, recurse)


def _dtype_name(argument: str, dtype: torch.dtype) -> str:
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise ArgumentError(f"TableBatchedEmbedding: {argument} is {dtype}", f"use one of {', '.join(DTYPES)}")
    return name


def _flat(batch_sizes) -> list[int]:
    """Batch sizes of each feature and rank in one list; empty for None."""
    if batch_sizes is None:
        return []
    return [int(n) for size in batch_sizes for n in (size if isinstance(size, Sequence) else (size,))]
