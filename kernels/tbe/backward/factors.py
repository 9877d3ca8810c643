"""The gradient of the per-sample weights: the product of each looked-up row with the gradient of its bag."""

import triton
import triton.language as tl

from .rows import place_of


@triton.jit(do_not_specialize=["N", "LOW", "HIGH"])
def gradient_of_factors(
    grad,
    keys,
    sources,
    inverses,
    weights,
    tables,
    out,
    N,
    LOW,
    HIGH,
    clip,
    MEAN: tl.constexpr,
    CLIPPED: tl.constexpr,
    TABLES: tl.constexpr,
    D: tl.constexpr,
    ALIGN: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """out[k] is the product of row keys[k] and the gradient at sources[k], for keys from LOW to HIGH - 1.

    Args:
        inverses: [N] float32, multiplied to the products if MEAN.
        out: [N] float32; lookups with other keys keep what it holds.
        The others are as in `update_plain`, in the order of the lookups.
    """
    at = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)[None, :]
    key = tl.load(keys + at, mask=at < N, other=-1)
    trained = (key >= LOW) & (key < HIGH)
    source = tl.load(sources + at, mask=trained, other=0).to(tl.int64) * ALIGN
    element, _, dim = place_of(key, trained, tables, TABLES, D, ALIGN)
    mask = trained[:, None] & (columns < (dim if D else dim[:, None]))
    x = tl.load(grad + source[:, None] + columns, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weights + element[:, None] + columns, mask=mask, other=0.0).to(tl.float32)
    if CLIPPED:
        x = tl.minimum(tl.maximum(x, -clip), clip)
    product = tl.sum(x * w, axis=1)
    if MEAN:
        product = product * tl.load(inverses + at, mask=trained, other=0.0)
    tl.store(out + at, product, mask=trained)
