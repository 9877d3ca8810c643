"""Bulk copies, reductions, prefetches, hints and descriptors that aren't any."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

DESC = "tensordesc<fp32[64, 64]>"


# --- bulk copies -----------------------------------------------------------------------------------------------------


@refused(errors.InvalidCopy, "async_load with bulk=True of 24 bytes, a bulk copy takes multiples of 16", x="*fp32")
def bulk_load_of_24_bytes(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(x, a[0], bulk=True, bulk_size=24, barrier=full[0])  # <- error


@refused(errors.InvalidCopy, "async_load with bulk=True of 512 bytes, 64 fp32 in shared memory has 256", x="*fp32")
def bulk_load_behind_the_buffer(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(x, a[0], bulk=True, bulk_size=512, barrier=full[0])  # <- error


@refused(errors.InvalidCopy, "async_load with bulk=True needs a barrier", x="*fp32")
def bulk_load_without_barrier(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_load(x, a[0], bulk=True)  # <- error


@refused(errors.InvalidCopy, "async_load with bulk=True has no mask", x="*fp32", n="i32")
def bulk_load_with_a_mask(x, n):
    a = tlx.local_alloc((64,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(x, a[0], mask=n > 0, bulk=True, barrier=full[0])  # <- error


@refused(errors.InvalidCopy, "bulk_size and barrier are those of a bulk copy", x="*fp32")
def barrier_of_cp_async(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(x + tl.arange(0, 64), a[0], barrier=full[0])  # <- error


@refused(errors.InvalidCopy, "64x64 fp32 in shared memory has rank 2, its bytes may be swizzled", x="*fp32")
def bulk_load_of_a_matrix(x):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(x, a[0], bulk=True, barrier=full[0])  # <- error


@refused(errors.DtypeMismatch, "async_load with bulk=True takes one pointer, not a tensor", x="*fp32")
def bulk_load_of_many_pointers(x):
    a = tlx.local_alloc((64,), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(x + tl.arange(0, 64), a[0], bulk=True, barrier=full[0])  # <- error


@refused(errors.DtypeMismatch, "async_store: the pointer is to fp16, the buffer is 64 fp32", y="*fp16")
def bulk_store_of_another_type(y):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_store(y, a[0], 256)  # <- error


@refused(errors.InvalidCopy, "async_store of 0 bytes, a bulk copy takes multiples of 16", y="*fp32")
def bulk_store_of_nothing(y):
    a = tlx.local_alloc((64,), tl.float32, 1)
    tlx.async_store(y, a[0], 0)  # <- error


# --- reductions ------------------------------------------------------------------------------------------------------


@refused(errors.InvalidReduction, "'mul' is no reduction, TMA has add, min, max, and, or, xor", y=DESC)
def product_in_memory(y):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    tlx.async_descriptor_store(y, a[0], [0, 0], store_reduce="mul")  # <- error


@refused(
    errors.DtypeMismatch, "TMA can't max elements of fp32, only of int32, uint32, int64, uint64, fp16, bf16", y=DESC
)
def maximum_of_float32(y):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    tlx.async_descriptor_store(y, a[0], [0, 0], store_reduce="max")  # <- error


@refused(
    errors.DtypeMismatch, "TMA can't or elements of int64, only of int32, uint32, uint64", y="tensordesc<i64[32, 32]>"
)
def bits_of_signed_words(y):
    a = tlx.local_alloc((32, 32), tl.int64, 1)
    tlx.async_descriptor_store(y, a[0], [0, 0], store_reduce="or")  # <- error


@refused(errors.IndexOutOfRange, "a block at [0, -16] begins before the tensor", y=DESC)
def reduction_before_the_tensor(y):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    tlx.async_descriptor_store(y, a[0], [0, -16], store_reduce="add")  # <- error


@refused(errors.DtypeMismatch, "atomic_xor: TMA can't xor elements of fp32, only of int32", y=DESC)
def exclusive_or_of_floats(y):
    y.atomic_xor([0, 0], tl.zeros((64, 64), tl.float32))  # <- error


@refused(errors.DtypeMismatch, "atomic_add: TMA can't add elements of int64", y="tensordesc<i64[16, 16]>")
def sum_of_int64(y):
    y.atomic_add([0, 0], tl.zeros((16, 16), tl.int64))  # <- error


@refused(errors.NeedsBlackwell, "gather of a descriptor", x=DESC)
def gathered_rows(x):
    x.gather(tl.arange(0, 8), 0)  # <- error


# --- hints and prefetches --------------------------------------------------------------------------------------------


@refused(
    errors.InvalidHint, "eviction_policy is 'evict_never', it must be one of '', 'evict_first', 'evict_last'", x=DESC
)
def policy_that_is_none(x):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    tlx.async_descriptor_store(x, a[0], [0, 0], eviction_policy="evict_never")  # <- error


@refused(errors.InvalidHint, "cache_modifier is '.l2', it must be one of", x=DESC)
def modifier_that_is_none(x):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], full[0], cache_modifier=".l2")  # <- error


@refused(errors.NeedsBlackwell, "async_descriptor_load with two_ctas=True", x=DESC)
def load_of_two_ctas(x):
    a = tlx.local_alloc((64, 64), tl.float32, 1)
    full = tlx.alloc_barriers(1)
    tlx.async_descriptor_load(x, a[0], [0, 0], full[0], two_ctas=True)  # <- error


@refused(errors.InvalidHint, "level is 'L3', it must be 'L1' or 'L2'", x="*fp32")
def third_level(x):
    tlx.prefetch(x, level="L3")  # <- error


@refused(errors.DtypeMismatch, "prefetch takes pointers, not a tensor of type")
def prefetch_of_values():
    tlx.prefetch(tl.arange(0, 64))  # <- error


@refused(errors.NotADescriptor, "prefetch with tensormap=True takes a tensor descriptor, not a tensor", x="*fp32")
def tensormap_of_a_pointer(x):
    tlx.prefetch(x, tensormap=True)  # <- error


@refused(errors.ShapeMismatch, "async_descriptor_prefetch_tensor: 1 offsets for a descriptor of rank 2", x=DESC)
def prefetch_at_one_offset(x):
    tlx.async_descriptor_prefetch_tensor(x, [0])  # <- error


# --- descriptors made by the kernel ----------------------------------------------------------------------------------


@refused(errors.InvalidDescriptor, "num is 0, it must be at least 1")
def no_places():
    tlx.allocate_tensor_descriptor(0)  # <- error


@refused(errors.InvalidDescriptor, "place 2 of 2")
def place_behind_the_last():
    places = tlx.allocate_tensor_descriptor(2)
    places[2]  # <- error


@refused(errors.InvalidDescriptor, "make_tensor_descriptor: desc_ptr is 2 places of descriptors", x="*fp32", n="i32")
def two_places(x, n):
    places = tlx.allocate_tensor_descriptor(2)
    tlx.make_tensor_descriptor(places, x, [n, n], [n, 1], [32, 32])  # <- error


@refused(errors.InvalidDescriptor, "desc_ptr must be a place of allocate_tensor_descriptor, not a tensor", x="*fp32")
def pointer_as_place(x):
    tlx.reinterpret_tensor_descriptor(x, [32, 32], tl.float32)  # <- error


@refused(errors.InvalidDescriptor, "the rows of a 32x2 block of fp32 have 8 bytes, less than 16", x="*fp32", n="i32")
def rows_of_8_bytes(x, n):
    tlx.make_tensor_descriptor(None, x, [n, n], [n, 1], [32, 2])  # <- error


@refused(errors.InvalidDescriptor, "the last stride must be the constant 1", x="*fp32", n="i32")
def columns_apart(x, n):
    tlx.make_tensor_descriptor(None, x, [n, n], [1, n], [32, 32])  # <- error


@refused(
    errors.InvalidDescriptor, "padding_option is 'nan'; it is 'zero', or 'nan' for floats, of int32", x="*i32", n="i32"
)
def integers_that_are_no_number(x, n):
    tlx.make_tensor_descriptor(None, x, [n, n], [n, 1], [32, 32], padding_option="nan")  # <- error


@refused(errors.ShapeMismatch, "a block of rank 2, 1 sizes and 2 strides", x="*fp32", n="i32")
def one_size(x, n):
    tlx.make_tensor_descriptor(None, x, [n], [n, 1], [32, 32])  # <- error


@refused(errors.DtypeMismatch, "make_tensor_descriptor's base must be a pointer, not a tensor of type", n="i32")
def number_as_base(n):
    tlx.make_tensor_descriptor(None, n, [n], [1], [32])  # <- error
