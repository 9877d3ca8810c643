"""Every name and parameter of TLX for NVIDIA GPUs exists here, or is listed with the reason why it doesn't.

The lists are those of Meta's TLX at commit db4666f22c1f.
"""

import inspect

import pytest

import tlx
from tlx.compiler.jit import TLXFunction
from tlx.language import blackwell


def words(text: str) -> list[str]:
    return text.split()


FUNCTIONS = {
    # warp-specialized regions
    "async_tasks": "exclusive no_ending_cluster_sync mbarrier_try_wait_suspend_ns",
    "async_task": "num_warps num_regs registers replicate warp_group_start_id",
    "async_task_replica_id": "",
    # on-chip buffers
    "local_alloc": "shape dtype num storage reuse layout",
    "local_view": "bufs buffer_idx",
    "local_slice": "buffer offset shape",
    "local_trans": "input dims",
    "local_reshape": "src shape",
    "local_reinterpret": "src dtype shape layout",
    "local_load": "src token layout relaxed rematerialize_coordinates rematerialize_coordinates_group",
    "local_store": "dst src",
    "local_gather": "src indices axis token",
    "local_scatter": "dst src indices axis token",
    "storage_alias_spec": "storage buffer_size_bytes",
    "reuse_group": "group_type group_size",
    # cp.async and bulk copies
    "async_load": "src result mask other cache_modifier eviction_policy is_volatile bulk bulk_size barrier",
    "async_load_commit_group": "tokens",
    "async_load_wait_group": "pendings tokens",
    "async_store": "dst_global_ptr src_smem size",
    "prefetch": "pointer level mask tensormap",
    # TMA
    "async_descriptor_load": (
        "desc result offsets barrier pred cache_modifier eviction_policy multicast_targets two_ctas"
    ),
    "async_descriptor_store": "desc source offsets eviction_policy store_reduce",
    "async_descriptor_store_wait": "pendings",
    "async_descriptor_prefetch_tensor": "desc offsets pred eviction_policy",
    "allocate_tensor_descriptor": "num",
    "make_tensor_descriptor": "desc_ptr base shape strides block_shape padding_option",
    "reinterpret_tensor_descriptor": "desc_ptr block_shape dtype",
    # matrix ops
    "async_dot": "A B acc use_acc pred mBarriers two_ctas force_async input_precision out_dtype",
    "async_dot_wait": "pendings inp",
    # barriers
    "alloc_barriers": "num_barriers arrive_count",
    "alloc_warp_barrier": "num_barriers num_warps num_arrivals",
    "barrier_expect_bytes": "bar size pred",
    "barrier_wait": "bar phase pred",
    "barrier_arrive": "bar arrive_count remote_cta_rank pred",
    "named_barrier_wait": "bar arrive_count",
    "named_barrier_arrive": "bar arrive_count",
    "cluster_barrier": "",
    "fence_mbarrier_init_cluster": "",
    # clusters and fences
    "remote_view": "",
    "remote_shmem_store": "dst src remote_cta_rank",
    "async_remote_shmem_store": "dst src remote_cta_rank barrier",
    "async_remote_shmem_copy": "dst src remote_cta_rank barrier",
    "cluster_cta_rank": "",
    "cluster_size_1d": "",
    "fence": "scope",
    "fence_async_shared": "",
    # layouts
    "swizzled_layout": "bits base shift order",
    "swizzled_shared_layout_encoding": (
        "vectorSize perPhase maxPhase order numCTAs numCTAsPerCGA numCTASplit numCTAOrder"
    ),
    "nv_mma_shared_layout_encoding": ("shape order elemType numCTAsPerCGA numCTASplit numCTAOrder fp4Padded swizzled"),
    "padded_shared_layout_encoding": "intervals paddings order shape offset_bases block_bases",
    "shared_linear_layout_encoding": "offset_bases block_bases alignment",
    "layout": "shape stride",
    "require_layout": "x layout pin late_address_compute",
    "release_layout": "x",
    "zeros": "shape dtype layout",
    "assert_same_layout": "lhs rhs",
    "dump_layout": "x",
    # utilities
    "dtype_of": "v",
    "size_of": "dtype",
    "get_fp8_format_name": "dtype",
    "thread_id": "axis",
    "clock64": "",
    "vote_ballot_sync": "mask pred",
    "assume_uniform": "value",
    "get_bufidx_phase": "accum_cnt NUM_BUFFERS",
}

