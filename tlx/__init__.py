"""Explicit warp specialization for Triton, in pure Python, on the unmodified `triton` wheel."""

from .installation import require_triton

require_triton()

from . import check  # noqa: E402
from . import trace as trace  # noqa: E402
from .compiler.clusters import Config  # noqa: E402
from .compiler.jit import compile, jit  # noqa: E402
from .errors import TLXError  # noqa: E402
from .language.aliases import reuse_group, reuse_group_type, storage_alias_spec  # noqa: E402
from .language.barriers import (  # noqa: E402
    alloc_barriers,
    alloc_warp_barrier,
    barrier_arrive,
    barrier_expect_bytes,
    barrier_wait,
    mbarrier,
    mbarrier_type,
    named_barrier_arrive,
    named_barrier_wait,
    remote_view,
)
from .language.blackwell import (  # noqa: E402
    CLCPipelineContext,
    DummyRegisterLayoutEncoding,
    TMemCTAMode,
    _alloc_clc_responses,  # noqa: F401 -- as the other private names: TLX's kernels use them
    _clc_issue,  # noqa: F401
    _clc_query,  # noqa: F401
    _to_mxfp8_block,  # noqa: F401
    async_dot_scaled,
    clc_consumer,
    clc_create_context,
    clc_producer,
    clc_response,
    clc_response_type,
    stoch_round,
    subslice,
    tcgen05_commit,
    tensor_memory_layout_encoding,
    tmem_copy,
    warp_redux,
)
from .language.buffers import (  # noqa: E402
    buffered_tensor,
    buffered_tensor_type,
    local_alloc,
    local_load,
    local_store,
    local_trans,
    storage_kind,
)
from .language.bulk import async_store  # noqa: E402
from .language.clusters import (  # noqa: E402
    cluster_barrier,
    cluster_cta_rank,
    cluster_size_1d,
    fence_mbarrier_init_cluster,
)
from .language.copy import (  # noqa: E402
    async_load,
    async_load_commit_group,
    async_load_wait_group,
    async_token,
)
from .language.descriptors import (  # noqa: E402
    allocate_tensor_descriptor,
    make_tensor_descriptor,
    reinterpret_tensor_descriptor,
    tensor_descriptor_ptr,
    tensor_descriptor_ptr_type,
)
from .language.fences import fence, fence_async_shared  # noqa: E402
from .language.gather import local_gather, local_scatter  # noqa: E402
from .language.ignored import IgnoredArgument  # noqa: E402
from .language.layout_objects import (  # noqa: E402
    layout,
    layout_encoding,
    nv_mma_shared_layout_encoding,
    padded_shared_layout_encoding,
    shared_layout_encoding,
    shared_linear_layout_encoding,
    swizzled_layout,
    swizzled_shared_layout_encoding,
)
from .language.mma import async_dot, async_dot_wait  # noqa: E402
from .language.pins import (  # noqa: E402
    assert_same_layout,
    dump_layout,
    release_layout,
    require_layout,
    zeros,
)
from .language.pipelines import ring  # noqa: E402
from .language.prefetch import async_descriptor_prefetch_tensor, prefetch  # noqa: E402
from .language.remote import (  # noqa: E402
    async_remote_shmem_copy,
    async_remote_shmem_store,
    remote_shmem_store,
)
from .language.rings import local_view  # noqa: E402
from .language.slices import local_slice  # noqa: E402
from .language.tasks import async_task, async_task_replica_id, async_tasks, task  # noqa: E402
from .language.threads import clock64, thread_id, vote_ballot_sync  # noqa: E402
from .language.tma import (  # noqa: E402
    async_descriptor_load,
    async_descriptor_store,
    async_descriptor_store_wait,
)
from .language.utility import (  # noqa: E402
    assume_uniform,
    dtype_of,
    get_bufidx_phase,
    get_fp8_format_name,
    size_of,
)
from .language.views import local_reinterpret, local_reshape  # noqa: E402
from .sim import activate_if_no_gpu, simulating  # noqa: E402
from .tune.autotuner import autotune  # noqa: E402
from .tune.space import Space  # noqa: E402
from .version import __version__  # noqa: E402

activate_if_no_gpu()

__all__ = [
    "CLCPipelineContext",
    "Config",
    "DummyRegisterLayoutEncoding",
    "IgnoredArgument",
    "Space",
    "TLXError",
    "TMemCTAMode",
    "__version__",
    "alloc_barriers",
    "alloc_warp_barrier",
    "allocate_tensor_descriptor",
    "assert_same_layout",
    "assume_uniform",
    "async_descriptor_load",
    "async_descriptor_prefetch_tensor",
    "async_descriptor_store",
    "async_descriptor_store_wait",
    "async_dot",
    "async_dot_scaled",
    "async_dot_wait",
    "async_load",
    "async_load_commit_group",
    "async_load_wait_group",
    "async_remote_shmem_copy",
    "async_remote_shmem_store",
    "async_store",
    "async_task",
    "async_task_replica_id",
    "async_tasks",
    "async_token",
    "autotune",
    "barrier_arrive",
    "barrier_expect_bytes",
    "barrier_wait",
    "buffered_tensor",
    "buffered_tensor_type",
    "check",
    "clc_consumer",
    "clc_create_context",
    "clc_producer",
    "clc_response",
    "clc_response_type",
    "clock64",
    "cluster_barrier",
    "cluster_cta_rank",
    "cluster_size_1d",
    "compile",
    "dtype_of",
    "dump_layout",
    "fence",
    "fence_async_shared",
    "fence_mbarrier_init_cluster",
    "get_bufidx_phase",
    "get_fp8_format_name",
    "jit",
    "layout",
    "layout_encoding",
    "local_alloc",
    "local_gather",
    "local_load",
    "local_reinterpret",
    "local_reshape",
    "local_scatter",
    "local_slice",
    "local_store",
    "local_trans",
    "local_view",
    "make_tensor_descriptor",
    "mbarrier",
    "mbarrier_type",
    "named_barrier_arrive",
    "named_barrier_wait",
    "nv_mma_shared_layout_encoding",
    "padded_shared_layout_encoding",
    "prefetch",
    "reinterpret_tensor_descriptor",
    "release_layout",
    "remote_shmem_store",
    "remote_view",
    "require_layout",
    "reuse_group",
    "reuse_group_type",
    "ring",
    "shared_layout_encoding",
    "shared_linear_layout_encoding",
    "simulating",
    "size_of",
    "stoch_round",
    "storage_alias_spec",
    "storage_kind",
    "subslice",
    "swizzled_layout",
    "swizzled_shared_layout_encoding",
    "task",
    "tcgen05_commit",
    "tensor_descriptor_ptr",
    "tensor_descriptor_ptr_type",
    "tensor_memory_layout_encoding",
    "thread_id",
    "tmem_copy",
    "vote_ballot_sync",
    "warp_redux",
    "zeros",
]
