"""The backward pass in float64: what the kernels are checked against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..layout import Batch
from ..optimizers import LAMB, LARS, SGD, Adagrad, Adam, Optimizer, PartialRowWiseAdam, RowWiseAdagrad

if TYPE_CHECKING:
    import torch

__all__ = ["reference_step", "reference_update"]


def reference_update(
    grad: torch.Tensor,
    weights: torch.Tensor,
    state: dict[str, torch.Tensor],
    batch: Batch,
    *,
    optimizer: Optimizer,
    lr: float,
    step: int,
    pooling: str = "sum",
    max_gradient: float | None = None,
) -> torch.Tensor:
    """Updates weights and state in place, table by table; both may be of any type, what is computed is float64.

    Returns:
        Tensor: [N] float64, the gradient of the per-sample weights, with the weights before the update.
    """
    import torch

    layout, flat = batch.layout, grad.double().reshape(-1)
    if max_gradient is not None:
        flat = flat.clamp(-max_gradient, max_gradient)
    factor_gradient = torch.zeros(batch.lookups, dtype=torch.float64, device=grad.device)
    trained = {}
    for segment in batch.shape.segments:
        positions, row, scale, gradient = _lookups_of(segment, batch, flat, pooling)
        table = layout.feature_tables[segment.feature]
        before = _rows_of(weights, layout, table)[row].double()
        factor_gradient[positions] = (before * gradient).sum(1) * scale
        if batch.per_sample_weights is not None:
            scale = scale * batch.per_sample_weights[positions].double()
        trained.setdefault(table, []).append((row, gradient * scale[:, None]))
    for table, parts in trained.items():
        rows, inverse = torch.cat([row for row, _ in parts]).unique(return_inverse=True)
        gradients = torch.cat([gradient for _, gradient in parts])
        sums = gradients.new_zeros(len(rows), gradients.shape[1]).index_add_(0, inverse, gradients)
        _apply(optimizer, weights, state, layout, table, rows, sums, lr, step)
    return factor_gradient


def _lookups_of(segment, batch: Batch, flat, pooling: str):
    """Of those of a segment that train: their positions, rows, what pooling multiplies, and their gradients."""
    import torch

    begins = batch.offsets[segment.first_bag : segment.first_bag + segment.bags + 1].long()
    lengths = begins.diff()
    bag = torch.repeat_interleave(torch.arange(segment.bags, device=flat.device), lengths)
    positions = begins[0] + torch.arange(len(bag), device=flat.device)
    row = batch.indices[positions].long()
    kept = (row >= 0) & (row < segment.rows)
    bag, positions, row = bag[kept], positions[kept], row[kept]
    place = bag if batch.shape.pooled else positions
    columns = torch.arange(segment.dim, device=flat.device)
    gradient = flat[segment.out_base + place[:, None] * segment.out_stride + columns]
    scale = 1 / lengths[bag].double() if pooling == "mean" else torch.ones(len(bag), device=flat.device).double()
    return positions, row, scale, gradient


def _rows_of(flat, layout, table: int):
    """The part [rows, dim] of weights or of a state by element that belongs to a table."""
    start, spec = layout.weights_offsets[table], layout.tables[table]
    return flat[start : start + spec.rows * spec.dim].view(spec.rows, spec.dim)


def _apply(optimizer, weights, state, layout, table, rows, sums, lr, step) -> None:
    parts = {"weights": _rows_of(weights, layout, table)}
    for name, shape in optimizer.states.items():
        if shape == "element":
            parts[name] = _rows_of(state[name], layout, table)
        else:
            parts[name] = state[name][layout.row_bases[table] : layout.row_bases[table + 1]]
    values = {name: part[rows].double() for name, part in parts.items()}
    new = reference_step(optimizer, values.pop("weights"), sums, values, lr, step)
    for name, part in parts.items():
        part[rows] = {**values, "weights": new}[name].to(part.dtype)


def reference_step(optimizer: Optimizer, w, g, state: dict, lr: float, step: int):
    """New rows; `state` gets its new values.

    Args:
        w, g: [rows, D], weights and gradients.
        state: by name, [rows, D] or [rows].
    """
    match optimizer:
        case SGD():
            return w - lr * g
        case Adagrad():
            state["sum"] = state["sum"] + g**2
            return w - lr * g / (state["sum"].sqrt() + optimizer.eps)
        case RowWiseAdagrad():
            return _rowwise_adagrad(optimizer, w, g, state, lr)
        case LARS():
            norm = _norm(g) + optimizer.weight_decay * _norm(w)
            rate = lr * optimizer.eta * _ratio(_norm(w), norm)
            state["first"] = optimizer.momentum * state["first"] + rate * (g + optimizer.weight_decay * w)
            return w - state["first"]
        case Adam():
            return _adam(optimizer, w, g, state, lr, step)
    raise NotImplementedError(type(optimizer).__name__)


def _rowwise_adagrad(optimizer: RowWiseAdagrad, w, g, state, lr):
    decay, mode = optimizer.weight_decay, optimizer.decay_mode
    full = g + decay * w if mode == "l2" else g
    state["sum"] = state["sum"] + (full**2).mean(1)
    rate = (lr / (state["sum"].sqrt() + optimizer.eps))[:, None]
    keep = {"none": 1.0, "l2": 1 - rate * decay, "decoupled": 1 - lr * decay}[mode]
    new = keep * w - rate * g
    if optimizer.max_norm > 0:
        new = new * (optimizer.max_norm / _norm(new)).clamp(max=1.0)
    return new


def _adam(optimizer: Adam, w, g, state, lr, step):
    beta1, beta2 = optimizer.beta1, optimizer.beta2
    state["first"] = beta1 * state["first"] + (1 - beta1) * g
    square = (g**2).mean(1) if isinstance(optimizer, PartialRowWiseAdam) else g**2
    state["second"] = beta2 * state["second"] + (1 - beta2) * square
    second = state["second"].reshape(len(w), -1)
    direction = state["first"] / (1 - beta1**step) / ((second / (1 - beta2**step)).sqrt() + optimizer.eps)
    direction = direction + optimizer.weight_decay * w
    if isinstance(optimizer, LAMB):
        direction = _ratio(_norm(w), _norm(direction)) * direction
    return w - lr * direction


def _norm(x):
    return x.norm(dim=1, keepdim=True)


def _ratio(a, b):
    """a / b, 0 where b is 0."""
    return (a / b).where(b > 0, 0.0)
