"""One tuning, from proposals to the fastest right config: prune, compile, check, measure in turns, write down."""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import triton

from .configs import fingerprint, text_of, values_of
from .errors import InvalidTuning, TuningError
from .facts import simulated
from .lab import Lab, Limits, Rules
from .launch import TunedLaunch
from .progress import Bar, progress
from .records import Records
from .rounds import ROUNDS, race
from .search import BATCH, Search, describe
from .space import Space
from .trial import Trial
from .work.candidate import Candidate, Hooks
from .work.compiling import Compiled, Rejected, first_line

__all__ = ["Plan", "Report", "Tuning"]

LISTED = 40  # rejected configs that an error lists one by one
LOG = logging.getLogger("tlx.tune")


@dataclass(frozen=True)
class Plan:
    """How a kernel is tuned.

    Args:
        configs: a list, or a space.
        search: of a space.
        prune: takes a config and all arguments, returns why it is out, or nothing.
        rules, limits, hooks: of the lab.
        budget: seconds for all of it; None for no limit.
    """

    configs: Sequence[triton.Config] | Space
    search: Search
    prune: Callable[[triton.Config, dict[str, Any]], str | None] | None = None
    rules: Rules = field(default_factory=Rules)
    limits: Limits = field(default_factory=Limits)
    hooks: Hooks = field(default_factory=Hooks)
    budget: float | None = None

    @property
    def reference(self) -> str:
        """What outputs are compared with, as trials have it."""
        how = "first config" if self.rules.check is None else f"check {_hash(fingerprint(self.rules.check))[:12]}"
        return how if self.rules.tolerance is None else f"{how} within {self.rules.tolerance:g}"

    def proposals(self, results: dict[str, float | None]) -> Iterator[list[triton.Config]]:
        """Batches of configs."""
        if isinstance(self.configs, Space):
            return self.search.propose(self.configs, results)
        unique = list({text_of(config): config for config in self.configs}.values())
        return (unique[i : i + BATCH] for i in range(0, len(unique), BATCH))

    def request(self) -> str:
        """A hash of what is asked: which configs, pruned and checked how, and what time each may take."""
        if isinstance(self.configs, Space):
            configs: Any = [self.configs.describe(), describe(self.search)]
        else:
            configs = [text_of(config) for config in self.configs]
        return _hash([configs, fingerprint(self.prune), self.reference, self.limits.caps()])

    def search_name(self) -> str:
        """For the database."""
        return json.dumps(describe(self.search)) if isinstance(self.configs, Space) else "list"


def _reasons(rejected: list[Trial]) -> list[str]:
    """A line for each config; of many, one for each reason, with its first config."""
    if len(rejected) <= LISTED:
        return [f"  {trial}" for trial in rejected]
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in rejected:
        groups.setdefault((trial.rejected.stage, first_line(trial.rejected.reason)), []).append(trial)
    return [f"  {len(trials)} of them, such as {trials[0]}" for trials in groups.values()]


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


@dataclass(frozen=True)
class Report:
    """What a tuning found.

    Args:
        best: the fastest right config.
        trials: of every config that was looked at, in this tuning or before.
        measured: how many were measured in this one.
        seconds: that it took.
        ended: complete or budget.
    """

    best: triton.Config
    trials: tuple[Trial, ...]
    measured: int
    seconds: float
    ended: str

    @property
    def rejected(self) -> tuple[Trial, ...]:
        """The configs that are out, with their reasons."""
        return tuple(trial for trial in self.trials if trial.rejected)


