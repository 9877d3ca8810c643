"""What a trace knows about where it is: the kernel, the task, what its functions leave behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..source import Location
from .async_state import FunctionEnd, Unseen
from .held_ops import Observation
from .targets import Target

__all__ = ["Allocation", "ClusterUse", "KernelState", "RegionDemand", "RingUses", "TaskContext", "TaskDemand"]

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


@dataclass
class RegionDemand:
    """What the tasks of one `async_tasks`, the default one excepted, ask for, and where it stands.

    Args:
        tasks: their demands.
        location: of the `with`.
        exclusive: whether it promises to be the kernel's only one.
        default_registers: registers per thread that the default task asks for; Triton gives it what is left.
        joins_cluster: whether its tasks wait for the CTAs of their cluster.
    """

    tasks: tuple[TaskDemand, ...]
    location: Location
    exclusive: bool = False
    default_registers: int | None = None
    joins_cluster: bool = False


@dataclass
class ClusterUse:
    """What a task, or a kernel outside of its tasks, does in the cluster.

    Args:
        remote: the first place that reaches another CTA.
        straight: cluster barriers that it comes to exactly once each.
        conditional: places of those in loops, branches and helpers.
        places: places of the others.
        entry: outside of tasks, the stand-in of the latest barrier before what reaches other CTAs.
        needed: of these stand-ins, those that something needs.
    """

    remote: Location | None = None
    straight: int = 0
    conditional: dict[Location, None] = field(default_factory=dict)
    places: dict[Location, None] = field(default_factory=dict)
    entry: str | None = None
    needed: set[str | None] = field(default_factory=set)

    @property
    def barriers(self) -> dict[Location, None]:
        """Places of all cluster barriers."""
        return {**self.places, **self.conditional}

    def join(self, place: Location, straight: bool) -> None:
        """Notes a cluster barrier."""
        self.straight += straight
        (self.places if straight else self.conditional)[place] = None

    def take_over(self, inner: ClusterUse) -> None:
        """Notes what a task did that runs on the kernel's own warps alone."""
        if inner.remote is not None:
            self.reach(inner.remote)
        self.straight += inner.straight
        self.places.update(inner.places)
        self.conditional.update(inner.conditional)

    def reach(self, place: Location) -> None:
        """Notes that another CTA is reached."""
        self.remote = self.remote or place
        self.needed.add(self.entry)


@dataclass
class KernelState:
    """Facts about the whole kernel, shared by the traces of all its functions.

    Args:
        target: what the kernel is compiled for.
        num_warps: warps of the default task.
        maxnreg: cap on the registers of a thread, if the launch sets one.
        cluster: shape of the clusters that the kernel is compiled for; None for none.
        allocations: shared buffers and barriers in order of allocation.
        regions: demands of its regions of tasks.
        ends: by function and mangled context, how the traces of it so far end.
        narrow_copies: where cp.async copies elements of less than 4 bytes, which takes pointers and masks that go along
            together.
        held_ops: by op and operand types, the function that stands for it during the passes.
        observations: register tensors whose layouts are wanted after the passes (`tlx.compiler.held_ops`).
        late_ops: by late op and operand types, the function that stands for it (`tlx.compiler.late_ops`).
        tasks_traced: traces of tasks so far.
        dropped: stand-ins of late ops that turned out not to be needed.
    """

    target: Target
    num_warps: int
    maxnreg: int | None = None
    cluster: tuple[int, int, int] | None = None
    allocations: list[Allocation] = field(default_factory=list)
    regions: list[RegionDemand] = field(default_factory=list)
    ends: dict[tuple[Callable, str], FunctionEnd] = field(default_factory=dict)
    narrow_copies: list[Location] = field(default_factory=list)
    held_ops: dict[tuple[str, ...], str] = field(default_factory=dict)
    observations: list[Observation] = field(default_factory=list)
    late_ops: dict[tuple[str, ...], str] = field(default_factory=dict)
    tasks_traced: int = 0
    dropped: set[str] = field(default_factory=set)


class TaskContext:
    """The task that a function is traced for. Triton passes it from caller to callee and mangles it into names.

    Args:
        kernel: facts about the whole kernel.
        num_warps: warps of the task.
        replica: number of the task's replica; None outside of tasks.
        unseen: who may not yet see what was stored before the function is entered.
        number: of this trace of a task in the kernel. Helpers are traced anew for each, so that what they do is
            known to be done by this task.
        ring_uses: what the task does to rings; its helpers add to it.
        cluster_use: what it does in the cluster, likewise.
    """

    def __init__(self, kernel: KernelState, num_warps: int, replica: int | None = None, unseen: Unseen = Unseen.NOBODY):
        self.kernel = kernel
        self.num_warps = num_warps
        self.replica = replica
        self.unseen = unseen
        self.number = kernel.tasks_traced
        self.ring_uses: RingUses = {}
        self.cluster_use = ClusterUse()

    @property
    def in_task(self) -> bool:
        return self.replica is not None

    def entering(self, unseen: Unseen) -> TaskContext:
        """The context of a function called from here."""
        inner = TaskContext(self.kernel, self.num_warps, self.replica, unseen)
        inner.number, inner.ring_uses, inner.cluster_use = self.number, self.ring_uses, self.cluster_use
        return inner

    def mangle(self) -> str:
        task = f"_T{self.number}_NW{self.num_warps}_R{self.replica}" if self.in_task else ""
        return task + (f"_U{self.unseen.value}" if self.unseen else "")

    def initialize_callee(self, fn, builder) -> None:
        """Tells the passes for how many warps a helper's function is; called by Triton."""
        if self.in_task:
            fn.set_attr("ttg.num-warps", builder.get_int32_attr(self.num_warps))
