"""Memory under two names, barriers that are not there, fences: kernels in Gluon."""

import triton.experimental.gluon.language as gl
from triton.experimental import gluon
from triton.experimental.gluon.language._core import shared_memory_descriptor
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from tests.sim.engine_kernels import ROWS as LAYOUT
from tests.sim.engine_kernels import copy_async, grid_of
from tests.sim.gluon_kernels import tma_load, tma_store
from tlx.check.rules import BARRIER_MISUSE, MISSING_FENCE, OUT_OF_BOUNDS, RACE_READ_WRITE, RESULT_USED_EARLY

from .row import row


@gluon.jit
def barriers(count: gl.constexpr):
    bars = gl.allocate_shared_memory(gl.int64, [count, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(count):
        mbarrier.init(bars.index(i), count=1)
    return bars


@gluon.jit
def use_late(bar, tile, z):
    mbarrier.wait(bar.index(0), 0)
    gl.store(grid_of(z, 64, 64), tile.load(LAYOUT).to(gl.float32))


@gluon.jit
def initialize_and_load(x, bar, tile, FIXED: gl.constexpr):
    if not FIXED:
        mbarrier.init(bar.index(0), count=1)
    mbarrier.expect(bar.index(0), x.block_type.nbytes)
    tma_load(x, [0, 0], bar.index(0), tile)


@row(8, "a barrier that one of its users initialises", BARRIER_MISUSE)
@gluon.jit
def initialized_by_a_user(x, z, FIXED: gl.constexpr):
    bar = gl.allocate_shared_memory(gl.int64, [1, 1], mbarrier.MBarrierLayout())
    tile = gl.allocate_shared_memory(x.dtype, [64, 64], x.layout)
    if FIXED:
        mbarrier.init(bar.index(0), count=1)
    gl.warp_specialize([(use_late, (bar, tile, z)), (initialize_and_load, (x, bar, tile, FIXED))], [1], [24])


if hasattr(shared_memory_descriptor, "reinterpret"):  # since 3.9

    @gluon.jit
    def view_of(memory, dtype: gl.constexpr, shape: gl.constexpr, layout: gl.constexpr):
        return memory.reinterpret(dtype, shape, layout)

else:

    @gluon.jit
    def view_of(memory, dtype: gl.constexpr, shape: gl.constexpr, layout: gl.constexpr):
        return memory._reinterpret(dtype, shape, layout)


@row(31, "data in the memory of a barrier that was not invalidated", BARRIER_MISUSE)
@gluon.jit
def not_invalidated(z, FIXED: gl.constexpr):
    memory = gl.allocate_shared_memory(gl.float16, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    bar = view_of(memory, gl.int64, [1024, 1], mbarrier.MBarrierLayout()).index(0)
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar, count=1)
    mbarrier.wait(bar, 0)
    if FIXED:
        mbarrier.invalidate(bar)
    memory.store(gl.full([64, 64], 1.0, gl.float16, LAYOUT))
    gl.store(grid_of(z, 64, 64), memory.load(LAYOUT).to(gl.float32))


@row(32, "a barrier in the memory of another one", BARRIER_MISUSE)
@gluon.jit
def barrier_on_a_barrier(FIXED: gl.constexpr):
    memory = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    mbarrier.init(memory.index(0), count=1)
    mbarrier.init(memory.index(1 if FIXED else 0), count=1)


@gluon.jit
def load_again(x, bars, tile):
    for k in gl.static_range(2):
        mbarrier.wait(bars.index(1), (k & 1) ^ 1)
        mbarrier.expect(bars.index(0), x.block_type.nbytes)
        tma_load(x, [64 * k, 0], bars.index(0), tile)


@gluon.jit
def scale_in_place(bars, tile, z, FIXED: gl.constexpr):
    for k in gl.static_range(2):
        mbarrier.wait(bars.index(0), k & 1)
        tile.store(tile.load(LAYOUT) * 2)
        gl.store(grid_of(z, 64, 64), tile.load(LAYOUT).to(gl.float32))
        if FIXED:
            fence_async_shared()
        mbarrier.arrive(bars.index(1), count=1)


@row(34, "a slot written by TMA, by a store, and by TMA again", MISSING_FENCE)
@gluon.jit
def written_in_turn(x, z, FIXED: gl.constexpr):
    tile = gl.allocate_shared_memory(x.dtype, [64, 64], x.layout)
    bars = barriers(2)
    gl.warp_specialize([(scale_in_place, (bars, tile, z, FIXED)), (load_again, (x, bars, tile))], [1], [24])


@gluon.jit
def fill(bars, tile, FENCE: gl.constexpr):
    if FENCE == "before the store":
        fence_async_shared()
    tile.store(gl.full([64, 64], 1.0, gl.float16, LAYOUT))
    if FENCE == "writer":
        fence_async_shared()
    mbarrier.arrive(bars.index(0), count=1)


@gluon.jit
def store_by_tma(y, bars, tile, FENCE: gl.constexpr):
    mbarrier.wait(bars.index(0), 0)
    if FENCE == "reader":
        fence_async_shared()
    tma_store(y, [0, 0], tile)
    if FENCE == "behind":
        fence_async_shared()
    tma.store_wait(0)


@gluon.jit
def store_fenced(y, FENCE: gl.constexpr):
    tile = gl.allocate_shared_memory(y.dtype, [64, 64], y.layout)
    bars = barriers(1)
    gl.warp_specialize([(fill, (bars, tile, FENCE)), (store_by_tma, (y, bars, tile, FENCE))], [1], [24])


@row(35, "the fence behind the TMA store", MISSING_FENCE)
@gluon.jit
def fence_behind(y, FIXED: gl.constexpr):
    store_fenced(y, "reader" if FIXED else "behind")


@row(35, "the fence before the store", MISSING_FENCE)
@gluon.jit
def fence_before(y, FIXED: gl.constexpr):
    store_fenced(y, "writer" if FIXED else "before the store")


@row(40, "two copies in two commit groups, a wait that leaves the second", RACE_READ_WRITE)
@gluon.jit
def second_group_pending(p, z, FIXED: gl.constexpr):
    layout: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    a = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    b = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    copy_async(a, grid_of(p, 64, 64))
    async_copy.commit_group()
    copy_async(b, grid_of(p, 64, 64))
    async_copy.commit_group()
    async_copy.wait_group(0 if FIXED else 1)
    gl.store(grid_of(z, 64, 64), (a.load(LAYOUT) + b.load(LAYOUT)).to(gl.float32))
    async_copy.wait_group(0)


@row(41, "a slot computed from a negative number", OUT_OF_BOUNDS)
@gluon.jit
def negative_slot(z, n, FIXED: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    for k in range(n):
        slot = (k + 1) % 2 if FIXED else (k - 1) % 2
        ring.index(slot).store(gl.full([64, 64], 1.0, gl.float16, LAYOUT))
        gl.store(grid_of(z, 64, 64), ring.index(slot).load(LAYOUT).to(gl.float32))


@row(42, "a view larger than its buffer", OUT_OF_BOUNDS, until=7)  # since 3.8 Triton refuses it
@gluon.jit
def view_too_large(z, FIXED: gl.constexpr):
    SIZE: gl.constexpr = 64 if FIXED else 128
    memory = gl.allocate_shared_memory(gl.float16, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    view = view_of(memory, gl.float16, [SIZE, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    view.store(gl.full([SIZE, 64], 1.0, gl.float16, LAYOUT))
    gl.store(grid_of(z, SIZE, 64), view.load(LAYOUT).to(gl.float32))


@row(15, "the result of an MMA, read before any wait", RESULT_USED_EARLY)
@gluon.jit
def read_before_wait(p, z, FIXED: gl.constexpr):
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))
    tile.store(gl.load(grid_of(p, 64, 64)))
    fence_async_shared()
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, layout), is_async=True)
    acc = warpgroup_mma_wait(0 if FIXED else 1, deps=[acc])
    gl.store(grid_of(z, 64, 64), gl.convert_layout(acc, LAYOUT))
