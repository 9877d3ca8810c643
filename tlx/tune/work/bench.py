"""Launches candidates on arguments of their own: checks what they write, and times them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triton.runtime.jit import JITFunction

from ...bench.timer import CudaTimer, Launch, SimulatorTimer, Timer
from .arguments import Arguments, ArraySpec
from .candidate import Candidate, Hooks, arguments_for
from .compiling import Rejected
from .outputs import difference, tolerance_for

__all__ = ["Bench", "Checked", "Job"]


@dataclass(frozen=True)
class Job:
    """What is to be measured.

    Args:
        arguments: of the launches.
        hooks: around them.
        written: names of the arguments that the kernel writes.
        randomized: whether these begin as random numbers.
        compared: names of those that are compared; empty for all that are written.
        tolerance: the largest error that counts as right; None for what rounding explains.
        simulated: whether launches run in the simulator.
        device: the GPU's index.
    """

    arguments: Arguments
    hooks: Hooks
    written: tuple[str, ...]
    randomized: bool
    compared: tuple[str, ...]
    tolerance: float | None
    simulated: bool
    device: int | None


@dataclass(frozen=True)
class Checked:
    """A candidate that ran and whose outputs are right.

    Args:
        error: of its outputs; None where it is the first, with which others are compared.
        registers: of a thread; None where the driver doesn't say.
        spills: registers of a thread that lie in memory, likewise.
    """

    error: float | None
    registers: int | None
    spills: int | None


class Bench:
    """A kernel with arguments to launch it on.

    Args:
        kernel: the jitted function.
        job: the arguments and what they should become.
    """

    def __init__(self, kernel: JITFunction, job: Job):
        self._kernel = kernel
        self._job = job
        self._arguments = job.arguments
        if not job.simulated:
            import torch

            torch.cuda.set_device(job.device)
        self._arguments.build()
        self._written = self._arguments.arrays_of(job.written)
        if job.randomized:
            randomize(self._arguments, self._written)
        self._initial = {spec.storage: self._copy(spec.storage) for spec in self._written.values()}
        self._digests = {i: self._digest(i) for i in self._arguments.arrays if i not in self._initial}
        self._timer: Timer = SimulatorTimer() if job.simulated else CudaTimer()
        self._launches: dict[int, Launch] = {}
        self._expected: dict[int, Any] = {}

    def check(self, candidate: Candidate) -> Checked | Rejected:
        """Launches a candidate once and compares what it wrote. The first that runs gives what others should write."""
        self._restore(self._initial)
        run, passed = self._runner(candidate)
        try:
            self._job.hooks.before(passed)
            compiled = run()
            self._synchronize()
        except Exception as error:
            return self._failed(error, passed)
        self._job.hooks.after(passed, None)
        if touched := self._touched():
            return Rejected("check", f"it writes to {touched}, which a kernel like it doesn't store to")
        return self._compare(getattr(compiled, "n_regs", None), getattr(compiled, "n_spills", None))

    def measure(self, candidate: Candidate) -> float | Rejected:
        """One sample: microseconds, or executed ops where launches are simulated."""
        try:
            if candidate.number not in self._launches:
                run, passed = self._runner(candidate)
                self._launches[candidate.number] = self._timer.prepare(run, self._before(passed))
            return self._timer.measure(self._launches[candidate.number])
        except Exception as error:
            return self._failed(error)

    def forget(self, number: int) -> None:
        """Frees what is kept for a candidate that is not measured again."""
        self._launches.pop(number, None)

    # --- launches ---

    def _runner(self, candidate: Candidate) -> tuple[Callable[[], Any], dict[str, Any]]:
        """A function that launches, the config's own hook included, and the arguments."""
        arguments = self._arguments.instantiate()
        passed = {**arguments, **candidate.values, **candidate.options}

        def run():
            values = arguments_for(candidate, arguments)
            return self._kernel.run(grid=candidate.grid, warmup=False, **values, **candidate.options)

        return run, passed

    def _before(self, passed: dict[str, Any]) -> Callable[[], None] | None:
        """What precedes each timed launch, untimed; None where nothing does."""
        hooks = self._job.hooks
        kept = {spec.storage for spec in self._arguments.arrays_of(hooks.restore_value).values()}
        restored = {number: copy for number, copy in self._initial.items() if number in kept}
        if not restored and not hooks.reset_to_zero and hooks.pre_hook is None:
            return None

        def before() -> None:
            self._restore(restored)
            hooks.before(passed)

        return before

    def _failed(self, error: Exception, passed: dict[str, Any] | None = None) -> Rejected:
        """A rejection; a crash where the GPU serves this process no more, as after an illegal access."""
        reason = f"{type(error).__name__}: {error}"
        try:
            self._synchronize()
        except Exception:
            return Rejected("crash", reason)
        if passed is not None:
            self._job.hooks.after(passed, error)
        return Rejected("launch", reason)

    def _synchronize(self) -> None:
        if not self._job.simulated:
            import torch

            torch.cuda.synchronize()

    # --- what launches leave behind ---

    def _compare(self, registers: int | None, spills: int | None) -> Checked | Rejected:
        names = self._job.compared or tuple(self._written)
        specs = self._arguments.arrays_of(names)
        if any(not expected_file(self._arguments, spec).exists() for spec in specs.values()):
            for spec in specs.values():
                memory = self._arguments.memories[spec.storage]
                memory.store(self._arguments.arrays[spec.storage], expected_file(self._arguments, spec))
            return Checked(None, registers, spills)
        errors = {name: self._error(spec) for name, spec in specs.items()}
        for name, error in errors.items():
            limit = tolerance_for(specs[name].dtype) if self._job.tolerance is None else self._job.tolerance
            if not error <= limit:
                return Rejected("check", f"wrong output {name}: error {error:.2g}, at most {limit:.2g}", error)
        return Checked(max(errors.values(), default=0.0), registers, spills)

    def _error(self, spec: ArraySpec) -> float:
        if spec.storage not in self._expected:
            memory = self._arguments.memories[spec.storage]
            self._expected[spec.storage] = memory.load(expected_file(self._arguments, spec))
        expected = self._arguments.view(spec, self._expected[spec.storage])
        return difference(self._arguments.view(spec), expected, spec.dtype)

    def _touched(self) -> str:
        """The names of arguments that changed although the kernel doesn't write them; they get their contents back."""
        changed = {i for i, digest in self._digests.items() if self._digest(i) != digest}
        for number in changed:
            memory = self._arguments.memories[number]
            fresh = memory.load(self._arguments.folder / f"{number}.bin")
            memory.write(self._arguments.arrays[number], fresh)
        specs = self._arguments.arrays_of(self._arguments.specs)
        return ", ".join(name for name, spec in specs.items() if spec.storage in changed)

    def _restore(self, copies: dict[int, Any]) -> None:
        for number, copy in copies.items():
            self._arguments.memories[number].write(self._arguments.arrays[number], copy)

    def _copy(self, number: int) -> Any:
        return self._arguments.memories[number].copy(self._arguments.arrays[number])

    def _digest(self, number: int) -> int:
        return self._arguments.memories[number].digest(self._arguments.arrays[number])


def randomize(arguments: Arguments, written: dict[str, ArraySpec]) -> None:
    """Fills what the kernel writes with random numbers: what it then fails to write is seen."""
    for spec in written.values():
        arguments.memories[spec.storage].randomize(arguments.view(spec))


def expected_file(arguments: Arguments, spec: ArraySpec) -> Path:
    """Where the right content of an output's storage lies."""
    return arguments.folder / f"expected-{spec.storage}.bin"
