"""Candidates measured in turns, A B A B, so that drifting clocks meet all alike; what can't win drops out early."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .trial import Trial
from .work.compiling import Rejected

__all__ = ["race"]

ROUNDS = 30
QUALIFYING = 5  # samples before a candidate can be dropped


def race(
    trials: Sequence[Trial],
    measure: Callable[[Trial], float | Rejected],
    numbers: Iterator[int],
    *,
    rounds: int = ROUNDS,
    dropped: Callable[[Trial], None] = lambda trial: None,
    over: Callable[[], bool] = lambda: False,
) -> None:
    """Adds samples to the trials, one each in every round; what fails is rejected.

    After a few rounds, a candidate whose fastest sample is slower than the leader's median can hardly win: it is out.

    Args:
        measure: takes one sample.
        numbers: of the rounds.
        rounds: how many at most.
        dropped: called with each candidate that is measured no more.
        over: whether time is up, asked before each round but the first.
    """
    racing = list(trials)
    for done in range(rounds):
        if not racing or (done and over()):
            break
        number = next(numbers)
        for trial in racing:
            value = measure(trial)
            if isinstance(value, Rejected):
                trial.rejected, trial.samples = value, {}
            else:
                trial.samples[number] = value
        lead = min((trial.median for trial in racing if trial.samples), default=None)
        stay = [t for t in racing if t.samples and (len(t.samples) < QUALIFYING or min(t.samples.values()) <= lead)]
        for trial in racing:
            if trial not in stay:
                dropped(trial)
        racing = stay
    for trial in racing:
        dropped(trial)
