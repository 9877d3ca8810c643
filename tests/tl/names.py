"""The public names of the installed Triton's language, who uses them, and why some have no case."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import triton.language as tl
from triton.language.extra import cuda, libdevice
from triton.runtime.jit import JITCallable

from tests.tl.case import MINOR

__all__ = ["public_names", "reason_without_case", "uses"]

TYPE = "a type of the front end: annotations and host code name it"
HOST = "host side"
OTHER_GPU = "a number type of other GPUs"
BLOCK_POINTERS = "block pointers: Triton removed them in 3.9"
GATHER = "needs Blackwell: the TMA of sm_90 has no gather and scatter"

REASONS = {
    "tl.TRITON_MAX_TENSOR_NUMEL": HOST,
    "tl.aggregate_replace": "rebuilds an aggregate, a class of the author's own, on the host's side of a trace",
    "tl.block_type": TYPE,
    "tl.const": "marks a pointer parameter as read-only, in a signature",
    "tl.constexpr_type": TYPE,
    "tl.dtype": TYPE,
    "tl.pi32_t": TYPE,
    "tl.str_to_ty": "reads a signature, host side",
    "tl.tensor": TYPE,
    "tl.tensor_descriptor": TYPE,
    "tl.tensor_descriptor_type": TYPE,
    "tl.tuple": TYPE,
    "tl.tuple_type": TYPE,
    "tl.slice": "what `a[:, None]` passes to the front end",
    "tl.void": TYPE,
    "tl.float8e4b15": "a number type of GPUs before sm_89: Triton refuses it on sm_90",
    "tl.float8e4b8": OTHER_GPU,
    "tl.float8e5b16": OTHER_GPU,
    "tensor_descriptor.block_type": TYPE,
    "tensor_descriptor.gather": GATHER,
    "tensor_descriptor.scatter": GATHER,
    "tensor.sort": "a stub in Triton, which returns None: use tl.sort",
    "libdevice.fast_tanhf": "AMD only",
    "cuda.convert_custom_float8_sm70": "for sm_70",
    "cuda.convert_custom_float8_sm80": "for sm_80",
    "cuda.gdc_launch_dependents": "programmatic dependent launch needs a launch attribute that tlx doesn't set",
    "cuda.gdc_wait": "programmatic dependent launch needs a launch attribute that tlx doesn't set",
}


@lru_cache(maxsize=1)
def public_names() -> tuple[str, ...]:
    """Every public name of `tl`, of tensors and descriptors, of `tl.math`, of libdevice and of `tl.extra.cuda`."""
    return tuple(
        [
            *_members("tl", tl),
            *_members("tensor", tl.tensor),
            *_members("tensor_descriptor", tl.tensor_descriptor),
            *(name for name in _members("math", tl.math) if name.removeprefix("math.") in _public_functions(tl.math)),
            *_members("libdevice", libdevice),
            *_members("cuda", cuda),
        ]
    )


def _members(prefix: str, owner) -> list[str]:
    members = [(name, getattr(owner, name)) for name in dir(owner) if not name.startswith("_")]
    return [f"{prefix}.{name}" for name, value in members if not isinstance(value, types.ModuleType)]


def _public_functions(module) -> set[str]:
    """The functions that a module declares for kernels: what it imports is not its own."""
    functions = {name: value for name, value in vars(module).items() if callable(value)}
    return {name for name, value in functions.items() if getattr(value, "__module__", "") == module.__name__}


def reason_without_case(name: str) -> str | None:
    """Why a name has no case; None if it has one or should have."""
    if name in ("tl.make_block_ptr", "tl.advance", "tensor.advance") and MINOR >= 9:
        return BLOCK_POINTERS
    return REASONS.get(name)


@cache
def uses(function: Callable) -> frozenset[str]:
    """The public names that a case's function uses, its helpers' included."""
    function = inspect.unwrap(function.fn if isinstance(function, JITCallable) else function)
    found = set(_names_in(function))
    for helper in _helpers(function):
        found |= uses(helper)
    return frozenset(found & set(public_names()))


def _helpers(function) -> Iterator[Callable]:
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, JITCallable) and value.fn.__module__.startswith("tests."):
            yield value


OWNERS = {"tl": tl, "libdevice": libdevice, "cuda": cuda}


def _names_in(function) -> Iterator[str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    for node in (node for statement in definition.body for node in ast.walk(statement)):  # not the decorators
        if not isinstance(node, ast.Attribute):
            continue
        owner = ast.unparse(node.value)
        if owner in ("tl", "libdevice", "cuda"):
            yield f"{owner}.{node.attr}"
        elif owner == "tl.math":
            yield f"math.{node.attr}"
        elif owner.startswith("desc"):  # so the cases call them
            yield f"tensor_descriptor.{node.attr}"
        elif not owner.startswith("tl.") or "(" in owner:
            yield f"tensor.{node.attr}"
