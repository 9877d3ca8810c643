"""Stochastic rounding of float32 to fp16 and bf16, drawn by (row, column, step) and by nothing else.

A weight is rounded up with the probability that makes the rounded value right on average. The draw comes from Philox
(Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) with the row, the column and the step as its
counter, so the same step gives the same weights whatever the grid, the chunks or the order of the rows.
"""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["random_bits", "round_stochastically"]

PHILOX_ROUNDS = tl.constexpr(7)  # the fewest with which Philox4x32 passes BigCrush (the paper's table 2)
COLUMNS_PER_DRAW = tl.constexpr(4)  # one Philox gives four numbers of 32 bits


@triton.jit
def random_bits(seed, rows, step, COLUMNS: tl.constexpr):
    """32 random bits for each element of a tile.

    Args:
        seed: integer of up to 64 bits.
        rows: [ROWS] int64, the global number of each row.
        step: integer scalar.
        COLUMNS: of the tile, a multiple of 4.

    Returns:
        [ROWS, COLUMNS] uint32; columns 4q to 4q + 3 are the four results of one Philox.
    """
    quads = tl.arange(0, COLUMNS // COLUMNS_PER_DRAW)[None, :].to(tl.uint32)
    zeros = quads * 0
    low = (rows & 0xFFFFFFFF).to(tl.uint32)[:, None] + zeros
    high = (rows >> 32).to(tl.uint32)[:, None] + zeros
    step = (step & 0xFFFFFFFF).to(tl.uint32) + low * 0
    a, b, c, d = tl.philox(seed, quads + low * 0, low, high, step, n_rounds=PHILOX_ROUNDS)
    return tl.join(tl.join(a, c), tl.join(b, d)).reshape(low.shape[0], COLUMNS)


@triton.jit
def round_stochastically(x, bits, DTYPE: tl.constexpr):
    """x in DTYPE (fp16 or bf16), up or down by chance; what DTYPE holds exactly, infinities and NaNs stay.

    Args:
        x: float32 tensor.
        bits: uint32 tensor of its shape.
    """
    raw = x.to(tl.uint32, bitcast=True)
    magnitude = raw & 0x7FFFFFFF
    if tl.bfloat16 == DTYPE:
        rounded = _carry(magnitude, bits, 16)
    else:
        normal = _carry(magnitude, bits, 13)
        rounded = tl.where(magnitude < 0x38800000, _subnormal(magnitude, bits), normal)  # 2^-14
    rounded = tl.where(magnitude < 0x7F800000, rounded, magnitude)
    return (rounded | (raw & 0x80000000)).to(tl.float32, bitcast=True).to(DTYPE)


@triton.jit
def _carry(magnitude, bits, DROPPED: tl.constexpr):
    """Random low bits carry into the ones that are kept with the right probability, across powers of two too."""
    LOW: tl.constexpr = (1 << DROPPED) - 1
    return (magnitude + (bits & LOW)) & (0x7FFFFFFF - LOW)


@triton.jit
def _subnormal(magnitude, bits):
    """The same below 2^-14, where fp16 is a grid of 2^-24: the smaller the number, the more bits are dropped."""
    exponent = magnitude >> 23
    mantissa = (magnitude & 0x7FFFFF) | tl.where(exponent > 0, 0x800000, 0).to(tl.uint32)
    dropped = 126 - tl.maximum(exponent, 1)
    kept = tl.minimum(dropped, 31)
    # A draw has 32 bits: of what is dropped beyond 31 bits, less than 2^-31 of a step, nothing is kept.
    mantissa = mantissa >> tl.minimum(dropped - kept, 31)
    units = (mantissa + (bits & ((tl.full(bits.shape, 1, tl.uint32) << kept) - 1))) >> kept
    return (units.to(tl.float32) * 5.9604644775390625e-08).to(tl.uint32, bitcast=True)  # 2^-24
