"""Gluon kernels: warp specialization, mbarriers, TMA, wgmma and views of shared memory, spelled by hand."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

# 3.9 renamed these, and the old names raise.
copy_async = getattr(async_copy, "async_load", None) or async_copy.async_copy_global_to_shared
reinterpret = getattr(gl.shared_memory_descriptor, "reinterpret", None) or gl.shared_memory_descriptor._reinterpret
tma_load = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared
tma_store = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global


@gluon.jit
def produce(a, tiles, full, empty, count):
    for k in range(count):
        slot = k % 2
        mbarrier.wait(empty.index(slot), (k // 2 & 1) ^ 1)
        mbarrier.expect(full.index(slot), a.block_type.nbytes)
        tma_load(a, [0, k * 64], full.index(slot), tiles.index(slot))


@gluon.jit
def consume(c, tiles, out, full, empty, count):
    layout: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, 64, 16])
    acc = gl.zeros((64, 64), gl.float32, layout)
    for k in range(count):
        slot = k % 2
        mbarrier.wait(full.index(slot), k // 2 & 1)
        tile = tiles.index(slot)
        acc = hopper.warpgroup_mma(tile, tile.permute((1, 0)), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(0, deps=[acc])
        mbarrier.arrive(empty.index(slot), count=1)
    out.store(acc.to(gl.bfloat16))
    hopper.fence_async_shared()
    tma_store(c, [0, 0], out)
    tma.store_wait(0)


@gluon.jit
def ring(a, c, count):
    tiles = gl.allocate_shared_memory(gl.bfloat16, [2, 64, 64], a.layout)
    out = gl.allocate_shared_memory(gl.bfloat16, [64, 64], c.layout)
    full = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(2):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(empty.index(slot), count=1)
    gl.warp_specialize(
        [(consume, (c, tiles, out, full, empty, count)), (produce, (a, tiles, full, empty, count))], [1], [24]
    )
    for slot in gl.static_range(2):
        mbarrier.invalidate(full.index(slot))
        mbarrier.invalidate(empty.index(slot))


@gluon.jit
def views(x, y, n, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(vec=4, per_phase=1, max_phase=4, order=[1, 0])
    rows = gl.arange(0, N, gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, gl.SliceLayout(0, layout))
    offsets = rows[:, None] * N + columns[None, :]
    mask = offsets < n
    buffer = gl.allocate_shared_memory(gl.float32, [N, N], shared)
    copy_async(buffer, x + offsets, mask)
    async_copy.commit_group()
    async_copy.wait_group(0)
    value = buffer.load(layout)
    buffer.store(gl.convert_layout(value, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])))
    turned = buffer.permute((1, 0)).load(layout)
    half = buffer.slice(16, 16, dim=1).load(layout)
    bits = reinterpret(buffer, gl.int32, [N, N], shared).load(layout)
    gl.store(y + offsets, value + turned + bits, mask=mask)
    gl.store(y + rows, gl.sum(half, 1))


def _tile(layout: str) -> str:
    return f"tensordesc<bf16[64, 64],{layout}>"


_SHARED = repr(gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2))

SAMPLES = {
    "ring": (ring, {"a": _tile(_SHARED), "c": _tile(_SHARED), "count": "i32"}, {}, {}),
    "views": (views, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"N": 32}, {}),
}
