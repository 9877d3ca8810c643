"""Every error that tlx raises on purpose: one class for each mistake.

An error says what is wrong, shows the user's line with a caret, and says what to do. `docs/errors.md` is generated
from the classes here and in `tlx.sim.errors`; `tests/test_errors.py` provokes each of them.
"""

from __future__ import annotations

from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources

from .source import Location


class TLXError(Exception):
    """Base of all errors of tlx.

    Args:
        what: what is wrong, with the arithmetic.
        hint: what to do about it.
        location: the user's source line; filled in later where the raiser can't know it.
    """

    def __init__(self, what: str, hint: str = "", location: Location | None = None):
        Exception.__init__(self, what)
        self.what = what
        self.hint = hint
        self.location = location or Location()

    def at(self, location: Location) -> TLXError:
        """Adds the place if none is known yet; returns self."""
        if not self.location.known:
            self.location = location
        return self

    def __str__(self) -> str:
        parts = [self.what, self.location.render(), f"help: {self.hint}" if self.hint else ""]
        return "\n".join(part for part in parts if part)

    def __reduce__(self):
        return type(self), (self.what, self.hint, self.location)


class LanguageError(TLXError, CompilationError):
    """Base of the errors found while a kernel is compiled. Also a `triton.CompilationError`."""

    # What `CompilationError` promises to its readers; the text itself comes from TLXError.
    src = None
    node = None

    @property
    def error_message(self) -> str:
        return self.what

    @property
    def message(self) -> str:
        return str(self)

    @message.setter
    def message(self, _):
        pass


class ResourceError(LanguageError, OutOfResources):
    """Base of the errors about a budget of the target. Also `triton.OutOfResources`, so autotuning skips the config."""


# --- targets and budgets ---


class UnsupportedTarget(LanguageError):
    """The architecture has no lowering."""


class SharedMemoryExceeded(ResourceError):
    """The buffers of a kernel need more shared memory than a CTA may have."""


class RegisterFileExceeded(ResourceError):
    """The tasks ask for more registers than the register file has; Triton would drop every request."""


class TooManyThreads(ResourceError):
    """The tasks need more threads than a CTA may have."""


# --- tasks ---


class InvalidTask(LanguageError):
    """An `async_task` or `async_tasks` is written in a way that has no meaning."""


class DefaultTaskError(LanguageError):
    """`async_tasks` has no default task, or more than one."""


class InvalidWarpCount(LanguageError):
    """A task has a number of warps that Triton or the MMA can't use."""


class InvalidRegisterCount(LanguageError):
    """A task asks for a number of registers that `setmaxnreg` doesn't take."""


class ReturnInTask(LanguageError):
    """`return` inside a task."""


class TensorCapture(LanguageError):
    """A task uses a register tensor that was computed outside of it."""


# --- control flow ---


class InvalidLoop(LanguageError):
    """A loop whose bounds, or a loop or branch whose values, have no single type."""


# --- buffers, barriers, TMA ---


class InvalidBuffer(LanguageError):
    """A shared buffer is declared or viewed in a way that has no meaning."""


class InvalidAlias(LanguageError):
    """Buffers are to share memory in a way that can't be, or that is declared too late."""


class AliasTooSmall(LanguageError):
    """Memory that is to be shared is smaller than what is to lie in it."""


class NotABuffer(LanguageError):
    """Something that is no shared buffer, such as a barrier, is used as one."""


class NotATensor(LanguageError):
    """Something that is no register tensor, such as a shared buffer, is computed with."""


class NotABarrier(LanguageError):
    """Something that is no mbarrier is used as one."""


class IndexOutOfRange(LanguageError):
    """A constant index lies outside the ring of buffers or barriers."""


class RingNotIndexed(LanguageError):
    """A whole ring of buffers or barriers is used where one slot is needed."""


class InvalidBarrier(LanguageError):
    """A barrier is declared or used with a count that mbarriers don't take."""


class InvalidPhase(LanguageError):
    """A constant phase that is not 0 or 1."""


class NeedsBlackwell(LanguageError):
    """Something that only the hardware of Blackwell (sm_100) has."""


class InvalidPredicate(LanguageError):
    """The condition of an op is no scalar."""


class NotInTriton(LanguageError):
    """Something that the installed Triton has no op for."""


class InvalidRing(LanguageError):
    """A ring that owns its phases is declared or used in a way that has no meaning."""


class NotARingBuffer(LanguageError):
    """A slot of a ring is asked for a buffer that it doesn't have."""


class RingTaskMismatch(LanguageError):
    """More or fewer tasks fill or release a ring than it declares."""


class RingOrder(LanguageError):
    """A task commits a slot of a ring that it never acquires, or releases one that it never waits for."""


class ShapeMismatch(LanguageError):
    """A tensor, a buffer or a descriptor has another shape than its counterpart."""


class DtypeMismatch(LanguageError):
    """A tensor, a buffer or a descriptor has another element type than its counterpart."""


class LayoutMismatch(LanguageError):
    """A buffer is laid out in another way than the descriptor or the tensor cores that use it expect."""


class InvalidLayout(LanguageError):
    """A layout has no meaning, or doesn't fit the buffer, the tensor or the task that it is for."""


class LayoutsDiffer(LanguageError):
    """`assert_same_layout` found two layouts."""


class NotADescriptor(LanguageError):
    """Something that is no tensor descriptor is used as one."""


class InvalidCopy(LanguageError):
    """A copy whose pointers, mask, fill or size cp.async or the bulk engine doesn't take."""


class InvalidReduction(LanguageError):
    """A reduction that TMA doesn't have."""


class InvalidHint(LanguageError):
    """A cache modifier, an eviction policy or a cache level that doesn't exist."""


class InvalidDescriptor(LanguageError):
    """A tensor descriptor is made, or placed, in a way that TMA doesn't take."""


class InvalidThreadOp(LanguageError):
    """An op on single threads with arguments that the hardware doesn't take."""


# --- clusters ---


class InvalidCluster(LanguageError):
    """A cluster has a shape that the hardware doesn't take, or an op on it an argument that has no meaning."""


class GridNotDivisible(TLXError):
    """A kernel is launched on a grid that its clusters don't divide."""


class NoCluster(LanguageError):
    """Something that reaches other CTAs of a cluster, in a kernel that is compiled without one."""


class RankOutOfRange(LanguageError):
    """A constant rank lies outside the cluster."""


class ClusterSyncMismatch(LanguageError):
    """Some warps of a CTA would never join a barrier of the cluster, which would hang."""


class RemoteOutsideTasks(LanguageError):
    """A kernel with tasks reaches other CTAs outside of them, where nothing says that those are ready."""


class RemoteBarrier(LanguageError):
    """A barrier of another CTA is used where only a barrier of this one can be."""


# --- MMA ---


class InvalidMMA(LanguageError):
    """Operands whose shape, element type or place the tensor cores can't take."""


class UseBeforeWait(LanguageError):
    """The result of an asynchronous MMA is used before the wait that completes it."""


__all__ = [name for name, value in list(globals().items()) if isinstance(value, type) and issubclass(value, TLXError)]
