"""Kernels in clusters: what is written on each minor of Triton, how they are launched, tuned and cached."""

import numpy as np
import pytest
import triton
import triton.language as tl

import tlx
from tests.language.clusters import exchanged, exchanged_async, exchanged_copy, met_by_hand, multicast_all
from tests.language.clusters import swapped_by_tasks as swapped
from tlx import sim
from tlx.errors import GridNotDivisible, InvalidCluster
from tlx.ir import parse
from tlx.language.cluster_ptx import (
    ARRIVE_REMOTE_PTX,
    COPY_REMOTE_PTX,
    MAPA_PTX,
    async_store_remote_ptx,
    multicast_load_ptx,
    store_remote_ptx,
)

from .lowering import find

TILE = {"x": "*fp32", "y": "*fp32"}
SIZE = {"N": 64, "M": 32}


def pair(kernel, signature: dict[str, str], constexprs: dict | None = None, **options):
    """The kernel for clusters of two CTAs."""
    return tlx.compile(kernel, signature, constexprs, ctas_per_cga=(2, 1, 1), **options)


def texts(kernel) -> set[str]:
    """The inline PTX in its TTGIR."""
    return {op.attributes["asm_string"] for op in find(kernel.asm["ttgir"], "tt.elementwise_inline_asm")}


# --- spellings -------------------------------------------------------------------------------------------------------


def test_stores_and_arrivals():
    kernel = pair(exchanged, TILE, SIZE)
    assert {MAPA_PTX, ARRIVE_REMOTE_PTX, store_remote_ptx(16)} <= texts(kernel)
    assert kernel.asm["ptx"].count("st.shared::cluster.v4.b32 [") == 4  # 32 * 64 * 4 bytes of 128 threads
    assert kernel.asm["ptx"].count("mbarrier.arrive.shared::cluster.b64 _, [") == 1
    assert kernel.asm["ptx"].count("mapa.shared::cluster.u32") == 2


def test_asynchronous_stores():
    kernel = pair(exchanged_async, TILE, SIZE)
    assert texts(kernel) >= {MAPA_PTX, async_store_remote_ptx(16)}
    spelled = "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 ["
    assert kernel.asm["ptx"].count(spelled) == 4