class Tuning:
    """One tuning of one launch.

    Args:
        launch: what the caller launches.
        plan: how it is tuned.
        records: of earlier tunings, and of this one.
    """

    def __init__(self, launch: TunedLaunch, plan: Plan, records: Records):
        self._launch, self._plan, self._records = launch, plan, records
        self._begun = time.monotonic()
        self._trials: dict[str, Trial] = {}
        self._results: dict[str, float | None] = {}
        self._candidates: dict[str, Candidate] = {}
        self._numbers, self._rounds = itertools.count(), itertools.count()
        self._measured: list[Trial] = []
        self._lab: Lab
        self._bar: Bar

    def run(self) -> Report:
        """Tunes.

        Raises:
            TuningError: no config can be used.
            KeyboardInterrupt: as it came, after what is known was written down.
        """
        plan, ended, best = self._plan, "interrupted", None
        self._records.begin(plan.request(), plan.search_name(), plan.budget)
        lab = Lab(self._launch, plan.hooks, plan.rules, plan.limits)
        with closing(lab), progress(self._launch.kernel.fn.__qualname__) as bar:
            self._lab, self._bar = lab, bar
            try:
                complete = self._batches()
                best = self._best()
                ended = "failed" if best is None else "complete" if complete else "budget"
            finally:
                self._records.end(ended, self._seconds(), best.config if best else None)
        if best is None:
            raise self._all_rejected()
        trials = tuple(trial for trial in self._trials.values() if trial.rejected or trial.samples)
        return Report(best.config, trials, len(self._measured), self._seconds(), ended)

    def _batches(self) -> bool:
        """All batches; whether time was left for all."""
        for batch in self._plan.proposals(self._results):
            self._batch(batch)
            if self._over():
                return False
        return True

    def _seconds(self) -> float:
        return time.monotonic() - self._begun

    def _over(self) -> bool:
        return self._plan.budget is not None and self._seconds() >= self._plan.budget

    def _best(self) -> Trial | None:
        timed = [trial for trial in self._trials.values() if trial.median is not None]
        return min(timed, key=lambda trial: (trial.median, trial.text), default=None)

    # --- one batch ---

    def _batch(self, configs: list[triton.Config]) -> None:
        found = self._records.known(configs, self._plan.reference, self._plan.limits.caps())
        known = {trial.text: trial for trial in found}
        batch = [known.get(text_of(config)) or Trial(config) for config in configs]
        self._trials.update((trial.text, trial) for trial in batch)
        fresh = [trial for trial in batch if trial.text not in known]
        leader = self._best()
        ready = self._compile(self._prepare(fresh))
        if ready:
            self._compare_with(leader)
            ready = self._check(ready)
            self._race(ready, leader)
        self._results.update((trial.text, trial.median) for trial in batch)

    def _prepare(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        """Those that are neither pruned nor impossible to launch."""
        for trial in trials:
            reason = self._reason_to_prune(trial.config) or self._make_candidate(trial)
            if reason:
                self._reject(trial, Rejected("prune", reason))
            else:
                yield trial

    def _make_candidate(self, trial: Trial) -> str:
        """Makes the trial's candidate; why there is none, where the user's grid or heuristics fail."""
        try:
            self._candidates[trial.text] = self._launch.candidate(next(self._numbers), trial.config)
        except InvalidTuning:
            raise
        except Exception as error:
            return f"grid: {type(error).__name__}: {error}"
        return ""

    def _reason_to_prune(self, config: triton.Config) -> str | None:
        if self._plan.prune is None:
            return None
        return self._plan.prune(config, {**self._launch.arguments, **values_of(config)}) or None

    def _compile(self, trials: Iterable[Trial]) -> list[Trial]:
        """Those that compile and that static checks find nothing wrong with."""
        by_number = {self._candidates[trial.text].number: trial for trial in trials}
        if not by_number:
            return []
        self._bar.begin("compiling", len(by_number))

        def done(candidate: Candidate, result: Compiled | Rejected) -> None:
            trial = by_number[candidate.number]
            self._bar.advance()
            if isinstance(result, Rejected):
                self._reject(trial, result)
            else:
                trial.compiled = result

        def enough() -> bool:
            return self._over() and (self._best() is not None or any(trial.compiled for trial in by_number.values()))

        self._lab.compile([self._candidates[trial.text] for trial in by_number.values()], done, enough)
        return [trial for trial in by_number.values() if trial.compiled]

    def _compare_with(self, leader: Trial | None) -> None:
        """Makes the leader's outputs those that others must equal, if nothing else says what is right."""
        if leader is None or self._plan.rules.check is not None or leader.text in self._candidates:
            return
        candidate = self._candidates[leader.text] = self._launch.candidate(next(self._numbers), leader.config)
        self._lab.compile([candidate], lambda candidate, result: None)
        self._lab.check(candidate)

    def _check(self, trials: list[Trial]) -> list[Trial]:
        """Those whose outputs are right."""
        self._bar.begin("checking", len(trials))
        for trial in trials:
            result = self._lab.check(self._candidates[trial.text])
            self._bar.advance()
            trial.reference = self._plan.reference
            if isinstance(result, Rejected):
                self._reject(trial, result)
            else:
                trial.error = result.error
            if self._over() and (self._best() or not trial.rejected):
                break
        return [trial for trial in trials if trial.reference and not trial.rejected]

    def _race(self, trials: list[Trial], leader: Trial | None) -> None:
        """Measures them, and the leader beside them, in turns."""
        racing = trials
        if leader is not None and leader in self._measured and leader.text in self._candidates and not simulated():
            racing = [leader, *trials]
        rounds = 1 if simulated() else ROUNDS  # executed ops are the same each time
        self._bar.begin("measuring", len(racing))
        self._measured += trials
        try:
            race(racing, self._measure, self._rounds, rounds=rounds, dropped=self._dropped, over=self._over)
        finally:
            for trial in racing:
                if trial.samples or trial.rejected:
                    self._write(trial)

    def _measure(self, trial: Trial) -> float | Rejected:
        return self._lab.measure(self._candidates[trial.text])

    def _dropped(self, trial: Trial) -> None:
        self._bar.advance()
        if not trial.rejected:
            self._lab.forget(self._candidates[trial.text])

    # --- what is written down ---

    def _reject(self, trial: Trial, why: Rejected) -> None:
        # Places in the kernel's folder are named from there: the text means the same on another machine.
        folder = f"{Path(self._launch.kernel.fn.__code__.co_filename).parent}/"
        trial.rejected = replace(why, reason=why.reason.replace(folder, ""))
        self._write(trial)

    def _write(self, trial: Trial) -> None:
        LOG.info("%s", trial)
        self._records.add(trial)

    def _all_rejected(self) -> TuningError:
        lines = _reasons([trial for trial in self._trials.values() if trial.rejected])
        name = self._launch.kernel.fn.__qualname__
        what = f"none of the {len(self._trials)} configs of {name} can be used:\n" + "\n".join(lines)
        return TuningError(what, hint="each line has the config and the reason")
