"""Kernels to TTGIR by tlx alone, without the stages below it; and what stands in it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend

from tlx.compiler.jit import TLXFunction, TLXSource
from tlx.ir import Block, Op, Region, parse
from tlx.sim.program import lower_late

TARGET = GPUTarget("cuda", 90, 32)

SHORT = {
    "ttg.local_store": "store",
    "ttg.local_load": "load",
    "ttg.local_dealloc": "dealloc",
    "ttng.fence_async_shared": "fence",
    "ttng.arrive_barrier": "arrive",
    "ttng.barrier_expect": "expect",
    "ttng.wait_barrier": "wait",
    "ttng.async_tma_copy_global_to_local": "tma load",
    "ttng.async_tma_copy_local_to_global": "tma store",
    "ttng.warp_group_dot": "mma",
    "ttg.warp_specialize": "tasks",
    "tt.return": "return",
}


def lower(
    kernel: TLXFunction, signature: dict[str, str] | None = None, constexprs: dict | None = None, **options
) -> str:
    """The TTGIR that tlx hands to the stock back end. A type that ends with `:16` is known to be divisible by 16."""
    constexprs, signature = constexprs or {}, signature or {}
    types = ["constexpr" if name in constexprs else signature[name] for name in kernel.arg_names]
    attributes = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(types) if kind.endswith(":16")}
    types = {name: kind.removesuffix(":16") for name, kind in zip(kernel.arg_names, types)}
    source = TLXSource(kernel, types, constexprs, attributes)
    backend = make_backend(TARGET)
    options = backend.parse_options({"enable_fp_fusion": True, **options})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    arguments = (options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    return str(source.make_ir(TARGET, *arguments))


def lowered_late(ttgir: str) -> str:
    """The TTGIR after the stock passes that allocate warps, registers and shared memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ttgir"
        path.write_text(ttgir)
        return lower_late(str(path), TARGET)


def events(region: Region) -> list[str]:
    """The ops of a region that touch or order shared memory, by short names: those in its loops and branches too, those
    in its tasks not."""
    return [event for block in region.blocks for event in block_events(block)]


def block_events(block: Block) -> list[str]:
    """The same of one block."""
    found = []
    for op in block.ops:
        found += [SHORT[op.name]] if op.name in SHORT else []
        if op.name != "ttg.warp_specialize":
            found += [event for region in op.regions for event in events(region)]
    return found


def kernel_body(ttgir: str) -> Region:
    """The body of the kernel's function."""
    return parse(ttgir).kernel.regions[0]


def find(ttgir: str, name: str) -> list[Op]:
    """All ops of that name."""
    return [op for op in parse(ttgir).walk() if op.name == name]


def task(ttgir: str, name: str) -> Region:
    """The region of a task: "default", "partition0", ..."""
    (op,) = find(ttgir, "ttg.warp_specialize")
    (region,) = [region for region in op.regions if region.name == name]
    return region
