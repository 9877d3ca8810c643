"""Code that TTGIR carries as text only: libdevice calls and inline PTX, with the Python meaning somebody gave it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...language.fences import MEMORY_FENCES
from ..errors import UnknownFunction
from ..rounding import tf32_nearest_away
from ..values import dtype_of, shape_of
from .registry import simulates

_meanings: dict[str, Callable] = {}
_group_meanings: dict[str, Callable] = {}


def device_function(*spellings: str) -> Callable[[Callable], Callable]:
    """Gives libdevice symbols or inline PTX a meaning in the simulator.

    The decorated function gets the operands as NumPy arrays (scalars for scalars), elementwise and unpacked, and
    returns the result, or a tuple for several, which is converted to the result's type.

    Args:
        spellings: `__nv_expf`, or the PTX text given to `tl.inline_asm_elementwise`; white space doesn't matter.

    Example:
        @device_function("ex2.approx.ftz.f32 $0, $1;")
        def exp2(x):
            return numpy.exp2(x)
    """

    def register(function: Callable) -> Callable:
        _meanings.update({_normal(spelling): function for spelling in spellings})
        return function

    return register


def group_ptx(text: str) -> Callable:
    """Registers the meaning of inline PTX that acts on barriers or memory; it is called as an op's meaning is."""

    def register(function: Callable) -> Callable:
        _group_meanings[text] = function
        return function

    return register


def _normal(text: str) -> str:
    return " ".join(text.split()).rstrip("; ")


@simulates("tt.extern_elementwise")
def extern_elementwise(group, op, *values):
    """Calls the meaning of a libdevice symbol."""
    return _call(group, op, "libdevice function", op.attributes["symbol"], values)


@simulates("tt.elementwise_inline_asm")
def elementwise_inline_asm(group, op, *values):
    """Calls the meaning of inline PTX."""
    text = op.attributes["asm_string"]
    if text in _group_meanings:
        return _group_meanings[text](group, op, *values)
    if text in MEMORY_FENCES.values():
        group.cta.observer.memory_fence(group, op)
    return _call(group, op, "inline PTX", text, values)


def _call(group, op, kind: str, text: str, values):
    function = _meanings.get(_normal(text))
    if function is None:
        raise UnknownFunction(
            f"{kind} has no meaning in the simulator: {_normal(text)}",
            hint="give it one with tlx.sim.device_function",
            location=op.location,
        )
    with np.errstate(all="ignore"):
        results = function(*values)
    results = results if isinstance(results, tuple) else (results,)
    typed = [np.asarray(v).astype(dtype_of(r.type)).reshape(shape_of(r.type))[()] for v, r in zip(results, op.results)]
    return typed[0] if len(typed) == 1 else tuple(typed)


# Triton writes this one itself, for input_precision="tf32x3".
device_function("cvt.rna.tf32.f32 $0, $1;")(lambda value: tf32_nearest_away(value.view(np.float32)).view(value.dtype))

# `tlx.fence`: simulated global memory is one memory, in which accesses are never reordered. `$0` is a dummy result.
device_function(*MEMORY_FENCES.values())(lambda: 0)
