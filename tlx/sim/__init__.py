"""The simulator: runs the lowered TTGIR of a kernel on the CPU, as the GPU's warp groups and engines would.

`simulating()` sends launches here; `array()` makes arguments of NumPy arrays; `last_report()` says what a launch did.
"""

from . import ops
from .agents import Observer
from .array import Array, array
from .driver import SimulatorDriver, activate_if_no_gpu, last_report, simulating
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .ops.external import device_function
from .ops.registry import simulates
from .report import Report

__all__ = [
    "Array",
    "Observer",
    "Report",
    "SimulatorDriver",
    "activate_if_no_gpu",
    "array",
    "device_function",
    "last_report",
    "ops",
    "simulates",
    "simulating",
    *_errors,
]
