"""The backward pass: from the gradient of the output to updated tables, and the gradient of the per-sample weights."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import triton

from ...errors import ArgumentError
from ..optimizers import Optimizer
from .classes import WidthClass, align_of, classes_of, segments_on
from .config import FIXUP_CHUNK, BackwardConfig, default_config
from .factors import gradient_of_factors
from .linearize import linearize
from .plain import update_plain
from .sort import sorted_by_key

if TYPE_CHECKING:
    import torch

    from ..layout import Batch, TableLayout

__all__ = ["backward_update"]

LINEARIZE_BLOCK = 512


@dataclass(frozen=True)
class Lookups:
    """What each lookup trains: its row's key, where its gradient lies (in units of `align_of`) and its factor.

    Args:
        keys, sources, factors: [N], the last None where all are 1.
    """

    keys: torch.Tensor
    sources: torch.Tensor
    factors: torch.Tensor | None


def backward_update(
    grad_output: torch.Tensor,
    weights: torch.Tensor,
    state: dict[str, torch.Tensor],
    layout: TableLayout,
    batch: Batch,
    *,
    optimizer: Optimizer | None,
    lr: torch.Tensor,
    step: torch.Tensor,
    pooling: str = "sum",
    max_gradient: float | None = None,
    stochastic_rounding: bool = False,
    seed: int = 0,
    wants_factors: bool = False,
    config: BackwardConfig | None = None,
) -> torch.Tensor | None:
    """Updates each row that was looked up once, by the sum of its gradients; nothing else in the tables changes.

    The same arguments give the same bits, whatever the grid: sums have a fixed order and nothing is added atomically.
    Nothing waits for the device, so a CUDA graph may hold it. Lookups outside of their table train nothing, whatever
    the module's bounds.

    Args:
        grad_output: gradient of the output, in its shape; float32, fp16 or bf16. A copy is made if it isn't contiguous.
        weights: flat, float32, fp16 or bf16.
        state: of the optimizer, by name.
        layout: of the tables.
        batch: the lookups.
        optimizer: what to do with touched rows; None to leave them.
        lr: the learning rate, a float32 number on the device.
        step: an int64 number on the device, 1 at the first update.
        pooling: "sum", "mean" or "none".
        max_gradient: the output's gradient is clamped to it on either side before anything else; None for no clamp.
        stochastic_rounding: whether weights of 16 bits are rounded by chance.
        seed: of the rounding.
        wants_factors: whether the gradient of the per-sample weights is wanted.
        config: sizes; chosen by the batch if None.

    Returns:
        Tensor: [N] float32, the gradient of the per-sample weights, with the weights before the update; None if
        unwanted.

    Raises:
        ArgumentError: a gradient or a state that doesn't fit.
    """
    import torch

    _check(grad_output, weights, state, layout, batch, optimizer)
    found = torch.zeros(batch.lookups, device=weights.device) if wants_factors else None
    if batch.lookups == 0 or batch.shape.bags == 0:
        return found
    grad = grad_output.contiguous()
    mean = pooling == "mean"
    lookups = _linearized(batch, grad, mean)
    if found is not None:
        _write_gradient_of_factors(found, grad, lookups, weights, batch, mean, max_gradient)
    if optimizer is not None:
        ordered = Lookups(*sorted_by_key(lookups.keys, lookups.sources, lookups.factors))
        update = _Update(weights, state, layout, optimizer, lr, step, stochastic_rounding, seed)
        for group in classes_of(layout):
            update.run(group, grad, ordered, max_gradient, config or default_config(batch.lookups, group.block))
    return found


def _linearized(batch: Batch, grad: torch.Tensor, mean: bool) -> Lookups:
    import torch

    n, layout, shape, device = batch.lookups, batch.layout, batch.shape, batch.indices.device
    segments = shape.cached("backward segments", device, lambda: segments_on(shape, device))
    keys = torch.empty(n, dtype=torch.int32 if layout.rows < 2**31 else torch.int64, device=device)
    wide = grad.numel() // align_of(layout) >= 2**31
    sources = torch.empty(n, dtype=torch.int64 if wide else torch.int32, device=device)
    weighted = batch.per_sample_weights is not None
    factors = torch.empty(n, device=device) if mean or weighted else None
    linearize[(triton.cdiv(n, LINEARIZE_BLOCK),)](
        batch.indices,
        batch.offsets,
        batch.per_sample_weights,
        segments,
        keys,
        sources,
        factors,
        n,
        shape.bags,
        segments.shape[1],
        layout.rows,
        POOLED=shape.pooled,
        MEAN=mean,
        WEIGHTED=weighted,
        BLOCK=LINEARIZE_BLOCK,
        num_warps=4,
        enable_fp_fusion=True,
    )
    return Lookups(keys, sources, factors)


def _write_gradient_of_factors(out, grad, lookups, weights, batch, mean, max_gradient) -> None:
    align = align_of(batch.layout)
    if mean:
        # What the bags' lengths do to it, without the per-sample weights.
        inverses = _linearized(replace(batch, per_sample_weights=None), grad, mean).factors
    else:
        inverses = None
    for group in classes_of(batch.layout):
        rows = default_config(batch.lookups, group.block).rows
        gradient_of_factors[(triton.cdiv(batch.lookups, rows),)](
            grad,
            lookups.keys,
            lookups.sources,
            inverses,
            weights,
            _tables(batch.layout, group, weights.device),
            out,
            batch.lookups,
            group.low,
            group.high,
            max_gradient or 0.0,
            MEAN=mean,
            CLIPPED=max_gradient is not None,
            TABLES=len(group.tables),
            D=group.dim,
            ALIGN=align,
            ROWS=rows,
            BLOCK=group.block,
            num_warps=default_config(batch.lookups, group.block).warps,
            enable_fp_fusion=True,
        )


@dataclass(frozen=True)
class _Update:
    """One backward pass: everything that is the same for all classes of tables."""

    weights: torch.Tensor
    state: dict[str, torch.Tensor]
    layout: TableLayout
    optimizer: Optimizer
    lr: torch.Tensor
    step: torch.Tensor
    stochastic_rounding: bool
    seed: int

    def run(
        self, group: WidthClass, grad, lookups: Lookups, max_gradient: float | None, config: BackwardConfig
    ) -> None:
        """Sums and updates the rows of a class: launches over ever fewer sums, until no run is cut."""
        corrections, is_first = self._corrections(), True
        while True:
            n = len(lookups.keys)
            chunks = triton.cdiv(n, config.chunk)
            work = self._workspace(chunks, group.block, lookups.keys.dtype)
            self._launch(group, grad, lookups, work, is_first, corrections, max_gradient, config)
            if chunks == 1:
                return
            grad, lookups, max_gradient = work[0], Lookups(*work[1:], None), None
            config, is_first = replace(config, chunk=FIXUP_CHUNK), False

    def _workspace(self, chunks: int, block: int, key_dtype: torch.dtype):
        import torch

        device = self.weights.device
        return (
            torch.empty(2 * chunks, block, device=device),
            torch.empty(2 * chunks, dtype=key_dtype, device=device),
            torch.empty(2 * chunks, dtype=torch.int64, device=device),
        )

    def _corrections(self) -> torch.Tensor | None:
        """1 - beta^t for both betas of an optimizer with two moments, from float64."""
        import torch

        betas = [getattr(self.optimizer, name, None) for name in ("beta1", "beta2")]
        if None in betas:
            return None
        return torch.stack([1 - beta ** self.step.double() for beta in betas]).float()

    def _launch(self, group, grad, lookups, work, is_first, corrections, max_gradient, config) -> None:
        states = [self.state[name] for name in self.optimizer.states]
        first, second = [*states, None, None][:2]
        stochastic = self.stochastic_rounding and self.weights.element_size() == 2
        chunks = triton.cdiv(len(lookups.keys), config.chunk)
        update_plain[(min(chunks, config.programs or chunks),)](
            grad,
            lookups.keys,
            lookups.sources,
            lookups.factors,
            self.weights,
            first,
            second,
            _tables(self.layout, group, self.weights.device),
            self.lr,
            corrections,
            self.step,
            *work,
            len(lookups.keys),
            group.low,
            group.high,
            self.layout.rows,
            self.seed,
            max_gradient or 0.0,
            **self.optimizer.numbers,
            KIND=self.optimizer.kind,
            WEIGHTED=lookups.factors is not None,
            CLIPPED=max_gradient is not None,
            STOCHASTIC=stochastic,
            SORTED=is_first,
            TABLES=len(group.tables),
            D=group.dim,
            ALIGN=align_of(self.layout),
            CHUNK=config.chunk,
            ROWS=config.rows,
            BLOCK=group.block,
            num_warps=config.warps,
            enable_fp_fusion=True,
        )


@functools.lru_cache(maxsize=256)
def _tables(layout: TableLayout, group: WidthClass, device: torch.device) -> torch.Tensor:
    return group.tables_on(device, align_of(layout))


def _check(grad, weights, state, layout, batch, optimizer) -> None:
    if tuple(grad.shape) != batch.output_shape:
        raise ArgumentError(f"tbe: the gradient is {list(grad.shape)}, the output {list(batch.output_shape)}")
    if weights.numel() != layout.elements:
        raise ArgumentError(f"tbe: {weights.numel()} weights, the tables have {layout.elements}")
    for name, shape in optimizer.states.items() if optimizer is not None else ():
        expected = layout.elements if shape == "element" else layout.rows
        if name not in state or state[name].numel() != expected:
            found = state[name].numel() if name in state else "missing"
            raise ArgumentError(f"tbe: state '{name}' is {found}, it should have {expected} numbers")
    for name, tensor in {"gradient": grad, **state, "indices": batch.indices}.items():
        if tensor.device != weights.device:
            raise ArgumentError(f"tbe: {name} on {tensor.device}, the weights on {weights.device}")
