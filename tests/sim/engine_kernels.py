"""Small kernels around one engine each, in Gluon."""

import triton.experimental.gluon.language as gl
from triton.experimental import gluon
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from tests.sim.gluon_kernels import tma_load, tma_store

copy_async = getattr(async_copy, "async_load", None) or async_copy.async_copy_global_to_shared

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def grid_of(pointer, M: gl.constexpr, N: gl.constexpr):
    rows = gl.arange(0, M, gl.SliceLayout(1, ROWS))
    columns = gl.arange(0, N, gl.SliceLayout(0, ROWS))
    return pointer + rows[:, None] * N + columns[None, :]


@gluon.jit
def multiply(
    x,
    y,
    z,
    M: gl.constexpr,
    N: gl.constexpr,
    K: gl.constexpr,
    A_IN_REGISTERS: gl.constexpr,
    B_TURNED: gl.constexpr,
    USE_ACC: gl.constexpr,
):
    """z = x @ y, or x @ y.T, onto an accumulator of ones."""
    bits: gl.constexpr = x.dtype.element_ty.primitive_bitwidth
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 256 // bits])
    B0: gl.constexpr = N if B_TURNED else K
    B1: gl.constexpr = K if B_TURNED else N
    a = gl.load(grid_of(x, M, K))
    a_shared = gl.allocate_shared_memory(a.dtype, [M, K], gl.NVMMASharedLayout.get_default_for([M, K], a.dtype), a)
    b = gl.load(grid_of(y, B0, B1))
    b_shared = gl.allocate_shared_memory(b.dtype, [B0, B1], gl.NVMMASharedLayout.get_default_for([B0, B1], b.dtype), b)
    fence_async_shared()
    acc = gl.full([M, N], 1, z.dtype.element_ty, layout)
    right = b_shared.permute((1, 0)) if B_TURNED else b_shared
    if A_IN_REGISTERS:
        operand: gl.constexpr = gl.DotOperandLayout(0, layout, 32 // bits)
        left = a_shared.load(operand)
        acc = warpgroup_mma(left, right, acc, use_acc=USE_ACC, is_async=True)
    else:
        acc = warpgroup_mma(a_shared, right, acc, use_acc=USE_ACC, is_async=True)
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(grid_of(z, M, N), gl.convert_layout(acc, ROWS))


@gluon.jit
def copy_by_threads(x, y, limit, WAIT: gl.constexpr):
    """y = x through shared memory by cp.async, where the index is below the limit."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [32, 64], layout)
    pointers = grid_of(x, 32, 64)
    rows = gl.arange(0, 32, gl.SliceLayout(1, ROWS))
    copy_async(tile, pointers, mask=rows[:, None] < limit)
    async_copy.commit_group()
    if WAIT:
        async_copy.wait_group(0)
    gl.store(grid_of(y, 32, 64), tile.load(ROWS))


@gluon.jit
def copy_and_arrive(x, y, INCREMENT: gl.constexpr, COUNT: gl.constexpr):
    """y = x through shared memory by cp.async, whose completion is an arrival."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [32, 64], layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=COUNT)
    copy_async(tile, grid_of(x, 32, 64))
    async_copy.mbarrier_arrive(bar, INCREMENT)
    if INCREMENT:
        mbarrier.arrive(bar, count=1)
    mbarrier.wait(bar, 0)
    gl.store(grid_of(y, 32, 64), tile.load(ROWS))


@gluon.jit
def copy_by_tma(x_desc, y_desc, WAIT: gl.constexpr, EXPECT: gl.constexpr, LOAD: gl.constexpr = True):
    """y = x through shared memory by TMA."""
    tile = gl.allocate_shared_memory(x_desc.dtype, x_desc.block_type.shape, x_desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    if EXPECT:
        mbarrier.expect(bar, x_desc.block_type.nbytes)
    tma_load(x_desc, [0] * len(x_desc.block_type.shape), bar, tile, pred=LOAD)
    if WAIT:
        mbarrier.wait(bar, 0)
    tma_store(y_desc, [0] * len(y_desc.block_type.shape), tile)
    tma.store_wait(0)


@gluon.jit
def overwrite_source(y_desc, z, WAIT: gl.constexpr):
    """Stores ones by TMA, then overwrites the buffer with twos and stores them to z."""
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], y_desc.layout)
    tile.store(gl.full([64, 64], 1.0, gl.float16, ROWS))
    fence_async_shared()
    tma_store(y_desc, [0, 0], tile)
    if WAIT:
        tma.store_wait(0)
    tile.store(gl.full([64, 64], 2.0, gl.float16, ROWS))
    gl.store(grid_of(z, 64, 64), tile.load(ROWS))
    tma.store_wait(0)


@gluon.jit
def wait_for_nobody(SLOT: gl.constexpr):
    """Waits on slot 0 after arriving on SLOT, if that is one."""
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    if SLOT is not None:
        mbarrier.arrive(bars.index(SLOT), count=1)
    mbarrier.wait(bars.index(0), 0)


@gluon.jit
def multiply_in_flight(x, z, COUNT: gl.constexpr):
    """z = COUNT * (x @ x), with all products in flight together."""
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))
    tile.store(gl.load(grid_of(x, 64, 64)))
    fence_async_shared()
    acc = gl.zeros([64, 64], gl.float32, layout)
    for _ in gl.static_range(COUNT):
        acc = warpgroup_mma(tile, tile, acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(grid_of(z, 64, 64), gl.convert_layout(acc, ROWS))


@gluon.jit
def load_and_leave(x_desc):
    """Starts a TMA load and ends."""
    tile = gl.allocate_shared_memory(x_desc.dtype, x_desc.block_type.shape, x_desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x_desc.block_type.nbytes)
    tma_load(x_desc, [0, 0], bar, tile)


@gluon.jit
def fill(tile):
    for i in range(1, 10):
        tile.store(gl.full([64, 64], i, gl.float16, gl.BlockedLayout([1, 8], [4, 8], [1, 1], [1, 0])))


@gluon.jit
def do_nothing():
    pass


@gluon.jit
def read_what_a_partition_wrote(z):
    """z = 9, the last thing that the partition stores."""
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))
    gl.warp_specialize([(do_nothing, ()), (fill, (tile,))], [1], [24])
    gl.store(grid_of(z, 64, 64), tile.load(ROWS))


@gluon.jit
def read_a_new_buffer(z, count):
    """Stores to its buffer in the first trip only; each trip has a buffer of its own."""
    for i in range(count):
        tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))
        if i == 0:
            tile.store(gl.full([64, 64], 1.0, gl.float16, ROWS))
        gl.store(grid_of(z, 64, 64), tile.load(ROWS))
