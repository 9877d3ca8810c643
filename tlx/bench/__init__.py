"""Measuring: the one place where candidates are checked, timed and set side by side.

    problem = Problem("4096x4096", {"naive": run_naive, "tlx": run_tlx}, expected, tolerance=2**-7)
    comparison = compare(problem, timer=CudaTimer())
    rich.print(table([comparison], baseline="naive"))

Protocol: every candidate is checked against the reference before it is timed, from poisoned output buffers; candidates
take turns (A B A B); the L2 cache is emptied before each launch; short work runs from a CUDA graph; medians are given
with their spread, and with the versions and clocks they were measured at. Use random data: a GPU that multiplies
zeros draws less power and reads faster than it is.
"""

from .check import poison, relative_error
from .compare import Comparison, Measurement, Problem, compare
from .environment import clocks, environment
from .stats import Summary, geometric_mean, summarize
from .table import table
from .timer import CudaTimer, Launch, SimulatorTimer, Timer

__all__ = [
    "Comparison",
    "CudaTimer",
    "Launch",
    "Measurement",
    "Problem",
    "SimulatorTimer",
    "Summary",
    "Timer",
    "clocks",
    "compare",
    "environment",
    "geometric_mean",
    "poison",
    "relative_error",
    "summarize",
    "table",
]
