"""`tlx.autotune`: what `triton.autotune` does, and survives."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import triton
from triton.runtime.autotuner import Autotuner as StockAutotuner
from triton.runtime.driver import driver as drivers

from ..language.ignored import IgnoredArgument
from .configs import text_of, words_of
from .database import Database
from .errors import InvalidTuning
from .facts import launch_facts, subject_of
from .lab import Limits, Rules
from .launch import TunedLaunch
from .records import Records
from .search import Search, search_of
from .space import Space
from .tuning import Plan, Report, Tuning
from .work.candidate import Hooks
from .work.reference import StopLoading, loading, unwrap

__all__ = ["Autotuner", "autotune"]


class Autotuner(StockAutotuner):
    """A kernel whose config is chosen by measurement; made by `tlx.autotune`.

    Attributes:
        best_config: of the last launch.
        report: of the last tuning in this process; None if none was needed yet.
    """

    def __init__(self, fn: Any, plan: Plan, keys: Sequence[str] | None, database: str | Path | None, stock: dict):
        space = plan.configs
        configs = space.start or [next(iter(space), triton.Config({}))] if isinstance(space, Space) else list(space)
        super().__init__(fn, fn.arg_names, configs, list(keys or ()), **stock)
        self.report: Report | None = None
        self._plan = plan
        self._database_path = database
        constants = [p.name for p in unwrap(fn).params if p.is_constexpr]
        self._facts_by_value = None if keys is None else (*keys, *constants)
        self._chosen: dict[tuple, triton.Config] = {}
        self._lock = threading.Lock()

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launches with the best config, which is found first where it is not known."""
        if loading():
            raise StopLoading
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        config = self._config_for(args, kwargs, grid)
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args)), **kwargs, **config.all_kwargs()})
        return self.fn.run(*args, grid=grid, warmup=False, **kwargs, **config.all_kwargs())

    def _config_for(self, args: tuple, kwargs: dict, grid: Any) -> triton.Config:
        if not isinstance(self._plan.configs, Space) and len(self.configs) == 1:
            return self.configs[0]
        launch = TunedLaunch.of(self.fn, args, kwargs, grid)
        facts = launch_facts(launch.arguments, launch.options, self._facts_by_value)
        key = (drivers.active.get_current_device(), facts)
        if key not in self._chosen:
            with self._lock:
                if key not in self._chosen:
                    self._chosen[key] = self._choose(launch, facts, args, kwargs)
        return self._chosen[key]

    def _choose(self, launch: TunedLaunch, facts: tuple, args: tuple, kwargs: dict) -> triton.Config:
        """The best config, from the database or by tuning. Of several processes one tunes, the others wait for it."""
        plan, subject = self._pruned(args, kwargs), subject_of(launch.kernel, facts, launch.arguments, launch.options)
        with closing(Database(self._database_path)) as database:
            records = Records(database, subject)
            known = self._known_best(plan, records)
            if known is not None:
                return known
            with database.alone(f"{subject.device} {subject.kernel} {subject.shared_key}"):
                known = self._known_best(plan, records)
                if known is not None:
                    return known
                self.report = Tuning(launch, plan, records).run()
        self.configs_timings = {t.config: [t.median] * 3 for t in self.report.trials if t.median is not None}
        if triton.knobs.autotuning.print:
            print(summary(launch.kernel.fn.__qualname__, self.report))
        if plan.hooks.pre_hook is not None:
            full = {**launch.arguments, **launch.options, **self.report.best.all_kwargs()}
            plan.hooks.pre_hook(full, reset_only=True)
        return self.report.best

    def _pruned(self, args: tuple, kwargs: dict) -> Plan:
        """The plan with the configs that `prune_configs_by` leaves."""
        if isinstance(self._plan.configs, Space) or not (self.early_config_prune or self.perf_model):
            return self._plan
        self.nargs = dict(zip(self.arg_names, args))
        configs = self.prune_configs(kwargs)
        self.nargs = None
        return replace(self._plan, configs=configs)

    def _known_best(self, plan: Plan, records: Records) -> triton.Config | None:
        """The best config of a sweep that has answered this before, without a launch."""
        text = records.finished(plan.request(), plan.budget)
        if text is None:
            return None
        space = isinstance(plan.configs, Space)
        by_text = {text_of(config): config for config in (plan.configs.start if space else plan.configs)}
        return plan.configs.config_of(text) if space and text not in by_text else by_text.get(text)


