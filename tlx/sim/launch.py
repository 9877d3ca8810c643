"""One launch of a kernel: its arguments, its memory, its grid, and the schedules it runs under."""

from __future__ import annotations

import ctypes
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np

from ..ir.model import Attribute, Op
from ..source import Location
from .agents import Observer
from .cluster import Cluster
from .code import Code
from .cta import CTA
from .descriptors import TensorDescriptor
from .device import Device
from .errors import LeftoverPhase, SimulationError, SimulationWarning, UnsupportedOp
from .pointers import Argument, GlobalMemory
from .report import Report, deadlock
from .scheduler import Scheduler

__all__ = ["Launch", "simulate"]

_SCRATCH = 1 << 62
"""Where scratch begins: an address that no storage has."""


_DESCRIPTOR_BYTES = 128
"""Of a tensor map (CUDA driver API, `CUtensorMap`)."""


class CountedMemory(GlobalMemory):
    """Global memory that counts the bytes moved and tells the observer who moves them.

    Args:
        arguments: the pointer arguments.
        scheduler: knows who moves.
        observer: sees every access.
    """

    def __init__(self, arguments: tuple[Argument, ...], scheduler: Scheduler, observer: Observer):
        super().__init__(arguments)
        self._scheduler = scheduler
        self._observer = observer
        self.bytes_read = 0
        self.bytes_written = 0

    def read(self, argument, addresses, dtype):
        self.bytes_read += np.size(addresses) * dtype.itemsize
        values = super().read(argument, addresses, dtype)
        agent = self._scheduler.current
        self._observer.load(agent, addresses, dtype.itemsize, agent.op or agent.step_now.op)
        return values

    def write(self, argument, addresses, values):
        values = np.asarray(values)
        self.bytes_written += values.nbytes
        agent = self._scheduler.current
        self._observer.store(agent, addresses, values, agent.op or agent.step_now.op)
        super().write(argument, addresses, values)


