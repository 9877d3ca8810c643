"""What an op does in the simulator: handlers by MLIR op name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Handler", "elementwise", "handler", "simulates"]

Handler = Callable[..., Any]

_handlers: dict[str, Handler] = {}


def simulates(*names: str) -> Callable[[Handler], Handler]:
    """Registers the decorated function as the meaning of the named ops.

    It is called as `function(group, op, *operand_values)` and returns the result's value, a tuple for several results,
    None for none. A generator function is driven by the scheduler: what it yields, it waits for.

    Raises:
        ValueError: an op has a meaning already.
    """

    def register(function: Handler) -> Handler:
        for name in names:
            if name in _handlers:
                raise ValueError(f"{name} is already simulated by {_handlers[name].__module__}")
            _handlers[name] = function
        return function

    return register


def handler(name: str) -> Handler | None:
    """The meaning of the op of that name, or None if the simulator doesn't know it."""
    return _handlers.get(name)


def elementwise(functions: dict[str, Callable]) -> None:
    """Registers ops whose result depends on the operands' values alone, element by element.

    Args:
        functions: by op name, of arrays or scalars of one dtype per operand. Results that NumPy makes 0-dimensional
            become scalars; overflow, NaN and division by zero are ordinary results.
    """
    for name, function in functions.items():
        simulates(name)(_value_handler(function))


def _value_handler(function: Callable) -> Handler:
    def compute(group, op, *values):
        with np.errstate(all="ignore"):
            result = function(*values)
        return tuple(r[()] for r in result) if isinstance(result, tuple) else result[()]

    return compute
