"""What an optimizer does to a tile of rows, in registers. The formulas are in `tlx_kernels.tbe.optimizers`."""

import triton
import triton.language as tl


@triton.jit
def rates(lr, corrections, KIND: tl.constexpr):
    """The learning rate and Adam's two corrections of bias, 1 - beta^t.

    Args:
        lr: pointer to a float32 number.
        corrections: pointer to two, read for the optimizers that have moments.
    """
    first, second = 1.0, 1.0
    if KIND == "adam" or KIND == "partial_rowwise_adam" or KIND == "lamb":
        first, second = tl.load(corrections), tl.load(corrections + 1)
    return tl.load(lr), first, second


@triton.jit
def updated_rows(
    w,
    g,
    dim,
    first,
    second,
    rows,
    at,
    ends,
    mask,
    lr,
    correction1,
    correction2,
    eps,
    decay,
    beta1,
    beta2,
    max_norm,
    eta,
    KIND: tl.constexpr,
):
    """The new weights of a tile of rows; the state is updated in memory.

    Args:
        w: [ROWS, BLOCK] float32, zero outside of `mask`, as `g`, the rows' gradients.
        dim: the number of columns of each row, [ROWS] or a scalar.
        first: pointer to the first state: of moments (Adam, LAMB, LARS) or of squares (Adagrad).
        second: pointer to the second state.
        rows: [ROWS] int64, where a row's state lies if it has one number.
        at: [ROWS, BLOCK] int64, where an element's state lies if each has one.
        ends: [ROWS], which rows are updated.
        mask: [ROWS, BLOCK], which elements are.
        correction1: 1 - beta1^t.
        correction2: 1 - beta2^t.
    """
    if KIND == "sgd":
        new = w - lr * g
    elif KIND == "adagrad":
        squares = tl.load(first + at, mask=mask, other=0.0) + g * g
        tl.store(first + at, squares, mask=mask)
        new = w - lr * g / (tl.sqrt(squares) + eps)
    elif KIND == "rowwise_adagrad_none" or KIND == "rowwise_adagrad_l2" or KIND == "rowwise_adagrad_decoupled":
        full = g + decay * w if KIND == "rowwise_adagrad_l2" else g
        squares = tl.load(first + rows, mask=ends, other=0.0) + tl.sum(full * full, axis=1) / dim
        tl.store(first + rows, squares, mask=ends)
        rate = (lr / (tl.sqrt(squares) + eps))[:, None]
        if KIND == "rowwise_adagrad_l2":
            new = (1.0 - rate * decay) * w - rate * g
        elif KIND == "rowwise_adagrad_decoupled":
            new = (1.0 - lr * decay) * w - rate * g
        else:
            new = w - rate * g
        if max_norm > 0:
            norm = tl.sqrt(tl.sum(new * new, axis=1))
            new = new * tl.where(norm > max_norm, max_norm / norm, 1.0)[:, None]
    elif KIND == "lars":
        w_norm, g_norm = tl.sqrt(tl.sum(w * w, axis=1)), tl.sqrt(tl.sum(g * g, axis=1))
        rate = (lr * eta * _ratio(w_norm, g_norm + decay * w_norm))[:, None]
        moment = beta1 * tl.load(first + at, mask=mask, other=0.0) + rate * (g + decay * w)
        tl.store(first + at, moment, mask=mask)
        new = w - moment
    else:
        tl.static_assert(KIND == "adam" or KIND == "partial_rowwise_adam" or KIND == "lamb")
        moment = beta1 * tl.load(first + at, mask=mask, other=0.0) + (1.0 - beta1) * g
        tl.store(first + at, moment, mask=mask)
        if KIND == "partial_rowwise_adam":
            mean = tl.sum(g * g, axis=1) / dim
            squares = beta2 * tl.load(second + rows, mask=ends, other=0.0) + (1.0 - beta2) * mean
            tl.store(second + rows, squares, mask=ends)
            root = tl.sqrt(squares / correction2)[:, None]
        else:
            squares = beta2 * tl.load(second + at, mask=mask, other=0.0) + (1.0 - beta2) * g * g
            tl.store(second + at, squares, mask=mask)
            root = tl.sqrt(squares / correction2)
        step = moment / correction1 / (root + eps) + decay * w
        if KIND == "lamb":
            step = tl.where(mask, step, 0.0)
            w_norm, s_norm = tl.sqrt(tl.sum(w * w, axis=1)), tl.sqrt(tl.sum(step * step, axis=1))
            step = step * _ratio(w_norm, s_norm)[:, None]
        new = w - lr * step
    return new


@triton.jit
def _ratio(a, b):
    """a / b, 0 where b is 0."""
    return tl.where(b > 0, a / b, 0.0)