class Launch:
    """One run of a grid under one schedule.

    Args:
        code: the kernel.
        grid: clusters along x, y, z, as a launcher is given them.
        arguments: the values of the kernel function's arguments.
        storages: the pointer arguments' storages.
        device: the GPU that is simulated. At most one CTA for each of its SMs is resident, in the order of the grid,
            and a cluster as a whole.
        seed: of the schedule.
        observer: sees every event.

    Raises:
        UnsupportedOp: the kernel's tensors are spread over several CTAs.
    """

    def __init__(
        self,
        code: Code,
        grid: tuple[int, int, int],
        arguments: tuple,
        storages: tuple[Argument, ...],
        device: Device,
        seed: int,
        observer: Observer,
    ):
        if code.num_ctas != 1:
            raise UnsupportedOp(
                f"tensors that are spread over {code.num_ctas} CTAs (num_ctas={code.num_ctas}) are not simulated",
                hint="clusters of CTAs with tensors of their own are: ctas_per_cga",
            )
        self.code = code
        self.clusters = grid
        self.arguments = arguments
        self.device = device
        self.seed = seed
        self.counts = [0] * len(code.steps)
        self.constants: dict[int, object] = {}
        self.tma_load_bytes = 0
        self.tma_store_bytes = 0
        self.tensor_maps: dict[int, tuple] = {}
        self.scratch: dict[tuple[CTA, Op], int] = {}
        self.descriptors: dict[int, tuple[TensorDescriptor, Attribute]] = {}
        self._places: dict[int, int] = {}
        self.leftovers: list[LeftoverPhase] = []
        self.overruns: Counter[Op] = Counter()
        self.observer = observer
        self._scratch_end = _SCRATCH
        self._scheduler = Scheduler(seed)
        self.memory = CountedMemory(storages, self._scheduler, observer)
        self._waiting = product(*map(range, reversed(grid)))
        self.resident: list[CTA] = []

    @property
    def grid(self) -> tuple[int, int, int]:
        """The hardware's: CTAs along x, y, z, the clusters along x."""
        x, y, z = self.clusters
        return x * self.code.cluster_size, y, z

    def run(self) -> None:
        """Runs the grid to its end.

        Raises:
            SimulationError: what the kernel does wrong; DeadlockError if it can't go on.
        """
        self.observer.begin(self)
        for _ in range(max(self.device.multiprocessors // self.code.cluster_size, 1)):
            self._start_next()
        self._scheduler.run()
        if self.resident:
            raise deadlock(self.resident)
        self.observer.end(self)

    def scratch_address(self, nbytes: int) -> int:
        """The address of global memory that no argument holds."""
        self._scratch_end += nbytes
        return self._scratch_end - nbytes

    def place_descriptor(self, descriptor: TensorDescriptor, layout: Attribute) -> int:
        """The address of a descriptor that fills buffers of that layout; `descriptors` finds both by it."""
        if id(descriptor) not in self._places:
            self._places[id(descriptor)] = place = self.scratch_address(_DESCRIPTOR_BYTES)
            self.descriptors[place] = descriptor, layout
        return self._places[id(descriptor)]

    def note_overrun(self, op: Op, nbytes: int) -> None:
        """Notes bytes that a TMA store wrote behind the ends of the tensor's rows."""
        if nbytes:
            self.overruns[op] += nbytes

    def cta_ended(self, cta: CTA) -> None:
        """Notes what the CTA leaves behind; the last one of a cluster makes room for the next cluster."""
        self.leftovers.extend(barrier.leftover() for barrier in cta.barriers if barrier.inside_phase)
        self.resident.remove(cta)
        if not cta.cluster.running:
            self._start_next()

    def _start_next(self) -> None:
        place = next(self._waiting, None)
        if place is not None:
            self.resident.extend(Cluster(self, place[::-1], self._scheduler, self.observer).ctas)


def simulate(launch_with: Callable[[int], Launch], seeds: range) -> Report:
    """Runs a launch under each of the seeds, from the same memory each time; the last one's results stay.

    Raises:
        SimulationError: with the `seed` under which it came.
    """
    snapshot = None
    launch = None
    for seed in seeds:
        launch = launch_with(seed)
        if len(seeds) > 1:
            snapshot = _restore(launch, snapshot)
        try:
            launch.run()
        except SimulationError as error:
            error.seed = seed
            if launch.observer.stopped(launch, error):
                continue
            who = f"{error.agent} of program {error.program_id}, " if error.agent else ""
            error.what += f" ({who}seed {seed})"
            raise
    report = Report.of(launch)
    if report.leftovers:
        _warn(report, _leftover_text(report), report.leftovers[0].location)
    for op, nbytes in launch.overruns.items():
        what = f"TMA stores write {nbytes:,} B behind the ends of the tensor's rows: the hardware clips at 16 B"
        _warn(
            report, f"{report.kernel}: {what}; store through pointers where a row is no multiple of 16 B", op.location
        )
    return report


def _warn(report: Report, text: str, place: Location) -> None:
    warnings.warn_explicit(text, SimulationWarning, place.file or report.kernel, place.line)


def _leftover_text(report: Report) -> str:
    """The barriers left inside a phase, each once however many CTAs left it so."""
    ctas = Counter(report.leftovers)
    lines = [str(left) + (f" (in {n} CTAs)" if n > 1 else "") for left, n in ctas.items()]
    return "\n".join([f"{report.kernel}: barriers are left inside a phase", *lines])


def _bytes_of(argument: Argument) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_uint8 * argument.nbytes).from_address(argument.start))


def _restore(launch: Launch, snapshot: list[np.ndarray] | None) -> list[np.ndarray]:
    """Puts the snapshot back; takes it first if there is none yet."""
    storages = [_bytes_of(argument) for argument in launch.memory.arguments]
    if snapshot is None:
        return [storage.copy() for storage in storages]
    for storage, saved in zip(storages, snapshot):
        storage[:] = saved
    return snapshot
