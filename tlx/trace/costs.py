"""The cost table: what a simulator without a clock can't say. `docs/trace.md` has the source of each number."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ..ir.model import Op
from .nodes import ARRIVE, ENGINE, FENCE, ISSUE, LOAD, SHARED, STORE, SYNCHRONIZE, WAIT, Node
from .registers import RegisterWork

__all__ = ["Costs"]

_QUARTERS = 4
"""Parts of an SM, each of which issues one instruction of 32 lanes in a cycle."""

_RELATIVE_RATES = {"f8E4M3FN": 2.0, "f8E5M2": 2.0, "i8": 2.0, "f32": 0.5}
"""MMA rates beside that of 16-bit operands."""


@dataclass(frozen=True)
class Costs:
    """Cycles of an SM of an H100.

    Args:
        mma_flops_per_cycle: of 16-bit operands; 8-bit ones are twice as fast, tf32 half.
        mma_latency: cycles from the last product to a result that may be read.
        dot_flops_per_cycle: of `tt.dot` by `mma.sync`.
        tma_bytes_per_cycle: of TMA, either way.
        tma_load_latency, tma_store_latency: cycles beside the bytes' own.
        cp_async_bytes_per_cycle, cp_async_latency: likewise.
        global_bytes_per_cycle: of loads and stores by threads.
        global_latency: of a load; nobody waits for a store.
        shared_bytes_per_cycle, shared_latency: of reads and writes by threads.
        lanes_per_cycle: element operations of one warp, at most four warps at once.
        issue: cycles for a warp group to start an operation of an engine.
        arrive: of an arrival, an announcement of bytes, an initialisation.
        wait: of a wait whose phase is complete already.
        barrier_latency: from the arrival that completes a phase to the waiting group's next instruction.
        fence: of a fence.
        synchronize: of a barrier of a warp group, and of the start of the tasks.
    """

    mma_flops_per_cycle: float = 4096
    mma_latency: int = 32
    dot_flops_per_cycle: float = 2048
    tma_bytes_per_cycle: float = 64
    tma_load_latency: int = 600
    tma_store_latency: int = 600
    cp_async_bytes_per_cycle: float = 64
    cp_async_latency: int = 500
    global_bytes_per_cycle: float = 64
    global_latency: int = 500
    shared_bytes_per_cycle: float = 128
    shared_latency: int = 30
    lanes_per_cycle: float = 32
    issue: int = 10
    arrive: int = 5
    wait: int = 5
    barrier_latency: int = 30
    fence: int = 20
    synchronize: int = 20

    def registers(self, work: RegisterWork, warps: int) -> int:
        """Cycles of a group of `warps` warps."""
        lanes = work.lanes / (self.lanes_per_cycle * min(warps, _QUARTERS))
        return ceil(work.scalars + lanes + work.flops / self.dot_flops_per_cycle)

    def group(self, node: Node) -> int:
        """Cycles of a warp group for a node of its own, at least one."""
        if node.work == SHARED:
            return self.shared_latency + ceil(node.nbytes / self.shared_bytes_per_cycle)
        if node.work in (LOAD, STORE):
            latency = self.global_latency if node.work == LOAD else 0
            return max(latency + ceil(node.nbytes / self.global_bytes_per_cycle), 1)
        named = {ISSUE: self.issue, ARRIVE: self.arrive, WAIT: self.wait, FENCE: self.fence}
        return max({**named, SYNCHRONIZE: self.synchronize}[node.work], 1)

    def engine(self, node: Node) -> tuple[int, int]:
        """Cycles for which an engine is taken, and cycles more until its work is complete.

        An operation that moves nothing, such as the arrival that follows copies, takes no engine.
        """
        if node.work != ENGINE or not (node.nbytes or node.flops):
            return 0, 1
        if node.agent.kind == "mma":
            rate = self.mma_flops_per_cycle * _relative_rate(node.op)
            return ceil(node.flops / rate), self.mma_latency
        rate, latency = {
            "cp_async": (self.cp_async_bytes_per_cycle, self.cp_async_latency),
            "tma_store": (self.tma_bytes_per_cycle, self.tma_store_latency),
        }.get(node.agent.kind, (self.tma_bytes_per_cycle, self.tma_load_latency))
        return ceil(node.nbytes / rate), latency


def _relative_rate(op: Op) -> float:
    return _RELATIVE_RATES.get(str(op.operands[1].type.element), 1.0)
