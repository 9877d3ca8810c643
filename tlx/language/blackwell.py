"""Names of TLX that need the hardware of Blackwell. They exist, so that a kernel that names them is refused by name."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import NeedsBlackwell

__all__ = [
    "CLCPipelineContext",
    "DummyRegisterLayoutEncoding",
    "TMemCTAMode",
    "async_dot_scaled",
    "clc_consumer",
    "clc_create_context",
    "clc_producer",
    "clc_response",
    "clc_response_type",
    "stoch_round",
    "subslice",
    "tcgen05_commit",
    "tensor_memory_layout_encoding",
    "tmem_copy",
    "warp_redux",
]


def needs_blackwell(what: str) -> NeedsBlackwell:
    """The error for the use of anything that sm_90 doesn't have."""
    return NeedsBlackwell(f"{what} needs Blackwell (sm_100)", "tlx has lowerings for Hopper (sm_90)")


def blackwell_only(name: str, meaning: str) -> Callable:
    """A function of the language whose call in a kernel raises NeedsBlackwell."""

    def refuse(*args, _semantic=None, **kwargs):
        raise needs_blackwell(name)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{meaning} Raises NeedsBlackwell."
    refuse.__triton_builtin__ = True
    return refuse


class TMemCTAMode:
    """How two CTAs share an accumulator in tensor memory; numbers that only Blackwell's ops take."""

    DEFAULT = 0
    TwoCTA_LHS = 1
    TwoCTA_RHS = 2


_alloc_clc_responses = blackwell_only("_alloc_clc_responses", "Allocates answers of cluster launch control.")
_clc_issue = blackwell_only("_clc_issue", "Asks cluster launch control for a tile.")
_clc_query = blackwell_only("_clc_query", "Reads an answer of cluster launch control.")
_to_mxfp8_block = blackwell_only("_to_mxfp8_block", "Quantizes a block to fp8 with a scale for each 32 elements.")
CLCPipelineContext = blackwell_only("CLCPipelineContext", "Barriers and responses of cluster launch control.")
DummyRegisterLayoutEncoding = blackwell_only(
    "DummyRegisterLayoutEncoding", "The layout of a tensor from tensor memory that is decided later."
)
async_dot_scaled = blackwell_only("async_dot_scaled", "`A @ B` of microscaled operands, into tensor memory.")
clc_consumer = blackwell_only("clc_consumer", "Waits for the tile that cluster launch control hands out.")
clc_create_context = blackwell_only("clc_create_context", "Allocates what cluster launch control needs.")
clc_producer = blackwell_only("clc_producer", "Asks cluster launch control for a tile.")
clc_response = blackwell_only("clc_response", "An answer of cluster launch control.")
clc_response_type = blackwell_only("clc_response_type", "Type of an answer of cluster launch control.")
stoch_round = blackwell_only("stoch_round", "Rounds fp32 to fp8, bf16 or fp16 by random bits (PTX `cvt.rs`).")
subslice = blackwell_only("subslice", "A view of columns of tensor memory.")
tcgen05_commit = blackwell_only("tcgen05_commit", "Makes a barrier follow the MMAs issued so far.")
tensor_memory_layout_encoding = blackwell_only("tensor_memory_layout_encoding", "The layout of tensor memory.")
tensor_memory_layout_encoding.make_default = blackwell_only(
    "tensor_memory_layout_encoding", "The layout of a buffer in tensor memory that asks for none."
)
tmem_copy = blackwell_only("tmem_copy", "Copies a shared buffer into tensor memory.")
warp_redux = blackwell_only("warp_redux", "Reduces fp32 over a warp (PTX `redux.sync`).")