def summary(name: str, report: Report) -> str:
    """What a tuning found, for people."""
    lines = [f"{name}: {words_of(report.best)} is the fastest of {len(report.trials)} ({report.seconds:.1f} s)"]
    return "\n".join([*lines, *(f"  {trial}" for trial in report.rejected)])


def autotune(
    configs: Sequence[triton.Config] | Space,
    key: Sequence[str] | None = None,
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable | None = None,
    post_hook: Callable | None = None,
    warmup: int | None = None,
    rep: int | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable | None = None,
    cache_results: bool = False,
    *,
    check: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    prune: Callable[[triton.Config, dict[str, Any]], str | None] | None = None,
    tolerance: float | None = None,
    search: str | Search | None = None,
    budget: float | None = None,
    compile_timeout: float = 60.0,
    launch_timeout: float | None = None,
    processes: int | None = None,
    database: str | Path | None = None,
) -> Callable[[Any], Autotuner]:
    """Chooses a kernel's config by measurement, as `triton.autotune`, in processes of their own.

    A config that can't be compiled, asks for too much, hangs, faults or computes something else is one rejected line
    with its reason. What was measured once, by whatever process, is not measured again: it is in a database.

    Args:
        configs: a list, or a `tlx.Space` to search.
        key: names of arguments whose value or shape decides; without it all do.
        prune_configs_by, reset_to_zero, restore_value, pre_hook, post_hook: as for `triton.autotune`.
        warmup, rep, use_cuda_graph, do_bench, cache_results: have no effect: `tlx.bench` times, the database keeps.
        check: takes the arguments by name, as they are before a launch, and returns what the outputs should become,
            by name. Without it, outputs are compared with those of the first config that runs.
        prune: takes a config and the arguments by name, and returns why the config is out, or nothing.
        tolerance: the largest relative error of a right output; by default what rounding to its type explains.
        search: how a space is searched: "local", "random", "grid", or an object such as `tlx.tune.Random(100)`.
        budget: seconds for one tuning, after which the best so far is taken.
        compile_timeout: seconds for compiling one config.
        launch_timeout: seconds for one check or sample; by default 10 on a GPU, 120 in the simulator.
        processes: that compile at once; by default one a core, up to 32.
        database: path; by default `TLX_DB`, or `~/.cache/tlx/tune.db`.

    Raises:
        TuningError: at a launch, if no config can be used.
        InvalidTuning: no configs, a search of an unknown name, or a name that is no argument.
    """
    if not isinstance(configs, Space) and not configs:
        raise InvalidTuning("autotune: no configs")
    unused = {"warmup": warmup, "rep": rep, "use_cuda_graph": use_cuda_graph, "do_bench": do_bench}
    for name in (name for name, value in {**unused, "cache_results": cache_results}.items() if value):
        warnings.warn(f"autotune: {name} has no effect: tlx.bench times, the database keeps", IgnoredArgument, 2)
    plan = Plan(
        configs=configs,
        search=search_of(search),
        prune=prune,
        rules=Rules(check, tolerance),
        limits=Limits(compile_timeout, launch_timeout, processes),
        hooks=Hooks(tuple(reset_to_zero or ()), tuple(restore_value or ()), pre_hook, post_hook),
        budget=budget,
    )
    names = {"key": key, "reset_to_zero": reset_to_zero, "restore_value": restore_value}
    stock = {"reset_to_zero": reset_to_zero, "restore_value": restore_value, "prune_configs_by": prune_configs_by}

    def decorate(fn: Any) -> Autotuner:
        _check_names(fn, names)
        return Autotuner(fn, plan, key, database, stock)

    return decorate


def _check_names(fn: Any, names: Mapping[str, Sequence[str] | None]) -> None:
    """A name that is no argument would never decide anything."""
    for what, given in names.items():
        for name in given or ():
            if name not in fn.arg_names:
                raise InvalidTuning(f"autotune: {what} names {name!r}", hint=f"one of {', '.join(fn.arg_names)}")
