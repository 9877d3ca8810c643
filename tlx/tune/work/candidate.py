"""One config made ready to be launched: everything about it that other processes need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Candidate", "Hooks", "arguments_for"]


@dataclass(frozen=True)
class Candidate:
    """One config of one launch.

    Args:
        number: names it.
        values: parameters of the kernel that the config, heuristics or the caller give as plain values.
        options: launch options.
        grid: of the launch.
        pre_hook: of the config.
    """

    number: int
    values: Mapping[str, Any]
    options: Mapping[str, Any]
    grid: tuple[int, ...]
    pre_hook: Callable[[dict], Any] | None = None


@dataclass(frozen=True)
class Hooks:
    """What happens around launches, as `triton.autotune` has it.

    Args:
        reset_to_zero: names of arrays that are zeroed before.
        restore_value: names of arrays that get their contents back before.
        pre_hook: called with all arguments before.
        post_hook: called with all arguments after, and with the exception if there was one.
    """

    reset_to_zero: tuple[str, ...] = ()
    restore_value: tuple[str, ...] = ()
    pre_hook: Callable | None = None
    post_hook: Callable | None = None

    def before(self, passed: dict[str, Any]) -> None:
        """Resets arrays, calls the hook."""
        for name in self.reset_to_zero:
            if passed[name] is not None:
                zero(passed[name])
        if self.pre_hook is not None:
            self.pre_hook(passed)

    def after(self, passed: dict[str, Any], error: Exception | None) -> None:
        """Calls the hook."""
        if self.post_hook is not None:
            self.post_hook(passed, exception=error)


def zero(array: Any) -> None:
    """Zeroes an array."""
    array = getattr(array, "base", array)
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array.values[...] = 0


def arguments_for(candidate: Candidate, arguments: dict[str, Any]) -> dict[str, Any]:
    """The kernel's parameters for a candidate, after its own hook has seen them."""
    passed = {**arguments, **candidate.values}
    if candidate.pre_hook is not None:
        candidate.pre_hook({**passed, **candidate.options})
    return passed
