"""Ops for which Triton's builders have no method, written into the module as text.

The front end calls a private function `@__tlx_NAME_n` that is only declared. Before any pass runs, `splice` replaces
each call by the op's own spelling, so that the passes see its true effects. Each spelling was found right on all
supported minors: `nvvm.barrier` is silently turned into the task's own barrier on 3.8 and 3.9, inline PTX is not
convergent, and `gpu.thread_id` counts from the task's first thread.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from triton._C.libtriton import ir

from .tensor_maps import tensor_map_op
from .versions import SHARED_ADDRESS_BITS

__all__ = ["LATE_OPS", "emit", "emit_undecided", "parse", "splice"]

PREFIX = "__tlx_"
TEMPORARY = "%tlx_temporary"  # a value between the ops of one spelling; numbered when it is spliced in

Speller = Callable[[list[str], list[str], str], str]


def intrinsic(name: str) -> Speller:
    """An LLVM intrinsic called with the operands as they are."""

    def spell(operands: list[str], types: list[str], result: str) -> str:
        return f'llvm.call_intrinsic "{name}"({", ".join(operands)}) : ({", ".join(types)}) -> {result}'

    return spell


def descriptor_load(operands: list[str], types: list[str], result: str) -> str:
    """`tt.descriptor_load`, which stock TMA lowering turns into a load, a barrier and a wait."""
    descriptor, *offsets = operands
    return f"tt.descriptor_load {descriptor}[{', '.join(offsets)}] : {types[0]} -> {result}"


def descriptor_store(operands: list[str], types: list[str], result: str) -> str:
    """`tt.descriptor_store`, which stock TMA lowering turns into a store and a wait."""
    descriptor, value, *offsets = operands
    return f"tt.descriptor_store {descriptor}[{', '.join(offsets)}], {value} : {types[0]}, {types[1]}"


def descriptor_reduce(kind: str) -> Speller:
    """`tt.descriptor_reduce`, which stock TMA lowering turns into a reduction and a wait."""

    def spell(operands: list[str], types: list[str], result: str) -> str:
        descriptor, value, *offsets = operands
        return f"tt.descriptor_reduce {kind}, {descriptor}[{', '.join(offsets)}], {value} : {types[0]}, {types[1]}"

    return spell


def tensormap_acquire(operands: list[str], types: list[str], result: str) -> str:
    """The fence after which TMA sees a descriptor that was written to a place."""
    return f"ttng.tensormap_fenceproxy_acquire {operands[0]} : {types[0]}"


def tensormap_reinterpret(operands: list[str], types: list[str], result: str) -> str:
    """The descriptor at a place."""
    return f"ttng.reinterpret_tensor_descriptor {operands[0]} : {types[0]} to {result}"


def plain(*ops: str) -> Speller:
    """Ops without operands, one after the other."""
    return lambda operands, types, result: "\n".join(ops)


def descriptor_address(operands: list[str], types: list[str], result: str) -> str:
    """The address of a tensor descriptor for inline PTX: the back end turns a descriptor into a pointer."""
    return (
        f"{TEMPORARY} = builtin.unrealized_conversion_cast {operands[0]} : {types[0]} to !llvm.ptr\n"
        f"llvm.ptrtoint {TEMPORARY} : !llvm.ptr to {result}"
    )


def shared_address(operands: list[str], types: list[str], result: str) -> str:
    """The address of a buffer's or barrier's first byte in the CTA's shared memory."""
    return f"tti.experimental_memdesc_to_i{SHARED_ADDRESS_BITS} {operands[0]} : {types[0]}"


CLUSTER_BARRIER = ("nvvm.cluster.arrive {aligned}", "nvvm.cluster.wait {aligned}")

