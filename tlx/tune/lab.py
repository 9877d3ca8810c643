"""Where candidates are compiled, checked and measured: in other processes, or in this one where they can't be reached.

Everything is made when it is first needed, and gone when the lab is closed.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import InProcess, TuningError
from .facts import current_target, simulated
from .launch import TunedLaunch
from .work.arguments import Arguments, describe
from .work.bench import Checked, Job, expected_file, randomize
from .work.candidate import Candidate, Hooks
from .work.compiling import Compiled, Rejected, compile_candidate
from .work.pool import CompilePool
from .work.reference import Unreachable, reference_of
from .work.runner import LocalRunner, RemoteRunner

__all__ = ["Lab", "Limits", "Rules"]

LAUNCH_SECONDS = {False: 10.0, True: 120.0}
"""The most that a check or a sample may take by default, on a GPU and simulated."""


@dataclass(frozen=True)
class Limits:
    """Caps on what one candidate may use.

    Args:
        compile_seconds: for compiling it.
        launch_seconds: for a check or a sample; None for what fits the device.
        processes: that compile at once; None for one a core, up to 32.
    """

    compile_seconds: float = 60.0
    launch_seconds: float | None = None
    processes: int | None = None

    def caps(self) -> dict[str, float]:
        """Seconds by the stage at which a config is rejected that takes longer, where launches run now."""
        return {"compile": self.compile_seconds, "hang": self.launch_seconds or LAUNCH_SECONDS[simulated()]}


@dataclass(frozen=True)
class Rules:
    """What makes outputs right.

    Args:
        check: gives the right contents of outputs by parameter, from all arguments; None to take the first config's.
        tolerance: the largest error that counts as right; None for what rounding explains.
    """

    check: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    tolerance: float | None = None


class Lab:
    """Everything that one tuning needs to find out about candidates.

    Args:
        launch: of the kernel.
        hooks: around launches.
        rules: what makes outputs right.
        limits: of time.
    """

    def __init__(self, launch: TunedLaunch, hooks: Hooks, rules: Rules, limits: Limits):
        self._launch, self._hooks, self._rules, self._limits = launch, hooks, rules, limits
        self._folder = Path(tempfile.mkdtemp(prefix="tlx-tune-"))
        self._target = current_target()
        self._local = False
        self._arguments: Arguments | None = None
        self._pool: CompilePool | None = None
        self._runner: RemoteRunner | LocalRunner | None = None
        self._written: frozenset[str] = frozenset()

    def compile(
        self,
        candidates: Sequence[Candidate],
        done: Callable[[Candidate, Compiled | Rejected], Any],
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Compiles candidates, many at once; calls `done` with what came of each. None is begun once `over` is true."""
        left = {candidate.number: candidate for candidate in candidates}

        def note(candidate: Candidate, result: Compiled | Rejected) -> None:
            del left[candidate.number]
            if isinstance(result, Compiled):
                self._written |= result.written
            done(candidate, result)

        if not self._local:
            try:
                self._compilers().compile(candidates, note, over)
            except Unreachable as error:
                self._stay_here(error)
        for candidate in itertools.takewhile(lambda _: not over(), list(left.values())):
            note(candidate, compile_candidate(self._launch.kernel, self._described(), candidate, self._target))

    def check(self, candidate: Candidate) -> Checked | Rejected:
        """Launches a compiled candidate once; are its outputs right?"""
        return self._with_runner(lambda runner: runner.check(candidate))

    def measure(self, candidate: Candidate) -> float | Rejected:
        """One sample of a candidate that was checked."""
        return self._with_runner(lambda runner: runner.measure(candidate))

    def forget(self, candidate: Candidate) -> None:
        """Frees what is kept for a candidate."""
        if self._runner is not None:
            self._runner.forget(candidate)

    def close(self) -> None:
        """Ends all processes and removes all files."""
        for part in (self._pool, self._runner):
            if part is not None:
                part.close()
        self._pool = self._runner = None
        shutil.rmtree(self._folder, ignore_errors=True)
        self._free_device_memory()

    # --- parts ---

    def _described(self) -> Arguments:
        if self._arguments is None:
            self._arguments = describe(self._launch.arguments, self._folder)
        return self._arguments

    def _compilers(self) -> CompilePool:
        if self._pool is None:
            opening = (reference_of(self._launch.kernel), self._described(), self._target)
            self._pool = CompilePool(self._limits.processes, self._limits.compile_seconds, opening)
        return self._pool

    def _with_runner(self, act: Callable[[RemoteRunner | LocalRunner], Any]) -> Any:
        try:
            return act(self._running())
        except Unreachable as error:
            if self._local:
                raise TuningError(f"{self._launch.kernel.fn.__qualname__} can't be tuned: {error}") from error
            self._stay_here(error)
            return act(self._running())

    def _running(self) -> RemoteRunner | LocalRunner:
        if self._runner is None:
            job = self._job()
            if self._local:
                self._runner = LocalRunner(self._launch.kernel, job)
            else:
                self._runner = RemoteRunner(reference_of(self._launch.kernel), job, self._limits.caps()["hang"])
        return self._runner

    def _stay_here(self, error: Unreachable) -> None:
        """From now on, everything happens in this process."""
        if self._runner is not None:
            self._runner.close()
        self._runner, self._local = None, True
        what = f"{self._launch.kernel.fn.__qualname__} is tuned in this process, without caps on time: {error}"
        warnings.warn(what, InProcess, stacklevel=2)

    # --- arguments ---

    def _job(self) -> Job:
        arguments = self._described()
        written = tuple(sorted(self._written | {*self._hooks.reset_to_zero, *self._hooks.restore_value}))
        found = bool(self._written)
        compared = self._expect(arguments, written) if self._rules.check else ()
        return Job(
            arguments=arguments,
            hooks=self._hooks,
            written=written if found else tuple(arguments.specs),
            randomized=found,
            compared=compared,
            tolerance=self._rules.tolerance,
            simulated=simulated(),
            device=self._target.device,
        )

    def _expect(self, arguments: Arguments, written: tuple[str, ...]) -> tuple[str, ...]:
        """Asks the user's reference what outputs should be, given what candidates are given. Names of the outputs."""
        arguments.build()
        randomize(arguments, arguments.arrays_of(written))
        passed = arguments.instantiate()
        self._hooks.before(passed)
        expected = self._rules.check({name: getattr(value, "base", value) for name, value in passed.items()})
        specs = arguments.arrays_of(expected)
        for name, value in expected.items():
            if name not in specs:
                raise TuningError(f"check: the kernel has no array {name!r}", hint="return a dict by parameter")
            _overwrite(arguments.view(specs[name]), value, name)
        for spec in specs.values():
            arguments.memories[spec.storage].store(arguments.arrays[spec.storage], expected_file(arguments, spec))
        self._free_device_memory()
        return tuple(expected)

    def _free_device_memory(self) -> None:
        torch = sys.modules.get("torch")
        if self._arguments is not None:
            self._arguments.arrays = {}
        if torch is not None and self._target.device is not None:
            torch.cuda.empty_cache()


def _overwrite(array: Any, value: Any, name: str) -> None:
    if tuple(array.shape) != tuple(value.shape):
        raise TuningError(f"check: {name} has shape {tuple(array.shape)}, its reference {tuple(value.shape)}")
    if hasattr(array, "copy_"):
        array.copy_(value)
    else:
        array.values[...] = getattr(value, "values", value)
