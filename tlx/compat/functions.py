"""`triton.jit` for programs that mix kernels of Triton and of TLX: each goes to the compiler that it needs."""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import triton

import tlx

from ..compiler.jit import TLXFunction
from .fork_options import LAUNCH_OPTIONS, drop_ignored
from .modules import ROOT

__all__ = ["CompatFunction", "jit", "uses_tlx"]

STOCK_JIT = triton.jit
UNKNOWN = object()


class CompatFunction(TLXFunction):
    """A function in tlx that takes the launch options of Meta's Triton."""

    def _pack_args(self, backend, kwargs, *rest):
        return super()._pack_args(backend, drop_ignored(f"launch of {self.__name__}", kwargs, LAUNCH_OPTIONS), *rest)


def jit(fn: Callable | None = None, **options):
    """`triton.jit`: functions that use TLX are compiled by tlx, all others as if tlx weren't there.

    Args:
        fn: the function.
        options: what `triton.jit` takes.
    """
    if fn is None:
        return functools.partial(jit, **options)
    return CompatFunction(fn, **options) if uses_tlx(fn) else STOCK_JIT(fn, **options)


def uses_tlx(fn: Any) -> bool:
    """Whether a function names something of TLX, or a function that does.

    A name without a value yet counts where the module has TLX: it may be that of a function further down.
    """
    if not isinstance(fn, FunctionType):
        return False
    return any(
        from_tlx(value) or value is UNKNOWN and any(map(from_tlx, fn.__globals__.values()))
        for value in _named_values(fn)
    )


def from_tlx(value: Any) -> bool:
    """Whether it is the module TLX, something in it, or a function that is compiled by tlx."""
    if isinstance(value, ModuleType):
        return value is tlx or f"{value.__name__}.".startswith(f"{ROOT}.")
    origin = getattr(value, "__module__", None) or ""
    return isinstance(value, TLXFunction) or str(origin).split(".")[0] == tlx.__name__


def _named_values(fn: FunctionType) -> Iterator[Any]:
    """What the names in a function stand for, and the attributes of those that are modules; UNKNOWN if nothing yet."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    builtins = vars(__builtins__) if isinstance(__builtins__, ModuleType) else __builtins__
    value = None
    for instruction in dis.get_instructions(fn):
        name = instruction.argval
        if instruction.opname == "LOAD_GLOBAL":
            value = fn.__globals__.get(name, builtins.get(name, UNKNOWN))
        elif instruction.opname == "LOAD_DEREF" and name in cells:
            value = _content(cells[name])
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
            value = getattr(value, name, None)
        else:
            value = None
            continue
        yield value


def _content(cell) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # of a name that gets its value later
        return UNKNOWN
