"""Kernel arguments from the command line: `x=fp16[512,64]`, `a=fp16[512,512]@[128,64]`, `n=4`."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from ..errors import TLXError
from ..sim import Array, array

__all__ = ["ArraySpec", "Usage", "add_target", "arguments_of", "grid_of"]

_DTYPES = {
    "i1": "bool",
    **{
        f"{letter}{bits}": f"{name}{bits}" for letter, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)
    },
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
    "bf16": "bfloat16",
    "fp8e4nv": "float8_e4m3fn",
    "fp8e5": "float8_e5m2",
}
_ARRAY = re.compile(r"(?P<dtype>\w+)\[(?P<shape>[\d, ]*)\](?:@\[(?P<block>[\d, ]+)\])?")


class Usage(TLXError):
    """A command that makes no sense."""


@dataclass(frozen=True)
class ArraySpec:
    """An array argument.

    Args:
        dtype: NumPy's or ml_dtypes' name.
        shape: of the array.
        block: of the descriptor through which the kernel reaches it; None for a pointer.
    """

    dtype: str
    shape: tuple[int, ...]
    block: tuple[int, ...] | None = None

    def make(self) -> Array:
        """An array of small whole numbers, the same in every run."""
        numbers = np.random.default_rng(0).integers(0 if self.dtype.startswith(("u", "bool")) else -3, 4, self.shape)
        return array(numbers.astype(getattr(ml_dtypes, self.dtype, self.dtype)))


def arguments_of(specs: Iterable[str], make: Callable[[str, ArraySpec], object]) -> dict[str, object]:
    """Arguments by name.

    Args:
        specs: `NAME=VALUE` each, where VALUE is `DTYPE[SHAPE]`, `DTYPE[SHAPE]@[BLOCK]` or a Python literal.
        make: gives the argument for an array.

    Raises:
        Usage: something else.
    """
    arguments: dict[str, object] = {}
    for spec in specs:
        name, equals, text = spec.partition("=")
        if not equals or not name.isidentifier():
            raise Usage(f"argument {spec!r} is not NAME=VALUE", hint="such as x=fp16[512,64] or n=4")
        value = _value(name, text)
        arguments[name] = make(name, value) if isinstance(value, ArraySpec) else value
    return arguments


def add_target(parser: argparse.ArgumentParser) -> None:
    """Adds what names a kernel, its arguments and its launch to a command's parser."""
    parser.add_argument("target", help="FILE.py::FUNCTION, FILE.py::KERNEL or FILE.ttgir")
    parser.add_argument("--args", nargs="+", default=[], metavar="NAME=VALUE", help="arguments: n=4, x=fp16[64,64]")
    parser.add_argument("--grid", default="1", help="programs along x,y,z")
    parser.add_argument("--num-warps", type=int, help="launch option of a kernel")


def grid_of(text: str) -> tuple[int, ...]:
    """`4,2` as a grid.

    Raises:
        Usage: something else.
    """
    try:
        grid = tuple(map(int, text.split(",")))
    except ValueError:
        grid = ()
    if not 1 <= len(grid) <= 3 or min(grid) < 1:
        raise Usage(f"--grid {text} must be one to three positive numbers", hint="such as 4 or 4,2")
    return grid


def _value(name: str, text: str):
    match = _ARRAY.fullmatch(text)
    if match is None:
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise Usage(
                f"argument {name}: {text!r} is neither an array nor a Python literal",
                hint="arrays are DTYPE[SHAPE] or DTYPE[SHAPE]@[BLOCK], such as bf16[512,512]@[128,64]",
            ) from None
    dtype = _DTYPES.get(match["dtype"], match["dtype"])
    if dtype not in _DTYPES.values():
        raise Usage(f"argument {name}: no dtype {match['dtype']}", hint=f"one of {', '.join(_DTYPES)}")
    return ArraySpec(dtype, _numbers(match["shape"]), _numbers(match["block"]) if match["block"] else None)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number.strip())
