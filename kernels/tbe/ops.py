"""The operators that torch knows: `torch.ops.tlx_tbe.check`, `lookup` and `update`, with shapes for compilers.

Of the arguments of all of them, `plan` is the text of a `Plan`; `batch_sizes` holds the bags of each feature (and of
each rank of it), or nothing where all features have the same number. `lookup` has a gradient.
"""

import torch
from torch import Tensor

from ..launch import device_of
from .backward import backward_update
from .bounds import checked_batch
from .forward import forward
from .layout import Batch
from .plan import Plan

__all__ = ["check", "lookup", "update"]


def _batch(plan: Plan, indices, offsets, per_sample_weights, batch_sizes) -> Batch:
    sizes = plan.sizes(offsets.numel() - 1, batch_sizes) if batch_sizes else None
    return Batch.of(plan.layout, indices, offsets, per_sample_weights, batch_sizes=sizes, pooled=plan.pooled)


@torch.library.custom_op("tlx_tbe::check", mutates_args=("counts",))
def check(indices: Tensor, offsets: Tensor, counts: Tensor, batch_sizes: list[int], plan: str) -> Tensor:
    """Raises or counts what is wrong with lookups, as `tlx_kernels.tbe.bounds` says.

    Args:
        indices: [N].
        offsets: [bags + 1].
        counts: [features + 1] int64, where "warn" adds what is wrong.

    Returns:
        Tensor: offsets that never fall, of the type of the indices.
    """
    facts = Plan.parse(plan)
    given = _batch(facts, indices, offsets, None, batch_sizes)
    found = checked_batch(given, facts.bounds, counts).offsets
    return found.clone() if found is offsets else found


@check.register_fake
def _(indices, offsets, counts, batch_sizes, plan):
    return torch.empty_like(offsets, dtype=indices.dtype)


@torch.library.custom_op("tlx_tbe::lookup", mutates_args=())
def lookup(
    weights: Tensor,
    state: list[Tensor],
    lr: Tensor,
    step: Tensor,
    indices: Tensor,
    offsets: Tensor,
    per_sample_weights: Tensor | None,
    batch_sizes: list[int],
    plan: str,
) -> Tensor:
    """The output; its gradient trains the weights through `update`.

    Args:
        weights: flat.
        state: of the optimizer, by the order of its `states`.
        lr, step: of the optimizer, float32 and int64 numbers on the device.
        indices: [N].
        offsets: [bags + 1], from 0 to N, never falling.
        per_sample_weights: [N] or None.
    """
    facts = Plan.parse(plan)
    batch = _batch(facts, indices, offsets, per_sample_weights, batch_sizes)
    out = torch.empty(batch.output_shape, dtype=facts.torch_dtype, device=weights.device)
    mean = facts.pooling == "mean"
    return forward(weights, batch, out, mean=mean, checked=facts.checked, kernel=facts.kernel)


@lookup.register_fake
def _(weights, state, lr, step, indices, offsets, per_sample_weights, batch_sizes, plan):
    facts = Plan.parse(plan)
    shape = facts.output_shape(indices.shape[0], offsets.shape[0] - 1, batch_sizes)
    return weights.new_empty(shape, dtype=facts.torch_dtype)


@torch.library.custom_op("tlx_tbe::update", mutates_args=("weights", "state", "step"))
def update(
    grad: Tensor,
    weights: Tensor,
    state: list[Tensor],
    lr: Tensor,
    step: Tensor,
    indices: Tensor,
    offsets: Tensor,
    per_sample_weights: Tensor | None,
    batch_sizes: list[int],
    plan: str,
    trains: bool,
    wants_factors: bool,
) -> Tensor:
    """Trains the rows that were looked up, in place, and counts the step.

    Args:
        grad: of the output.
        trains: whether weights are trained.
        wants_factors: whether the gradient of the per-sample weights is wanted.
        The others are as in `lookup`.

    Returns:
        Tensor: [N] float32, the gradient of the per-sample weights with the weights before the update; else empty.
    """
    facts = Plan.parse(plan)
    optimizer = facts.optimizer if trains else None
    if optimizer is not None:
        step.add_(1)
    with device_of(weights, "tbe", "weights"):
        found = backward_update(
            grad.contiguous(),
            weights,
            dict(zip(optimizer.states, state)) if optimizer is not None else {},
            facts.layout,
            _batch(facts, indices, offsets, per_sample_weights, batch_sizes),
            optimizer=optimizer,
            lr=lr,
            step=step,
            pooling=facts.pooling,
            max_gradient=facts.max_gradient,
            stochastic_rounding=facts.stochastic_rounding,
            seed=facts.seed,
            wants_factors=wants_factors,
        )
    return weights.new_empty(0, dtype=torch.float32) if found is None else found


@update.register_fake
def _(grad, weights, state, lr, step, indices, offsets, per_sample_weights, batch_sizes, plan, trains, wants_factors):
    return weights.new_empty(indices.shape[0] if wants_factors else 0, dtype=torch.float32)


def _save(ctx, inputs, output):
    weights, state, lr, step, indices, offsets, per_sample_weights, batch_sizes, plan = inputs
    # Not saved as inputs of a gradient: a second pass through the module may be trained after the first one has
    # changed the weights.
    ctx.trained = [tensor.detach() for tensor in (weights, *state, lr, step)]
    ctx.trains = weights.requires_grad
    ctx.wants_factors = per_sample_weights is not None and per_sample_weights.requires_grad
    ctx.factors_dtype = None if per_sample_weights is None else per_sample_weights.dtype
    ctx.static = batch_sizes, plan
    ctx.save_for_backward(indices, offsets, per_sample_weights)


def _train(ctx, grad):
    weights, *state, lr, step = ctx.trained
    facts = (*ctx.saved_tensors, *ctx.static, ctx.trains, ctx.wants_factors)
    factors = None
    if ctx.trains or ctx.wants_factors:
        with torch.no_grad():
            factors = update(grad, weights, state, lr, step, *facts)
    factors = factors.to(ctx.factors_dtype) if ctx.wants_factors else None
    return None, [None] * len(state), None, None, None, None, factors, [None] * len(ctx.static[0]), None


lookup.register_autograd(_train, setup_context=_save)
