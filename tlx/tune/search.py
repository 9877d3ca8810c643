"""Ways to search a space: each proposes batches of configs, knowing what came of those before."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Protocol

import triton

from .configs import text_of
from .errors import InvalidTuning
from .space import Space

__all__ = ["Grid", "Local", "Random", "Search"]

BATCH = 64  # configs that are compiled together and measured in turns
KEPT = 3  # configs whose neighbours a local search looks at

Results = Mapping[str, float | None]
"""By config text: the median, or None where it was rejected."""


class Search(Protocol):
    """A way to search: a dataclass, whose fields tell it from another."""

    def propose(self, space: Space, results: Results) -> Iterator[list[triton.Config]]:
        """Batches of configs; `results` has grown by the last batch when the next one is asked for."""


@dataclass(frozen=True)
class Grid:
    """Every config of the space, the starting ones first."""

    def propose(self, space: Space, results: Results) -> Iterator[list[triton.Config]]:
        """The space in batches."""
        return _batches(_unique([*space.start, *space]))


@dataclass(frozen=True)
class Random:
    """Configs drawn at random, after the starting ones.

    Args:
        trials: how many, starting ones included.
        seed: of the draws.
    """

    trials: int = 256
    seed: int = 0

    def propose(self, space: Space, results: Results) -> Iterator[list[triton.Config]]:
        """The draws in batches."""
        return _batches(islice(_unique([*space.start], _draws(space, self.seed)), self.trials))


@dataclass(frozen=True)
class Local:
    """From the starting configs and a few random ones, steps to neighbours of the best, until none is better.

    Where no neighbour is left to try, random configs are, until all trials are used up.

    Args:
        trials: how many configs at most.
        seed: of the random ones.
    """

    trials: int = 256
    seed: int = 0

    def propose(self, space: Space, results: Results) -> Iterator[list[triton.Config]]:
        """The first batch, then neighbours of the best so far."""
        known: dict[str, triton.Config] = {}
        draws = _unique(_draws(space, self.seed))
        batch = list(islice(_unique(space.start, draws), BATCH // 2))
        while batch and len(known) < self.trials:
            batch = batch[: self.trials - len(known)]
            known.update((text_of(config), config) for config in batch)
            yield batch
            timed = sorted((results[text], text) for text in known if results.get(text) is not None)
            near = (step for _, text in timed[:KEPT] for step in space.neighbours(known[text]))
            batch = [config for config in _unique(near) if text_of(config) not in known][:BATCH]
            batch = batch or [c for c in islice(draws, BATCH) if text_of(c) not in known]


NAMES = {"grid": Grid, "random": Random, "local": Local}


def search_of(wish: str | Search | None) -> Search:
    """The search of that name; local search where there is no wish.

    Raises:
        InvalidTuning: there is none of that name.
    """
    if wish is None:
        return Local()
    if isinstance(wish, str):
        if wish not in NAMES:
            raise InvalidTuning(f"search: no way named {wish!r}", hint=f"one of {', '.join(NAMES)}")
        return NAMES[wish]()
    return wish


def describe(search: Search) -> dict[str, Any]:
    """What tells this search from another one."""
    return {"name": type(search).__name__.lower(), **asdict(search)}


def _draws(space: Space, seed: int) -> Iterator[triton.Config]:
    """Random configs, until only those come that came before."""
    rng, seen, misses = random.Random(seed), set(), 0
    while misses < 100 and (config := space.sample(rng)) is not None:
        misses = misses + 1 if text_of(config) in seen else 0
        seen.add(text_of(config))
        yield config


def _unique(*sources: Iterable[triton.Config]) -> Iterator[triton.Config]:
    seen = set()
    for source in sources:
        for config in source:
            if text_of(config) not in seen:
                seen.add(text_of(config))
                yield config


def _batches(configs: Iterable[triton.Config]) -> Iterator[list[triton.Config]]:
    configs = iter(configs)
    while batch := list(islice(configs, BATCH)):
        yield batch
