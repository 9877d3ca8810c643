"""Conversions between number types."""

from __future__ import annotations

import numpy as np

from ..pointers import Pointers
from ..rounding import round_nearest, round_toward_zero, saturate
from ..values import dtype_of, signed, unsigned
from .registry import simulates

_FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


@simulates("arith.extf")
def extf(group, op, value):
    """A wider float, exact."""
    return value.astype(dtype_of(op.result.type))


@simulates("arith.truncf", "arith.sitofp")
@np.errstate(all="ignore")
def to_float(group, op, value):
    """A narrower float, or a signed integer as a float: rounded once to nearest even."""
    return round_nearest(signed(value), dtype_of(op.result.type))


@simulates("arith.uitofp")
@np.errstate(all="ignore")
def uitofp(group, op, value):
    """An unsigned integer as a float, rounded once to nearest even."""
    return round_nearest(unsigned(value), dtype_of(op.result.type))


@simulates("tt.fp_to_fp")
@np.errstate(all="ignore")
def fp_to_fp(group, op, value):
    """A conversion to or from fp8, or one with a rounding mode.

    Triton 3.6 to sm_90 was read in PTX: to nearest is `cvt.rn.satfinite`, so fp8 has no overflow and infinities become
    the largest number, e5m2 too; toward zero keeps infinities.
    """
    dtype = dtype_of(op.result.type)
    if op.attributes.get("rounding") == "rtz":
        return round_toward_zero(value, dtype)[()]
    if dtype.itemsize == 1:
        value = saturate(value.astype(np.float32), dtype)
    return round_nearest(value, dtype)


@simulates("ttg.fp4_to_fp")
def fp4_to_fp(group, op, value):
    """Unpacks two e2m1 numbers from each byte along `axis`, the low one first."""
    axis = op.attributes["axis"]
    nibbles = np.stack([value & 15, (value >> 4) & 15], axis + 1)
    shape = value.shape[:axis] + (2 * value.shape[axis],) + value.shape[axis + 1 :]
    return _FP4[nibbles].reshape(shape).astype(dtype_of(op.result.type))


@simulates("arith.fptosi")
def fptosi(group, op, value):
    """A float truncated to a signed integer (see `to_integer`)."""
    return to_integer(value, dtype_of(op.result.type), "i")


@simulates("arith.fptoui")
def fptoui(group, op, value):
    """A float truncated to an unsigned integer (see `to_integer`)."""
    return to_integer(value, dtype_of(op.result.type), "u")


@np.errstate(all="ignore")
def to_integer(value, dtype: np.dtype, sign: str):
    """A float truncated to a signed ("i") or unsigned ("u") integer, held in a dtype of that width.

    PTX `cvt.rzi`: out of range gives the nearest integer in range, NaN gives 0.

    From or to a 64-bit type, NaN gives the top bit alone. There is no 8-bit form: the 16-bit result is cut.
    """
    target = np.dtype(f"{sign}{max(2, dtype.itemsize)}")
    limits = np.iinfo(target)
    wide = np.trunc(value.astype(np.float64))
    result = np.clip(wide, float(limits.min), float(limits.max)).astype(target)
    result = np.where(wide >= float(limits.max), target.type(limits.max), result)  # 2**63 - 1 is no float64
    has_top_bit_nan = value.dtype.itemsize == 8 or target.itemsize == 8
    nan = limits.max // 2 + 1 if sign == "u" else limits.min
    result = np.where(np.isnan(wide), target.type(nan if has_top_bit_nan else 0), result)
    return (result & 1).astype(dtype)[()] if dtype == np.bool_ else result.astype(dtype)[()]


@simulates("arith.extsi", "arith.index_cast")
def extend_signed(group, op, value):
    """A signed integer of another width; cut if that is narrower."""
    return signed(value).astype(dtype_of(op.result.type))


@simulates("arith.extui", "arith.index_castui")
def extend_unsigned(group, op, value):
    """An unsigned integer of another width."""
    return unsigned(value).astype(dtype_of(op.result.type))


@simulates("arith.trunci")
def trunci(group, op, value):
    """The low bits."""
    dtype = dtype_of(op.result.type)
    return (value & 1).astype(dtype) if dtype == np.bool_ else value.astype(dtype)


@simulates("arith.bitcast", "tt.bitcast")
def bitcast(group, op, value):
    """The same bits, or the same pointers, under another type of equal width."""
    return value if isinstance(value, Pointers) else value.view(dtype_of(op.result.type))