METHODS = words("""
    swizzled_layout.make_default swizzled_shared_layout_encoding.make_default
    nv_mma_shared_layout_encoding.make_default padded_shared_layout_encoding.with_identity_for
    padded_shared_layout_encoding.with_bases shared_layout_encoding.make_permute
    tensor_memory_layout_encoding.make_default
    storage_kind.smem storage_kind.tmem storage_kind.smemCluster
    reuse_group_type.shared reuse_group_type.distinct
    TMemCTAMode.DEFAULT TMemCTAMode.TwoCTA_LHS TMemCTAMode.TwoCTA_RHS
""")

CLASSES = words("""
    layout_encoding shared_layout_encoding storage_kind TMemCTAMode
    buffered_tensor buffered_tensor_type mbarrier mbarrier_type async_token
    tensor_descriptor_ptr tensor_descriptor_ptr_type
    reuse_group_type
""")

# Their use in a kernel is refused (NeedsBlackwell).
BLACKWELL = words("""
    async_dot_scaled tcgen05_commit subslice tmem_copy
    clc_create_context clc_producer clc_consumer CLCPipelineContext clc_response clc_response_type
    _alloc_clc_responses _clc_issue _clc_query
    tensor_memory_layout_encoding DummyRegisterLayoutEncoding warp_redux stoch_round _to_mxfp8_block
""")

ABSENT = {
    "CLCPipeliner": "TLX lists it, but has no such thing either",
    "compiler": "the fork's own front end",
    **dict.fromkeys(
        words("storage_alias_spec_type storage_alias_spec_type_class reuse_group_ir_type"),
        "what the fork's IR has for storage_alias_spec and reuse_group, which are the compiler's alone here; "
        "kernels never spell them",
    ),
    **dict.fromkeys(
        words("""
        buffer_load buffer_store buffer_atomic_add buffer_load_to_local async_amd_descriptor_load
        async_amd_descriptor_load_fused async_amd_descriptor_store async_amd_descriptor_wait
        amd_descriptor_prefetch_tensor update_tensor_descriptor amd_mfma_layout dot_operand_layout amd_mfma_commit
        amd_register_handoff amd_register_resident amd_scheduled_mfma extract_slice rematerialized_range
        require_amd_wmma_layout dot_scaled amd_sched_barrier warp_pipeline_stage
        """),
        "for AMD's GPUs",
    ),
}


def parameters(name: str) -> set[str]:
    value = getattr(tlx, name)
    return set(inspect.signature(value.fn if isinstance(value, TLXFunction) else value).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_and_its_parameters(name):
    assert name in tlx.__all__
    assert set(FUNCTIONS[name].split()) <= parameters(name)


@pytest.mark.parametrize("path", METHODS)
def test_a_member(path):
    name, member = path.split(".")
    assert hasattr(getattr(tlx, name), member)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class(name):
    assert name in tlx.__all__


@pytest.mark.parametrize("name", BLACKWELL)
def test_a_name_of_blackwell_is_refused_by_name(name):
    with pytest.raises(tlx.TLXError, match=f"{name} needs Blackwell"):
        getattr(tlx, name)(1, two_ctas=True)


def test_all_of_blackwell_is_listed():
    assert set(blackwell.__all__) - set(CLASSES) == {name for name in BLACKWELL if name[0] != "_"}


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_absent(name):
    assert name not in tlx.__all__
