"""Small programs as a user of Meta's TLX writes them. They are imported with tlx.compat installed."""

import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from triton.language.extra.tlx import local_alloc
from triton.language.extra.tlx.warp_spec import get_bufidx_phase


@triton.jit
def plain(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + 1)


@triton.jit
def through_module(x, y, BLOCK: tl.constexpr):
    """y = x + 1 by the default task, and x + 2 behind it by another."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, BLOCK)
            tl.store(y + i, tl.load(x + i) + 1)
        with tlx.async_task(num_warps=4):
            i = tl.arange(0, BLOCK)
            tl.store(y + BLOCK + i, tl.load(x + i) + 2)


@triton.jit
def through_name(x, y, BLOCK: tl.constexpr):
    local_alloc((BLOCK,), tl.float32, 1)
    plain(x, y, BLOCK)


@triton.jit
def through_helper(x, y, BLOCK: tl.constexpr):
    """y = x[slot 1], phase 1."""
    slot, phase = get_bufidx_phase(3, 2)
    tl.store(y + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)) + slot + phase)


@triton.jit
def through_later_function(x, y, BLOCK: tl.constexpr):
    later(x, y, BLOCK)


@triton.jit
def later(x, y, BLOCK: tl.constexpr):
    through_module(x, y, BLOCK)


@triton.jit
def through_long_name(x, y, BLOCK: tl.constexpr):
    size: tl.constexpr = triton.language.extra.tlx.size_of(tl.float32)
    tl.store(y + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)) + size)


def closure(helper):
    @triton.jit
    def kernel(x, y, BLOCK: tl.constexpr):
        helper(x, y, BLOCK)

    return kernel


seen = []  # blocks, by the autotuner's hook


def see(arguments):
    seen.append(arguments["BLOCK"])


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": block}, num_warps=4, pre_hook=see, ctas_per_cga=(1, 1, 1), minRegAutoWS=24)
        for block in (16, 32)
    ],
    key=[],
    use_cuda_graph=True,
)
@triton.jit
def tuned(x, y, BLOCK: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            i = tl.arange(0, BLOCK)
            tl.store(y + i, tl.load(x + i) + 1)


@triton.heuristics({"BLOCK": lambda arguments: 32, "ctas_per_cga": lambda arguments: (2, 1, 1)})
@triton.jit
def clustered(y, BLOCK: tl.constexpr):
    tl.store(y + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.zeros((BLOCK,), tl.int32) + tlx.cluster_cta_rank())


@triton.jit
def for_amd(x):
    tlx.buffer_load(x)


@triton.jit
def for_blackwell(x):
    tlx.tcgen05_commit(x)
