"""Small things that kernels compute at trace time."""

from __future__ import annotations

import triton.language as tl
from triton.language.core import _unwrap_if_constexpr, builtin

from ..compiler.jit import jit
from ..errors import DtypeMismatch
from .arguments import describe

__all__ = ["assume_uniform", "dtype_of", "get_bufidx_phase", "get_fp8_format_name", "size_of"]

FP8_FORMATS = {tl.float8e5: "e5m2", tl.float8e4nv: "e4m3"}


@builtin
def dtype_of(v, _semantic=None):
    """The element type of a tensor, a pointer, a descriptor or a buffer."""
    dtype = getattr(v, "dtype", None)
    if not isinstance(dtype, tl.dtype):
        raise DtypeMismatch(f"dtype_of takes a tensor, pointer, descriptor or buffer, not {describe(v)}")
    return tl.constexpr(dtype.element_ty if dtype.is_ptr() else dtype)


@builtin
def size_of(dtype, _semantic=None):
    """Bytes of one element, a compile-time integer."""
    dtype = _unwrap_if_constexpr(dtype)
    if not isinstance(dtype, tl.dtype):
        raise DtypeMismatch(f"size_of takes an element type, not {describe(dtype)}")
    return tl.constexpr(dtype.primitive_bitwidth // 8)


@builtin
def get_fp8_format_name(dtype, _semantic=None):
    """The name, "e5m2" or "e4m3", of an 8-bit float's format, a compile-time string.

    Raises DtypeMismatch for other types.
    """
    dtype = _unwrap_if_constexpr(dtype)
    if dtype not in FP8_FORMATS:
        raise DtypeMismatch(
            f"get_fp8_format_name takes {' or '.join(map(str, FP8_FORMATS))}, not {describe(dtype)}",
            hint="for a tensor, pass tlx.dtype_of(x)",
        )
    return tl.constexpr(FP8_FORMATS[dtype])


@builtin
def assume_uniform(value, _semantic=None):
    """The value; on AMD it promises that all lanes have the same."""
    return value


@jit
def get_bufidx_phase(accum_cnt, NUM_BUFFERS: tl.constexpr):
    """Slot and phase of the `accum_cnt`-th use of a ring: `(count % num, (count // num) & 1)`."""
    return accum_cnt % NUM_BUFFERS, (accum_cnt // NUM_BUFFERS) & 1
