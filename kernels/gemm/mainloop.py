"""The loop over K that the warp groups which multiply have in common."""

import triton.language as tl

import tlx


@tlx.jit
def multiply(
    ring,
    use,
    steps,
    consumer: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    A_TRANS: tl.constexpr,
    B_TRANS: tl.constexpr,
):
    """The product of `steps` slots from use number `use` on, and the number of the use behind them.

    Args:
        ring: its slots hold A in `a[consumer]`, ROWS x DEPTH, and B in `b`, DEPTH x COLUMNS; transposed where *_TRANS.
        steps: at least 1.
        DEPTH: how much of K a slot holds.
    """
    acc = tl.zeros((ROWS, COLUMNS), tl.float32)
    for step in tl.range(0, steps):
        slot = ring.wait(use)
        b = tlx.local_reshape(slot.b, (COLUMNS, DEPTH) if B_TRANS else (DEPTH, COLUMNS))
        acc = tlx.async_dot(
            tlx.local_trans(slot.a[consumer]) if A_TRANS else slot.a[consumer],
            tlx.local_trans(b) if B_TRANS else b,
            acc,
        )
        # One MMA stays in flight: the wait completes the one before, so its slot can be refilled.
        acc = tlx.async_dot_wait(1, acc)
        if step > 0:
            ring.release(use - 1)
        use += 1
    acc = tlx.async_dot_wait(0, acc)
    ring.release(use - 1)
    return acc, use
