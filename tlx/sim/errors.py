"""What can go wrong while a kernel is simulated: one class for each mistake."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import TLXError
from ..source import Location

__all__ = [
    "ArgumentError",
    "AssertionFailed",
    "BarrierMisuse",
    "BlockedGroup",
    "BufferBoundsError",
    "DeadlockError",
    "DescriptorError",
    "DeviceTensorError",
    "DivergentThreads",
    "EngineInFlight",
    "LeftoverPhase",
    "MisalignedAccess",
    "NoSuchPeer",
    "OutOfBounds",
    "PeerGone",
    "PeerNotReady",
    "SimulationError",
    "SimulationWarning",
    "UndefinedValue",
    "UnfinishedResult",
    "UninitializedRead",
    "UnknownFunction",
    "UnsupportedLayout",
    "UnsupportedOp",
]


class SimulationError(TLXError):
    """Base of the errors found while a kernel is simulated.

    Attributes:
        seed: of the schedule under which it came; None before the launch.
        agent: who made the mistake, a warp group or an operation of an engine; "" where it is nobody's alone.
        program_id: the CTA.
    """

    seed: int | None = None
    agent: str = ""
    program_id: tuple[int, int, int] | None = None


class UnsupportedOp(SimulationError):
    """The simulator has no meaning for an op of the kernel."""


class UnsupportedLayout(SimulationError):
    """The simulator doesn't know where a shared layout puts its elements."""


class ArgumentError(SimulationError):
    """A kernel argument can't be used in the simulator."""


class DeviceTensorError(ArgumentError):
    """A tensor in GPU memory was passed to a simulated kernel."""


class BufferBoundsError(SimulationError):
    """An index, or a view, leaves its shared-memory buffer."""


class DivergentThreads(SimulationError):
    """A branch, a bound or a tensor depends on a scalar that differs between the threads of a warp group."""


class UndefinedValue(SimulationError):
    """An op gets a value for which its result is not defined, and differs between GPUs or Triton minors."""


class OutOfBounds(SimulationError):
    """A pointer access outside the storage of the argument that the pointer derives from."""


class MisalignedAccess(SimulationError):
    """A pointer access at an address that isn't a multiple of the element's size."""


class AssertionFailed(SimulationError):
    """A `tl.device_assert` of the kernel failed."""


class UnknownFunction(UnsupportedOp):
    """The simulator has no meaning for a libdevice function or for inline PTX."""


class DescriptorError(SimulationError):
    """A tensor descriptor that TMA can't use, or can't use so."""


class UninitializedRead(SimulationError):
    """Shared memory was read where nothing had been written."""


class BarrierMisuse(SimulationError):
    """An mbarrier was used as data, data as an mbarrier, or an mbarrier in a way that PTX leaves undefined."""


class UnfinishedResult(SimulationError):
    """The result of an async MMA was used before the wait that retires it."""


class EngineInFlight(SimulationError):
    """A CTA ended while an engine could still touch its shared memory."""


class NoSuchPeer(SimulationError):
    """A CTA is named that the cluster doesn't have."""


class PeerNotReady(SimulationError):
    """The shared memory of another CTA of the cluster is reached before it is there, or its mbarrier initialised."""


class PeerGone(SimulationError):
    """The shared memory of another CTA of the cluster is reached after that CTA has ended."""


class SimulationWarning(UserWarning):
    """Something that ends well by luck: a barrier left inside a phase at the end of the kernel, a TMA store that writes
    behind the end of a row."""


@dataclass(frozen=True)
class LeftoverPhase:
    """A barrier that was inside a phase when its CTA ended.

    Args:
        barrier: its name in the source.
        slot: its place in the array of barriers, None if there is no array.
        phases_done: completed phases.
        arrived: arrivals in the open phase.
        expected: arrivals that the phase needs.
        bytes_missing: bytes expected and not landed; negative if bytes landed that nobody expected.
        location: where it was allocated.
    """

    barrier: str
    slot: int | None
    phases_done: int
    arrived: int
    expected: int
    bytes_missing: int
    location: Location

    @property
    def full_name(self) -> str:
        """`full[2]`, as the source would say."""
        return self.barrier if self.slot is None else f"{self.barrier}[{self.slot}]"

    def __str__(self) -> str:
        text = f"{self.full_name} ends inside phase {self.phases_done}: {self.arrived} of {self.expected} arrivals"
        if self.bytes_missing > 0:
            text += f", {self.bytes_missing:,} bytes missing"
        if self.bytes_missing < 0:
            text += f", {-self.bytes_missing:,} bytes landed that nobody expected"
        return text


@dataclass(frozen=True)
class BlockedGroup:
    """One warp group that can't go on.

    Args:
        group: name of the warp group.
        program_id: its CTA.
        rank: of the CTA in its cluster; None without a cluster.
        location: the wait it stands in.
        iteration: how often the group had passed this wait before.
        waits_for: what it waits for, in words.
        barrier, slot, parity: the mbarrier and the parity waited for; None if it waits for something else.
        phases_done, arrived, expected, bytes_missing: that barrier's state.
        cause: the likely cause, in words.
    """

    group: str
    program_id: tuple[int, int, int]
    location: Location
    iteration: int
    waits_for: str
    barrier: str | None = None
    slot: int | None = None
    parity: int | None = None
    phases_done: int = 0
    arrived: int = 0
    expected: int = 0
    bytes_missing: int = 0
    cause: str = ""
    rank: int | None = None

    @property
    def who(self) -> str:
        """`partition0`, or `partition0 of CTA 1 of the cluster`."""
        return self.group if self.rank is None else f"{self.group} of CTA {self.rank} of the cluster"

    def __str__(self) -> str:
        lines = [f"{self.who}, iteration {self.iteration}: waits for {self.waits_for}"]
        if self.location.known:
            lines.append(self.location.render())
        if self.cause:
            lines.append(f"likely: {self.cause}")
        return "\n  ".join("\n".join(lines).splitlines())


class DeadlockError(SimulationError):
    """No warp group can go on, no engine is in flight, and the kernel isn't finished. `blocked` lists the groups."""

    def __init__(self, what: str, blocked: list[BlockedGroup], location: Location | None = None):
        super().__init__(what, location=location)
        self.blocked = blocked

    def __str__(self) -> str:
        return "\n".join([self.what, *map(str, self.blocked)])

    def __reduce__(self):
        return type(self), (self.what, self.blocked, self.location)
