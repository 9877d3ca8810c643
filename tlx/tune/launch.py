"""One launch of a tuned kernel: its parameters by name, and what each config makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import triton
from triton.runtime.autotuner import Heuristics
from triton.runtime.jit import JITFunction

from .configs import values_of
from .errors import InvalidTuning
from .work.candidate import Candidate
from .work.reference import unwrap

__all__ = ["TunedLaunch"]


@dataclass(frozen=True)
class TunedLaunch:
    """What a caller passes to a tuned kernel.

    Args:
        function: what is launched: a jitted function, perhaps inside of heuristics.
        arguments: parameters by name.
        options: launch options.
        grid: a tuple, or a function of the parameters.
    """

    function: Any
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    grid: tuple[int, ...] | Callable[[dict[str, Any]], tuple[int, ...]]

    @classmethod
    def of(cls, function: Any, args: tuple, kwargs: Mapping[str, Any], grid: Any) -> TunedLaunch:
        """The launch of `function[grid](*args, **kwargs)`."""
        names = unwrap(function).arg_names
        passed = {**dict(zip(names, args)), **kwargs}
        arguments = {name: passed[name] for name in names if name in passed}
        return cls(function, arguments, {n: v for n, v in passed.items() if n not in arguments}, grid)

    @property
    def kernel(self) -> JITFunction:
        """The jitted function."""
        return unwrap(self.function)

    def candidate(self, number: int, config: triton.Config) -> Candidate:
        """What a config makes of it.

        Raises:
            InvalidTuning: the caller gives a parameter that the config sets.
        """
        given = values_of(config)
        twice = sorted({*self.arguments, *self.options} & config.kwargs.keys())
        if twice:
            what = f"conflicting meta-parameters: the caller gives {', '.join(twice)}, and so does the config"
            raise InvalidTuning(what, hint="leave them to the config")
        everything = {**self.options, **given}
        for heuristics in self._heuristics():
            for name, rule in heuristics.values.items():
                everything[name] = rule({**self.arguments, **everything})
        parameters = set(self.kernel.arg_names)
        values = {name: value for name, value in everything.items() if name in parameters}
        options = {name: value for name, value in everything.items() if name not in parameters}
        return Candidate(number, values, options, self._grid({**values, **options}), config.pre_hook)

    def _heuristics(self):
        function = self.function
        while isinstance(function, Heuristics):
            yield function
            function = function.fn

    def _grid(self, chosen: Mapping[str, Any]) -> tuple[int, ...]:
        if not callable(self.grid):
            return tuple(int(size) for size in self.grid)
        parameters = self.kernel.signature.parameters.values()
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        return tuple(int(size) for size in self.grid({**defaults, **self.arguments, **chosen}))
