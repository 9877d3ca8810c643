"""The simulator as a Triton driver: launches of any kernel that Triton compiles for the simulated GPU run here.

Triton is not patched. Kernels, autotuning, caches and warmup run through its own code, which asks the active driver for
the target, the device and the launcher.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from triton.backends import backends
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.runtime.driver import driver as drivers

from .agents import Observer
from .arguments import bind
from .launch import Launch, simulate
from .options import Options
from .program import code_of
from .report import Report

__all__ = ["SimulatorDriver", "activate_if_no_gpu", "last_report", "simulating"]

DEVICE = 1 << 16
"""The device's id: Triton keeps compiled kernels by device, so it must be no GPU's."""

_last_report: list[Report] = []


def last_report() -> Report | None:
    """What the last launch that ended well did; None if there was none."""
    return _last_report[-1] if _last_report else None


class Launcher:
    """Runs launches of one kernel; Triton makes it once and calls it as it calls its own launcher."""

    def __init__(self, src, metadata):
        self._src = src
        self._metadata = metadata

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter_hook, exit_hook, *arguments):
        options: Options = drivers.active.options
        code = code_of(self._src, self._metadata)
        values, storages = bind(code.kernel.op, self._src.signature, arguments)

        def launch(seed: int) -> Launch:
            return Launch(code, (x, y, z), values, storages, options.device, seed, options.observer)

        if enter_hook is not None:
            enter_hook(launch_metadata)
        _last_report[:] = [simulate(launch, options.seeds)]
        if exit_hook is not None:
            exit_hook(launch_metadata)


class _Utils:
    """The part of Triton's device utilities that its runtime uses."""

    def __init__(self, options: Options):
        self._device = options.device

    def get_device_properties(self, device: int) -> dict[str, int]:
        return self._device.properties()

    def load_binary(self, name, kernel, shared, device):
        # Module, function, registers, spills, threads. No module: Triton would ask whatever driver is active then to
        # unload it. Registers and spills are unknown without a GPU's driver.
        return None, name, None, None, self._device.target.threads


class SimulatorDriver(DriverBase):
    """Triton's view of the simulator: a GPU whose launches run on the CPU.

    Args:
        options: how launches are simulated.
    """

    launcher_cls = Launcher

    def __init__(self, options: Options | None = None):
        self.options = options or Options()
        self.utils = _Utils(self.options)

    @classmethod
    def is_active(cls) -> bool:
        # Never found by Triton's own search: it is set active, or not used.
        return False

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        target = self.options.device.target
        return GPUTarget("cuda", target.arch, target.warp_size)

    def get_current_device(self) -> int:
        """An id that no GPU has."""
        return DEVICE

    def set_current_device(self, device: int) -> None:
        """Nothing: there is one device."""

    def get_current_stream(self, device: int) -> int:
        """0: launches have ended when they return."""
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self) -> Callable:
        return _count_ops

    def get_empty_cache_for_benchmark(self):
        """Nothing: there is no L2 cache to empty."""

    def clear_cache(self, cache) -> None:
        """Nothing, likewise."""


def _count_ops(kernel_call: Callable, quantiles=None, **options) -> list[float] | float:
    """What `triton.autotune` compares: executed ops of one call, not a time, which a simulation can't tell.

    It prefers configs with fewer, larger ops. The results of tuning in the simulator are not for a GPU. An autotuner
    keeps the benchmarker that it got first, so this one passes the call on where a GPU has become active since.
    """
    if not isinstance(drivers.active, SimulatorDriver):
        return drivers.active.get_benchmarker()(kernel_call, quantiles=quantiles, **options)
    kernel_call()
    count = float(last_report().total_ops)
    return count if quantiles is None else [count] * len(quantiles)


def activate_if_no_gpu() -> None:
    """Makes the simulator Triton's driver if `TLX_BACKEND=sim`, or if no other driver can run here."""
    choice = os.environ.get("TLX_BACKEND", "")
    if choice == "sim" or (choice != "gpu" and not any(backend.driver.is_active() for backend in backends.values())):
        drivers.set_active(SimulatorDriver())


@contextmanager
def simulating(*, seed: int = 0, schedules: int = 1, observer: Observer | None = None) -> Iterator[None]:
    """Within the block, launches run in the simulator, also where there is a GPU. Arguments must be in CPU memory.

    Args:
        seed: of the first schedule.
        schedules: how many schedules each launch tries, from the same memory; the last one's results stay.
        observer: sees every event of the launches.
    """
    previous = _active()
    drivers.set_active(SimulatorDriver(Options(seed, schedules, observer=observer or Observer())))
    try:
        yield
    finally:
        drivers.set_active(previous)


def _active() -> DriverBase | None:
    """The active driver; None where Triton finds none."""
    try:
        return drivers.active
    except RuntimeError:
        return None
