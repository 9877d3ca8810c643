"""Candidates side by side: each checked against the reference first, then timed in alternating rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .check import poison, relative_error
from .environment import clocks, environment
from .stats import Summary, summarize
from .timer import Timer

__all__ = ["Comparison", "Measurement", "Problem", "compare"]

ROUNDS = 30


@dataclass(frozen=True)
class Problem:
    """One piece of work that several candidates can do.

    Args:
        title: names the problem, such as "512x512x512 bf16".
        candidates: by name, callables that launch their work and return its output.
        reference: the right output.
        tolerance: the largest relative Frobenius error that counts as right.
        outputs: buffers that candidates write to, filled with NaN before each check.
        flops: floating-point operations of the problem, or 0.
        bytes_moved: bytes that it has to read and write, or 0.
    """

    title: str
    candidates: Mapping[str, Callable[[], Any]]
    reference: Any
    tolerance: float
    outputs: tuple[Any, ...] = ()
    flops: int = 0
    bytes_moved: int = 0


@dataclass(frozen=True)
class Measurement:
    """What is known about one candidate.

    Args:
        name: the candidate's name.
        error: relative Frobenius error against the reference; None if it failed.
        correct: whether the error is within the tolerance.
        failure: the message of the exception that it raised, or "".
        us: its time in microseconds; None if it was not timed.
        samples: the times that `us` sums up, in microseconds, by round.
        method: how it was timed, "events" or "graph", or "".
        counts: whatever `observe` counted during the checked run, by name.
    """

    name: str
    error: float | None
    correct: bool
    failure: str = ""
    us: Summary | None = None
    samples: tuple[float, ...] = ()
    method: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """The measurements of one problem and what they were made on.

    Args:
        title: names the problem.
        measurements: in the candidates' order.
        tolerance: the largest error that counts as right.
        flops: floating-point operations of the problem, or 0.
        bytes_moved: bytes that it has to read and write, or 0.
        environment: as `tlx.bench.environment` returns it.
        clocks: of the GPU before and after, each None where unknown.
    """

    title: str
    measurements: tuple[Measurement, ...]
    tolerance: float
    flops: int
    bytes_moved: int
    environment: Mapping[str, Any]
    clocks: tuple[Mapping[str, float] | None, Mapping[str, float] | None]

    def __getitem__(self, name: str) -> Measurement:
        return next(m for m in self.measurements if m.name == name)

    @property
    def correct(self) -> bool:
        """Whether every candidate is right."""
        return all(m.correct for m in self.measurements)

    def tflops(self, name: str) -> float | None:
        """TFLOP/s of a candidate's median; None if it was not timed or the problem has no FLOP count."""
        us = self[name].us
        return self.flops / us.median / 1e6 if us and self.flops else None

    def gbps(self, name: str) -> float | None:
        """GB/s of a candidate's median; None if it was not timed or the problem has no byte count."""
        us = self[name].us
        return self.bytes_moved / us.median / 1e3 if us and self.bytes_moved else None

    def ratio(self, name: str, baseline: str) -> float | None:
        """How many times as fast as the baseline a candidate is; None if either was not timed."""
        us, base = self[name].us, self[baseline].us
        return base.median / us.median if us and base else None

    def to_dict(self) -> dict[str, Any]:
        """The whole record as data that JSON can hold: rates included, an infinite error as None."""
        record = asdict(self)
        for measurement in record["measurements"]:
            name, error = measurement["name"], measurement["error"]
            finite = error is not None and math.isfinite(error)
            measurement |= {"error": error if finite else None, "tflops": self.tflops(name), "gbps": self.gbps(name)}
        return record


def compare(
    problem: Problem,
    *,
    timer: Timer | None = None,
    rounds: int = ROUNDS,
    observe: Callable[[], Mapping[str, int]] | None = None,
    progress: Callable[[str], Any] = lambda step: None,
) -> Comparison:
    """Checks every candidate against the reference and times those that are right, in rounds A B A B.

    Args:
        problem: the candidates and their reference.
        timer: times launches (`CudaTimer`); None checks only.
        rounds: how many times each candidate is timed.
        observe: called after each checked run; returns counts to record.
        progress: called with the name of each step as it begins.
    """
    checked = [_check(name, problem, observe, progress) for name in problem.candidates]
    before = clocks() if timer else None
    timed = _time(problem, [m for m in checked if m.correct], timer, rounds, progress) if timer else {}
    return Comparison(
        title=problem.title,
        measurements=tuple(timed.get(m.name, m) for m in checked),
        tolerance=problem.tolerance,
        flops=problem.flops,
        bytes_moved=problem.bytes_moved,
        environment=environment(),
        clocks=(before, clocks() if timer else None),
    )


def _check(name: str, problem: Problem, observe: Callable | None, progress: Callable) -> Measurement:
    progress(f"{problem.title} {name}: checking")
    for output in problem.outputs:
        poison(output)
    try:
        error = relative_error(problem.candidates[name](), problem.reference)
    except Exception as failure:  # one broken candidate must not hide the others
        return Measurement(name, None, False, failure=f"{type(failure).__name__}: {failure}")
    return Measurement(name, error, error <= problem.tolerance, counts=observe() if observe else {})


def _time(problem: Problem, checked: list[Measurement], timer: Timer, rounds: int, progress: Callable):
    """The measurements with times. All take turns, so that drifting clocks and heat meet all alike."""
    launches = {}
    for measurement in checked:
        progress(f"{problem.title} {measurement.name}: warming up")
        launches[measurement.name] = timer.prepare(problem.candidates[measurement.name])
    samples = {name: [] for name in launches}
    progress(f"{problem.title}: timing")
    for _ in range(rounds):
        for name, launch in launches.items():
            samples[name].append(timer.measure(launch))
    return {
        m.name: replace(m, us=summarize(taken), samples=tuple(taken), method=launches[m.name].method)
        for m in checked
        for taken in [samples[m.name]]
    }
