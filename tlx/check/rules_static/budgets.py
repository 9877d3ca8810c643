"""Shared memory, registers and threads of a CTA, against what the target has."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiler.budget import shared_memory_exceeded
from ...compiler.task_context import Allocation
from ...ir.model import MemDescType, Op, Region
from ..analysis.views import box_bytes, name_of
from ..findings import Finding
from .context import Context, undecided
from .rules import REGISTERS, SHARED_MEMORY, THREADS

__all__ = ["registers", "shared_memory", "threads"]


def shared_memory(context: Context) -> Iterator[Finding]:
    """The bytes that Triton allocated, scratch included."""
    total = context.module.attributes.get("ttg.shared")
    kernel = context.module.kernel
    if total is None:
        yield undecided(SHARED_MEMORY, "the late passes that allocate it have not run", kernel)
        return
    if total <= context.target.shared_bytes:
        return
    allocations = [_allocation(op) for op in context.ops("ttg.local_alloc")]
    if not allocations:
        what = f"the compiler's scratch is {total:,} B, {context.target.name} has {context.target.shared_bytes:,} B"
        yield Finding(SHARED_MEMORY, what, kernel.location, hint="make the tensors that change layouts smaller")
        return
    error = shared_memory_exceeded(allocations, total, context.target)
    yield Finding(SHARED_MEMORY, error.what, error.location, hint=error.hint)


def _allocation(op: Op) -> Allocation:
    type_: MemDescType = op.result.type
    slots = type_.shape[0] if len(type_.shape) > 2 or str(type_.element) == "i64" else 1
    return Allocation(name_of(op), box_bytes(op.result) // slots, slots, op.location)


def registers(context: Context) -> Iterator[Finding]:
    """What each task asked for and what it gets; Triton drops all requests of a region that don't fit together."""
    least, most = context.target.register_range
    for op in context.ops("ttg.warp_specialize"):
        requested = op.attributes.get("requestedRegisters", ())
        for region, count in zip(op.regions[1:], requested):
            if not _is_filler(region) and not least <= count <= most:
                what = f"{region.name} asks for {count} registers per thread; setmaxnreg takes {least} to {most}"
                hint = f"ask for a multiple of {context.target.register_step} in that range"
                yield Finding(REGISTERS, what, op.location, group=region.name, hint=hint)
        if requested and "actualRegisters" not in op.attributes:
            yield _requests_dropped(context, op, requested)
        for region, asked, granted in zip(op.regions[1:], requested, op.attributes.get("actualRegisters", ())[1:]):
            if granted < asked:
                what = f"{region.name} asks for {asked} registers per thread and gets {granted}"
                yield Finding(REGISTERS, what, op.location, group=region.name, hint="raise the launch's maxnreg")


def _requests_dropped(context: Context, op: Op, requested: tuple[int, ...]) -> Finding:
    group = context.target.warp_group
    threads = [max(warps, group) * context.target.warp_size for warps in op.attributes["num_warps"]]
    asked = " + ".join(f"{count} x {n}" for count, n in zip(requested, threads))
    total = sum(count * n for count, n in zip(requested, threads))
    what = (
        f"the tasks ask for {asked} = {total:,} registers of {context.target.registers:,}, which leaves too few for "
        "the default task; Triton drops every request and all tasks share the registers alike"
    )
    return Finding(REGISTERS, what, op.location, hint="ask for fewer registers in the largest tasks")


def _is_filler(region: Region) -> bool:
    """Whether Triton added the task to fill up a warp group."""
    return [op.name for op in region.entry.ops] == ["ttg.warp_return"]


def threads(context: Context) -> Iterator[Finding]:
    """All warps of the CTA, those that fill up warp groups included."""
    warps = context.module.attributes.get("ttg.total-num-warps", context.module.attributes.get("ttg.num-warps", 0))
    count = warps * context.target.warp_size
    if count > context.target.threads:
        regions = context.ops("ttg.warp_specialize")
        tasks = " + ".join(str(n) for n in regions[0].attributes["num_warps"]) if regions else ""
        what = (
            f"the default task has {context.module.attributes['ttg.num-warps']} warps, the others {tasks}: {warps} "
            f"warps = {count:,} threads; a CTA of {context.target.name} has at most {context.target.threads:,}"
        )
        place = (regions[0] if regions else context.module.kernel).location
        yield Finding(THREADS, what, place, hint="use fewer or smaller tasks")
