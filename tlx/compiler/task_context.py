"""What a trace knows about where it is: the kernel, the task, what is in flight and what is unfenced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..source import Location
from .held_ops import Observation
from .targets import Target

__all__ = ["Allocation", "KernelState", "RegionDemand", "RingUses", "TaskContext", "TaskDemand"]

# By ring and operation on it (`tlx.language.pipelines`), the first place where the task does that.
RingUses = dict[tuple[Any, str], Location]


@dataclass
class Allocation:
    """A ring in shared memory, as the budget check lists it.

    Args:
        name: the variable that holds it.
        bytes_per_slot: size of one slot.
        slots: length of the ring.
        location: where it was allocated.
    """

    name: str
    bytes_per_slot: int
    slots: int
    location: Location

    @property
    def bytes(self) -> int:
        return self.bytes_per_slot * self.slots


@dataclass(frozen=True)
class TaskDemand:
    """Warps and registers that one copy of a task asks for."""

    num_warps: int
    registers: int | None


@dataclass(frozen=True)
class RegionDemand:
    """What the tasks of one `async_tasks`, the default one excepted, ask for, and where it stands."""

    tasks: tuple[TaskDemand, ...]
    location: Location


@dataclass
class KernelState:
    """Facts about the whole kernel, shared by the traces of all its functions.

    Args:
        target: what the kernel is compiled for.
        num_warps: warps of the default task.
        maxnreg: cap on the registers of a thread, if the launch sets one.
        allocations: shared buffers and barriers in order of allocation.
        regions: demands of its regions of tasks.
        ends_unfenced: by function and mangled context, whether any trace of it so far returns with shared memory
            written and not yet fenced.
        narrow_copies: where cp.async copies elements of less than 4 bytes, which takes pointers and masks that go along
            together.
        held_ops: by op and operand types, the function that stands for it during the passes.
        observations: register tensors whose layouts are wanted after the passes (`tlx.compiler.held_ops`).
        late_ops: by late op and operand types, the function that stands for it (`tlx.compiler.late_ops`).
        tasks_traced: traces of tasks so far.
    """

    target: Target
    num_warps: int
    maxnreg: int | None = None
    allocations: list[Allocation] = field(default_factory=list)
    regions: list[RegionDemand] = field(default_factory=list)
    ends_unfenced: dict[tuple[Callable, str], bool] = field(default_factory=dict)
    narrow_copies: list[Location] = field(default_factory=list)
    held_ops: dict[tuple[str, ...], str] = field(default_factory=dict)
    observations: list[Observation] = field(default_factory=list)
    late_ops: dict[tuple[str, ...], str] = field(default_factory=dict)
    tasks_traced: int = 0


class TaskContext:
    """The task that a function is traced for. Triton passes it from caller to callee and mangles it into names.

    Args:
        kernel: facts about the whole kernel.
        num_warps: warps of the task.
        replica: number of the task's replica; None outside of tasks.
        unfenced: whether the function is entered with shared memory written and not yet fenced.
        number: of this trace of a task in the kernel. Helpers are traced anew for each, so that what they do is
            known to be done by this task.
        ring_uses: what the task does to rings; its helpers add to it.
    """

    def __init__(self, kernel: KernelState, num_warps: int, replica: int | None = None, unfenced: bool = False):
        self.kernel = kernel
        self.num_warps = num_warps
        self.replica = replica
        self.unfenced = unfenced
        self.number = kernel.tasks_traced
        self.ring_uses: RingUses = {}

    @property
    def in_task(self) -> bool:
        return self.replica is not None

    def entering(self, unfenced: bool) -> TaskContext:
        """The context of a function called from here."""
        inner = TaskContext(self.kernel, self.num_warps, self.replica, unfenced)
        inner.number, inner.ring_uses = self.number, self.ring_uses
        return inner

    def mangle(self) -> str:
        task = f"_T{self.number}_NW{self.num_warps}_R{self.replica}" if self.in_task else ""
        return task + ("_unfenced" if self.unfenced else "")

    def initialize_callee(self, fn, builder) -> None:
        """Tells the passes for how many warps a helper's function is; called by Triton."""
        if self.in_task:
            fn.set_attr("ttg.num-warps", builder.get_int32_attr(self.num_warps))