def test_bulk_copies():
    kernel = pair(exchanged_copy, TILE, SIZE)
    assert texts(kernel) == {MAPA_PTX, COPY_REMOTE_PTX}
    spelled = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes ["
    assert kernel.asm["ptx"].count(spelled) == 1
    assert len(find(kernel.asm["ttgir"], "nvvm.elect.sync")) == 1


def test_multicast_loads():
    kernel = pair(multicast_all, {"x": "tensordesc<fp16[64, 64]>", "y": "*fp32"}, {"CTAS": 2, "N": 64})
    assert multicast_load_ptx(2) in texts(kernel)
    spelled = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster ["
    assert kernel.asm["ptx"].count(spelled) == 2


def test_late_ops():
    """An init fence and a barrier before, the author's fence and barrier, a barrier at the end."""
    kernel = pair(met_by_hand, {"y": "*i32"})
    names = [op.name for op in parse(kernel.asm["ttgir"]).walk() if op.name.startswith("nvvm.")]
    barrier = ["nvvm.cluster.arrive", "nvvm.cluster.wait"]
    before = ["nvvm.fence.mbarrier.init", *barrier]
    assert names == [*before, *before, "nvvm.read.ptx.sreg.cluster.ctarank", "nvvm.elect.sync", *barrier]
    ptx = kernel.asm["ptx"]
    assert ptx.count("fence.mbarrier_init.release.cluster;") == 2
    assert ptx.count("barrier.cluster.arrive.aligned;") == ptx.count("barrier.cluster.wait.aligned;") == 3
    assert ptx.count("%cluster_ctarank;") == 1


@pytest.mark.parametrize("shape", [(2, 1, 1), (1, 2, 1), (2, 2, 2)])
def test_the_stock_launcher_makes_clusters_of_that_size(shape):
    kernel = tlx.compile(met_by_hand, {"y": "*i32"}, ctas_per_cga=shape)
    assert kernel.metadata.num_ctas == shape[0] * shape[1] * shape[2]
    assert kernel.metadata.ctas_per_cga == shape
    ttgir = kernel.asm["ttgir"]
    assert '"ttg.num-ctas" = 1' in ttgir
    assert all(f'"ttg.cluster-dim-{axis}" = {size} ' in ttgir for axis, size in zip("xyz", shape))


def test_no_cluster_no_trace_of_one():
    kernel = tlx.compile(in_place, {"y": "*i32"}, {"N": 32})
    assert kernel.metadata.ctas_per_cga is None and kernel.metadata.num_ctas == 1
    assert [op.name for op in parse(kernel.asm["ttgir"]).walk() if op.name.startswith("nvvm.")] == []
    assert "ttg.cluster" not in kernel.asm["ttgir"]


@pytest.mark.parametrize("warps, fillers", [(1, 2), (2, 1), (4, 0)])
def test_warps_without_a_task_get_one_that_joins(warps, fillers):
    signature = {**TILE, "trips": "i32"}
    (op,) = find(pair(swapped, signature, {"N": 64, "WARPS": warps}).asm["ttgir"], "ttg.warp_specialize")
    joining = [region for region in op.regions if region.name.startswith("partition")][1:]
    names = [[op.name for block in region.blocks for op in block.ops] for region in joining]
    assert names == [["nvvm.cluster.arrive", "nvvm.cluster.wait"] * 2 + ["ttg.warp_return"]] * fillers


# --- launches --------------------------------------------------------------------------------------------------------


@tlx.jit
def in_place(y, N: tl.constexpr):
    """Each program writes its rank, and the size of its cluster."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y + at, tlx.cluster_cta_rank() + 10 * tlx.cluster_size_1d() + tl.zeros((N,), tl.int32))


@pytest.fixture
def y():
    """Room for eight programs of 8 numbers."""
    with sim.simulating():
        yield sim.array(np.full(64, -1, np.int32))


def ranks(y) -> list[int]:
    """What each program of 8 numbers wrote."""
    return y.numpy()[::8].tolist()


def test_no_cta_is_added(y):
    in_place[(4,)](y, 8, ctas_per_cga=(2, 1, 1))
    assert ranks(y) == [20, 21, 20, 21, -1, -1, -1, -1]


def test_a_callable_grid(y):
    in_place[lambda meta: (48 // meta["N"],)](y, 8, ctas_per_cga=(2, 1, 1))
    assert ranks(y) == [20, 21, 20, 21, 20, 21, -1, -1]


def test_a_grid_that_clusters_dont_divide(y):
    with pytest.raises(GridNotDivisible) as caught:
        in_place[lambda meta: (5,)](y, 8, ctas_per_cga=(2, 1, 1))
    assert caught.value.what == "in_place: the grid has 5 programs along x, clusters of 2x1x1 take multiples of 2"
    assert caught.value.hint.startswith("launch 6,")
    assert caught.value.location.source_line() == "def in_place(y, N: tl.constexpr):"
    assert ranks(y) == [-1] * 8


def test_each_axis_is_divided(y):
    with pytest.raises(GridNotDivisible, match="3 programs along y, clusters of 1x2x1 take multiples of 2"):
        in_place[(2, 3)](y, 8, ctas_per_cga=(1, 2, 1))


@pytest.mark.parametrize("shape", [2, (2, 1), (2, 0, 1), (16, 1, 1)])
def test_a_launch_with_no_shape_of_a_cluster(shape, y):
    with pytest.raises(InvalidCluster, match="ctas_per_cga"):
        in_place[(16,)](y, 8, ctas_per_cga=shape)
    with pytest.raises(InvalidCluster, match="ctas_per_cga"):
        in_place[(16,)](y, **tlx.Config({"N": 8}, ctas_per_cga=shape).all_kwargs())
    assert ranks(y) == [-1] * 8


@tlx.jit(ctas_per_cga=(2, 1, 1))
def declared(y):
    tl.store(y + tl.program_id(0), tlx.cluster_size_1d())


def test_a_launch_overrides_what_the_kernel_declares(y):
    declared[(2,)](y)
    assert y.numpy()[:5].tolist() == [2, 2, -1, -1, -1]
    declared[(4,)](y, ctas_per_cga=(4, 1, 1))
    assert y.numpy()[:5].tolist() == [4, 4, 4, 4, -1]


# --- tuning and caches -----------------------------------------------------------------------------------------------


def test_stock_autotuner_with_clusters(y):
    shapes = [None, (2, 1, 1), [4, 1, 1]]
    configs = [tlx.Config({"N": 8}, num_warps=1, ctas_per_cga=shape) for shape in shapes]
    assert [config.ctas_per_cga for config in configs] == [None, (2, 1, 1), (4, 1, 1)]
    assert "ctas_per_cga: (2, 1, 1)" in str(configs[1])
    assert len({hash(config) for config in configs}) == 3
    seen = []

    def bench(call, quantiles):
        call()
        seen.append(ranks(y)[:4])
        return [len(configs) - len(seen)] * 3  # the last one is the fastest

    tuned = triton.autotune(configs, key=[], do_bench=bench)(in_place)
    tuned[(4,)](y)
    assert seen == [[10, 10, 10, 10], [20, 21, 20, 21], [40, 41, 42, 43]]
    assert tuned.best_config.ctas_per_cga == (4, 1, 1)
    assert ranks(y) == [40, 41, 42, 43, -1, -1, -1, -1]


def test_two_shapes_are_two_kernels(y):
    shapes = [None, (2, 1, 1), (1, 2, 1), (2, 1, 1)]
    hashes = [tlx.compile(in_place, {"y": "*i32"}, {"N": 8}, ctas_per_cga=shape).hash for shape in shapes]
    assert len(set(hashes)) == 3
    assert hashes[1] == hashes[3]


def test_a_launch_with_another_shape_compiles_anew(y):
    launches = [in_place[(2, 2)](y, 8, ctas_per_cga=shape) for shape in [None, (2, 1, 1), (1, 2, 1), (2, 1, 1)]]
    assert [kernel.metadata.ctas_per_cga for kernel in launches] == [None, (2, 1, 1), (1, 2, 1), (2, 1, 1)]
    assert launches[1] is launches[3]
