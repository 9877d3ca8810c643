"""Timing one launch at a time, on a CUDA GPU or, as a count of ops, in the simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .stats import summarize

__all__ = ["CudaTimer", "Launch", "SimulatorTimer", "Timer"]

FLUSH_BYTES = 256 << 20
GRAPH_BELOW_US = 2000.0  # far above what a host needs to enqueue a launch
WARMUP_LAUNCHES = 10


@dataclass(frozen=True)
class Launch:
    """A candidate made ready to be timed.

    Args:
        run: enqueues the start event, the work and the end event.
        method: "graph", "events" or "ops".
        start: the event before the work.
        end: the event after it.
        before: called before each run, untimed.
    """

    run: Callable[[], Any]
    method: str
    start: Any = None
    end: Any = None
    before: Callable[[], Any] | None = None


class Timer(Protocol):
    """What `compare` needs to time something."""

    def prepare(self, run: Callable[[], Any], before: Callable[[], Any] | None = None) -> Launch:
        """Warms the candidate up and makes it ready. `before` precedes each run, untimed."""

    def measure(self, launch: Launch) -> float:
        """Runs it once, cold in the L2 cache, and returns its time in microseconds."""


class CudaTimer:
    """Times launches on the current CUDA device with events.

    Before each launch a buffer larger than the L2 cache is written: it empties the cache, and the GPU is still busy
    with it while the host enqueues the launch, so that the events enclose the work and not the host. Work shorter than
    the host needs to enqueue it is captured in a CUDA graph together with its events.
    """

    def __init__(self):
        import torch

        self._torch = torch
        l2_bytes = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
        self._flush = torch.empty(max(FLUSH_BYTES, 2 * l2_bytes), dtype=torch.int8, device="cuda")

    def prepare(self, run: Callable[[], Any], before: Callable[[], Any] | None = None) -> Launch:
        """Warms the candidate up and chooses events or a graph by its time."""
        launch = self._with_events(run, before)
        warm = summarize(self.measure(launch) for _ in range(WARMUP_LAUNCHES)).median
        return self._with_graph(run, before) or launch if warm < GRAPH_BELOW_US else launch

    def measure(self, launch: Launch) -> float:
        """Empties the L2 cache, runs the launch once and returns its time in microseconds."""
        if launch.before is not None:
            launch.before()
        self._flush.zero_()
        launch.run()
        self._torch.cuda.synchronize()
        return launch.start.elapsed_time(launch.end) * 1e3

    def _with_events(self, run: Callable[[], Any], before: Callable[[], Any] | None) -> Launch:
        start, end = (self._torch.cuda.Event(enable_timing=True) for _ in range(2))

        def timed():
            start.record()
            run()
            end.record()

        return Launch(timed, "events", start, end, before)

    def _with_graph(self, run: Callable[[], Any], before: Callable[[], Any] | None) -> Launch | None:
        """The candidate as a graph that records its own events; None where it cannot be captured."""
        cuda = self._torch.cuda
        graph, stream = cuda.CUDAGraph(), cuda.current_stream()
        try:
            start, end = (cuda.Event(enable_timing=True, external=True) for _ in range(2))
            with cuda.graph(graph):
                start.record()
                run()
                end.record()
        except (TypeError, RuntimeError):  # torch without external events; work that synchronizes
            return None
        finally:
            cuda.set_stream(stream)  # a capture that fails leaves its own stream current
        return Launch(graph.replay, "graph", start, end, before)


class SimulatorTimer:
    """Counts executed ops of launches in the simulator, which can't tell time: fewer, larger ops count as faster."""

    def prepare(self, run: Callable[[], Any], before: Callable[[], Any] | None = None) -> Launch:
        """There is nothing to warm up."""
        return Launch(run, "ops", before=before)

    def measure(self, launch: Launch) -> float:
        """Runs it once and returns the executed ops of its last launch."""
        if launch.before is not None:
            launch.before()
        launch.run()
        from ..sim import last_report  # late: GPU timing also serves processes in which tlx can't be imported

        return float(last_report().total_ops)