LATE_OPS: dict[str, Speller] = {
    "named_barrier_wait": intrinsic("llvm.nvvm.barrier.cta.sync.aligned.count"),
    "named_barrier_arrive": intrinsic("llvm.nvvm.barrier.cta.arrive.aligned.count"),
    "thread_id_x": intrinsic("llvm.nvvm.read.ptx.sreg.tid.x"),
    "thread_id_y": intrinsic("llvm.nvvm.read.ptx.sreg.tid.y"),
    "thread_id_z": intrinsic("llvm.nvvm.read.ptx.sreg.tid.z"),
    "clock64": intrinsic("llvm.nvvm.read.ptx.sreg.clock64"),
    "vote_ballot_sync": intrinsic("llvm.nvvm.vote.ballot.sync"),
    "shared_address": shared_address,
    "cluster_barrier": plain(*CLUSTER_BARRIER),
    "cluster_entry": plain("nvvm.fence.mbarrier.init", *CLUSTER_BARRIER),
    "cluster_rank": plain("nvvm.read.ptx.sreg.cluster.ctarank : i32"),
    "fence_mbarrier_init": plain("nvvm.fence.mbarrier.init"),
    "elect_sync": plain("nvvm.elect.sync -> i1"),
    "descriptor_address": descriptor_address,
    "descriptor_load": descriptor_load,
    "descriptor_store": descriptor_store,
    **{f"descriptor_{kind}": descriptor_reduce(kind) for kind in ("add", "min", "max", "and", "or", "xor")},
    "tensormap_acquire": tensormap_acquire,
    "tensormap_reinterpret": tensormap_reinterpret,
}


def emit(name: str, operands: Sequence[Any], result: Any, semantic) -> Any:
    """Emits a call that stands for the op.

    Args:
        name: key of LATE_OPS, or a name of `tensor_maps`.
        operands: handles.
        result: IR type of the result, or None.
        semantic: of the trace.

    Returns:
        the handle of the result, or None.
    """
    types = [operand.get_type() for operand in operands]
    declared = semantic.task.kernel.late_ops
    key = (name, *map(str, types), str(result))
    if key not in declared:
        declared[key] = declare(name, types, result, semantic)
    call = semantic.builder.call(semantic.module.get_function(declared[key]), list(operands))
    return call.get_result(0) if result is not None else None


def emit_undecided(name: str, semantic) -> str:
    """Emits a stand-in of its own for an op without operands, whose need shows later in the trace.

    Returns:
        its name: in `KernelState.dropped`, the op is left out.
    """
    declared = semantic.task.kernel.late_ops
    function = declared[name, str(len(declared))] = declare(name, [], None, semantic)
    semantic.builder.call(semantic.module.get_function(function), [])
    return function


def declare(name: str, types: list[Any], result: Any, semantic) -> str:
    """Declares one more function that stands for an op; returns its name."""
    function_name = f"{PREFIX}{name}_{len(semantic.task.kernel.late_ops)}"
    function_type = semantic.builder.get_function_ty(types, [result] if result is not None else [])
    # A builder of its own: the semantic's stands where the op goes.
    builder = ir.builder(semantic.context)
    function = builder.get_or_insert_function(semantic.module, function_name, function_type, "private", True)
    semantic.module.push_back(function)
    return function_name


def splice(module, context, dropped: Collection[str]):
    """The module with each stand-in replaced by its op; the module itself if it has none.

    Args:
        module: of the trace.
        context: MLIR's.
        dropped: names of stand-ins whose ops aren't needed.
    """
    text = str(module)
    if PREFIX not in text:
        return module
    text = re.sub(rf"\n *tt\.func private @{PREFIX}\w+\([^\n]*", "", text)
    if dropped:
        text = re.sub(rf"\n *tt\.call @({'|'.join(dropped)})\(\)[^\n]*", "", text)
    numbers = itertools.count()
    text = CALL.sub(lambda match: spell_call(match, next(numbers)), text)
    return parse(text, context)


def parse(text: str, context):
    """The module of a text of TTGIR."""
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as file:
        file.write(text)
    try:
        module = ir.parse_mlir_module(file.name, context)
    finally:
        Path(file.name).unlink()
    module.context = context
    return module


CALL = re.compile(
    rf"(%\w+ = )?tt\.call @{PREFIX}(\w+?)_\d+\((.*?)\) : \((.*)\) -> (\(\)|[^\n]*?)(?=$| loc\()", re.MULTILINE
)


def spell_call(match: re.Match, number: int) -> str:
    """The op's own spelling, from the call's operands and types; its last line has the call's result."""
    assignment, name, operands, types, result = match.groups()
    spell = tensor_map_op(name) or LATE_OPS[name]
    *before, last = spell(split_list(operands), split_list(types), result).splitlines()
    lines = [*before, (assignment or "") + last]
    return "\n".join(lines).replace(TEMPORARY, f"{TEMPORARY}_{number}")


def split_list(text: str) -> list[str]:
    """The items of a comma-separated list; commas inside brackets don't count."""
    items, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += char in "<([{"
        depth -= char in ">)]}" and text[i - 1] != "-"
        if char == "," and depth == 0:
            items.append(text[start:i].strip())
            start = i + 1
    return [*items, text[start:].strip()] if text.strip() else []
