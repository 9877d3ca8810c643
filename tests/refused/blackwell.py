"""What needs the hardware of Blackwell."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused


@refused(errors.NeedsBlackwell, "tcgen05_commit needs Blackwell (sm_100)")
def commit_of_tcgen05():
    bars = tlx.alloc_barriers(1)
    tlx.tcgen05_commit(bars[0])  # <- error


@refused(errors.NeedsBlackwell, "local_alloc in tensor memory needs Blackwell")
def tensor_memory():
    tlx.local_alloc((128, 128), tl.float32, 1, tlx.storage_kind.tmem)  # <- error


@refused(errors.NeedsBlackwell, "tensor_memory_layout_encoding needs Blackwell")
def layout_of_tensor_memory():
    tlx.tensor_memory_layout_encoding.make_default((128, 128))  # <- error


@refused(errors.NeedsBlackwell, "async_dot_scaled needs Blackwell")
def scaled_product():
    tlx.async_dot_scaled(None, None, None, None, "e4m3", None, "e4m3")  # <- error


@refused(errors.NeedsBlackwell, "warp_redux needs Blackwell", y="*fp32")
def reduction_in_a_warp(y):
    tlx.warp_redux(tl.load(y + tl.arange(0, 64)), "max")  # <- error
