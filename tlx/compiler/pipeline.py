"""The passes that turn a trace into TTGIR for the stock back end, by target: stock passes, in order, by name."""

from __future__ import annotations

from collections.abc import Callable

from triton._C.libtriton import ir, nvidia, passes

from .targets import Target

__all__ = ["PIPELINES", "inline_helpers", "run_passes"]

Pass = tuple[str, Callable]

common, gluon, ttir, ttgpuir = passes.common, passes.gluon, passes.ttir, passes.ttgpuir
ttnvgpuir = nvidia.passes.ttnvgpuir


def hopper(num_stages: int, arch: int) -> list[Pass]:
    """sm_90: layouts are cleaned up, `tl.dot` becomes wgmma, loops over it are pipelined."""
    return [
        # Also drops loops of one trip, on which 3.7's removal of layout conversions fails.
        ("canonicalize", common.add_canonicalizer),
        ("unroll loops", ttir.add_loop_unroll),
        # Layouts: wide global accesses first, then drop the conversions that this leaves behind.
        ("coalesce", ttgpuir.add_coalesce),
        ("remove layout conversions", ttgpuir.add_remove_layout_conversions),
        ("optimize thread locality", ttgpuir.add_optimize_thread_locality),
        # tl.dot
        ("accelerate matmul", ttgpuir.add_accelerate_matmul),
        ("remove layout conversions", ttgpuir.add_remove_layout_conversions),
        ("optimize dot operands", lambda pm: ttgpuir.add_optimize_dot_operands(pm, True)),
        ("loop-aware cse", ttir.add_loop_aware_cse),
        ("assign latencies", lambda pm: ttgpuir.add_assign_latencies(pm, num_stages)),
        ("schedule loops", ttgpuir.add_schedule_loops),
        ("pipeline", lambda pm: ttgpuir.add_pipeline(pm, num_stages, False)),
        ("canonicalize", common.add_canonicalizer),
        ("loop-aware cse", ttir.add_loop_aware_cse),
        ("prefetch", ttgpuir.add_prefetch),
        ("optimize dot operands", lambda pm: ttgpuir.add_optimize_dot_operands(pm, True)),
        ("coalesce async copies", ttgpuir.add_coalesce_async_copy),
        # Before the last removal of conversions: a store through a descriptor takes its tensor in any layout.
        ("lower TMA", ttnvgpuir.add_tma_lowering),
        # Clean up
        ("remove layout conversions", ttgpuir.add_remove_layout_conversions),
        ("reduce data duplication", ttgpuir.add_reduce_data_duplication),
        ("reorder instructions", ttgpuir.add_reorder_instructions),
        ("loop-aware cse", ttir.add_loop_aware_cse),
        ("drop unused symbols", common.add_symbol_dce),
        ("insert fences", lambda pm: ttnvgpuir.add_fence_insertion(pm, arch)),
    ]


PIPELINES = {90: hopper}


def inline_helpers(module) -> None:
    """Puts helpers where they are called; before late ops are spliced in, since MLIR inlines no function with those."""
    manager = ir.pass_manager(module.context)
    gluon.add_inliner(manager)
    manager.run(module, "tlx")


def run_passes(module, target: Target, num_stages: int) -> None:
    """Runs the target's passes on a module in place."""
    manager = ir.pass_manager(module.context)
    manager.enable_debug()
    for _, add in PIPELINES[target.arch](num_stages, target.arch):
        add(manager)
    manager.run(module, "tlx")
