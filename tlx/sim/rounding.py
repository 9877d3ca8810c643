"""Rounding to the floats that NumPy doesn't round to exactly: bf16, fp16, fp8, tf32, and the fused multiply-add."""

from __future__ import annotations

import ml_dtypes
import numpy as np

__all__ = ["fma", "round_nearest", "round_toward_zero", "saturate", "sum_error", "tf32_nearest_away", "tf32_truncate"]

_TF32_DROPPED = 13  # tf32 keeps 10 of float32's 23 mantissa bits


def round_nearest(value, dtype: np.dtype):
    """A float or integer rounded once to `dtype`, ties to even; overflow gives infinity (NaN where there is none)."""
    if dtype.itemsize < 4 and value.dtype.itemsize > 4:
        value = _odd_float32(_odd_float64(value))
    elif dtype.itemsize < 4 and value.dtype.itemsize == 4 and value.dtype.kind in "iu":
        value = _odd_float32(value.astype(np.float64))
    return value.astype(dtype)


def _odd_float64(value):
    # Integers above 2**53 keep what they lose in one sticky bit, so that the final rounding sees on which side of a tie
    # they are. 12 bits below the top are far below any mantissa that this feeds.
    if value.dtype.kind not in "iu":
        return value
    sticky = (value & 0x7FF) != 0
    odd = (value & ~value.dtype.type(0x7FF)) | (sticky.astype(value.dtype) << 11)
    return np.where((value >> 53 == 0) | (value >> 53 == -1), value, odd).astype(np.float64)


def _odd_float32(value):
    """float64 rounded to odd: rounding the outcome again gives what one rounding would have (Boldo, Melquiond 2008)."""
    near = np.asarray(value.astype(np.float32))
    exact = near.astype(np.float64) == value
    even = (near.view(np.int32) & 1) == 0
    other = np.nextafter(near, np.where(value > near, np.inf, -np.inf).astype(np.float32))
    return np.where(~exact & even & ~np.isnan(value), other, near)


def round_toward_zero(value, dtype: np.dtype):
    """A float truncated to a narrower `dtype`; finite values don't become infinite."""
    near = np.asarray(round_nearest(value, dtype))
    bits = near.view(f"u{dtype.itemsize}")
    overshot = np.abs(near.astype(np.float64)) > np.abs(value.astype(np.float64))
    return np.where(overshot, bits - bits.dtype.type(1), bits).view(dtype)


def saturate(value, dtype: np.dtype):
    """Clamps to the finite range of `dtype`, infinities included; NaN stays (PTX `cvt...satfinite`)."""
    largest = value.dtype.type(ml_dtypes.finfo(dtype).max)
    return np.clip(value, -largest, largest)


def tf32_truncate(value):
    """float32 as the tensor cores read it for tf32: the low 13 bits are ignored."""
    return np.where(np.isnan(value), value, _clear_dropped(np.asarray(value).view(np.int32)).view(np.float32))


def tf32_nearest_away(value):
    """float32 rounded to tf32, ties away from zero (PTX `cvt.rna.tf32.f32`)."""
    bits = np.asarray(value).view(np.int32) + np.int32(1 << (_TF32_DROPPED - 1))
    return np.where(np.isfinite(value), _clear_dropped(bits).view(np.float32), value)


def _clear_dropped(bits):
    return bits & np.int32(-1 << _TF32_DROPPED)


def fma(a, b, c):
    """`a * b + c` rounded once.

    Exact up to float32. float64 is summed in twice the precision, so a tie may go wrong when the addends differ by more
    than 2**53.
    """
    dtype = a.dtype
    if dtype == np.float64:
        return _fma64(a, b, c)
    product = a.astype(np.float64) * b.astype(np.float64)  # exact: two mantissas of at most 24 bits
    addend = c.astype(np.float64)
    total = product + addend
    lost = sum_error(product, addend, total)
    # Round to odd in float64, so that rounding to `dtype` is the only rounding.
    even = (np.asarray(total).view(np.int64) & 1) == 0
    other = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
    total = np.where((lost != 0) & even & np.isfinite(total) & np.isfinite(lost), other, total)
    return round_nearest(total, dtype)


def sum_error(a, b, total):
    """What `total = a + b` lost, exactly (Knuth's TwoSum)."""
    part = total - a
    return (a - (total - part)) + (b - part)


def _fma64(a, b, c):
    product = a * b
    total = product + c
    fixed = total + (_product_error(a, b, product) + sum_error(product, c, total))
    return np.where(np.isfinite(fixed), fixed, total)


def _product_error(a, b, product):
    """What `product = a * b` lost (Dekker's TwoProduct)."""
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a):
    scaled = a * np.float64(2**27 + 1)
    high = scaled - (scaled - a)
    return high, a - high
