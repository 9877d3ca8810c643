"""A declared space of configs: every combination of the values of its parameters that a condition allows."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import triton

from .configs import OPTIONS, fingerprint, make_config, plain, text_of, values_of
from .errors import InvalidTuning

__all__ = ["Space"]

TRIES = 1000  # random draws until the condition holds


class Space:
    """All combinations of some values, for `tlx.autotune`.

    Args:
        parameters: the values of each meta-parameter, in an order in which neighbours are alike, such as rising.
        where: takes a combination as a dict and says whether it makes sense; it need not be legal, that is found out.
        start: configs to measure first, such as those known to be good elsewhere; they need not be in the space.
        pre_hook: called with the arguments before each launch, as that of `triton.Config`.
        options: the values of launch options: `num_warps`, `num_stages`, `num_ctas`, `maxnreg`, `ctas_per_cga`.

    Raises:
        InvalidTuning: a parameter without values, or an option that launches don't have.
    """

    def __init__(
        self,
        parameters: Mapping[str, Sequence],
        *,
        where: Callable[[dict[str, Any]], bool] | None = None,
        start: Sequence[triton.Config | Mapping[str, Any]] = (),
        pre_hook: Callable[[dict[str, Any]], Any] | None = None,
        **options: Sequence,
    ):
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise InvalidTuning(f"Space: no launch option {unknown[0]}", hint=f"one of {', '.join(OPTIONS)}")
        self.parameters = {name: tuple(values) for name, values in {**parameters, **options}.items()}
        empty = sorted(name for name, values in self.parameters.items() if not values)
        if empty:
            raise InvalidTuning(f"Space: {empty[0]} has no values")
        self._where = where or (lambda values: True)
        self._pre_hook = pre_hook
        self.start = [c if isinstance(c, triton.Config) else make_config(c, pre_hook) for c in start]

    def __iter__(self) -> Iterator[triton.Config]:
        """All configs, the last parameter changing fastest."""
        for combination in itertools.product(*self.parameters.values()):
            values = dict(zip(self.parameters, combination))
            if self._where(values):
                yield make_config(values, self._pre_hook)

    def sample(self, rng: random.Random) -> triton.Config | None:
        """A random config; None if the condition allows hardly any."""
        for _ in range(TRIES):
            values = {name: rng.choice(choices) for name, choices in self.parameters.items()}
            if self._where(values):
                return make_config(values, self._pre_hook)
        return None

    def neighbours(self, config: triton.Config) -> Iterator[triton.Config]:
        """The configs that differ from one in a single parameter, by one step in its order."""
        own = {name: values_of(config).get(name) for name in self.parameters}
        for name, choices in self.parameters.items():
            if own[name] not in choices:
                continue
            place = choices.index(own[name])
            for other in (place - 1, place + 1):
                values = {**own, name: choices[other]} if 0 <= other < len(choices) else None
                if values and all(v in self.parameters[n] for n, v in values.items()) and self._where(values):
                    yield make_config(values, self._pre_hook)

    def config_of(self, text: str) -> triton.Config:
        """The config of the space that has this text (`text_of`), with its values as they were declared."""
        values = json.loads(text)
        own = {name: next((v for v in vs if plain(v) == values[name]), None) for name, vs in self.parameters.items()}
        return make_config(own, self._pre_hook)

    def describe(self) -> dict[str, Any]:
        """What tells this space from another one; the condition counts by its code."""
        parameters = {name: plain(values) for name, values in self.parameters.items()}
        start = [text_of(config) for config in self.start]
        return {"parameters": parameters, "where": fingerprint(self._where), "start": start}
