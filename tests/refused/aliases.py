"""Buffers that share memory."""

# ruff: noqa: F841 -- names that a kernel leaves unused make it readable

import triton.language as tl

import tlx
from tlx import errors

from .case import refused

# --- reuse of a buffer ---


@refused(errors.AliasTooSmall, "2 x 64 fp32 in shared memory takes 512 B, reuse gives it the 256 B of 2 x 64 fp16")
def larger_than_what_it_reuses():
    a = tlx.local_alloc((64,), tl.float16, 2)
    b = tlx.local_alloc((64,), tl.float32, 2, reuse=a)  # <- error


@refused(errors.InvalidAlias, "must begin at a multiple of 1024 B, 1 x 4096 fp32 in shared memory at one of 128 B")
def less_aligned():
    a = tlx.local_alloc((4096,), tl.float32, 1)
    b = tlx.local_alloc((64, 64), tl.float16, 2, reuse=a)  # <- error


@refused(errors.InvalidAlias, "the 384 B of 3 x 32 fp32 in shared memory are no multiple of the 256 B of a slot")
def not_whole_slots():
    a = tlx.local_alloc((32,), tl.float32, 3)
    b = tlx.local_alloc((64,), tl.float32, 1, reuse=a)  # <- error


@refused(errors.InvalidAlias, "reuse of a slice of a buffer")
def over_a_slice():
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((32, 64), tl.float16, 1, reuse=tlx.local_slice(a[0], [32, 0], [32, 64]))  # <- error


@refused(errors.InvalidAlias, "reuse takes a shared buffer or a storage_alias_spec, not a mbarrier")
def over_a_barrier():
    bars = tlx.alloc_barriers(8)
    b = tlx.local_alloc((16,), tl.float32, 1, reuse=bars)  # <- error


@refused(errors.InvalidBuffer, "inside a task, helper, loop or branch", n="i32")
def reuse_in_a_loop(n):
    a = tlx.local_alloc((64,), tl.float32, 1)
    for _ in range(n):
        b = tlx.local_alloc((64,), tl.float32, 1, reuse=a)  # <- error


@refused(errors.InvalidAlias, "reuse of a ring that lies in a storage_alias_spec")
def over_a_ring_of_a_storage():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 1, reuse=spec)
    b = tlx.local_alloc((64,), tl.float32, 1, reuse=a)  # <- error


@refused(errors.InvalidAlias, "a buffer with a padded layout can't share memory")
def padded():
    spec = tlx.storage_alias_spec()
    layout: tl.constexpr = tlx.padded_shared_layout_encoding.with_identity_for([(64, 8)], [64, 64], [1, 0])
    a = tlx.local_alloc((64, 64), tl.float16, 1, reuse=spec, layout=layout)  # <- error


# --- storage ---


@refused(errors.NeedsBlackwell, "storage_alias_spec in tensor memory")
def storage_in_tensor_memory():
    spec = tlx.storage_alias_spec(storage=tlx.storage_kind.tmem)  # <- error


@refused(errors.InvalidAlias, "storage is 'smemCluster', only shared memory can be shared by rings")
def storage_of_the_cluster():
    spec = tlx.storage_alias_spec(storage=tlx.storage_kind.smemCluster)  # <- error


@refused(errors.InvalidAlias, "buffer_size_bytes is 0, it must be a compile-time integer of at least 1")
def storage_of_nothing():
    spec = tlx.storage_alias_spec(buffer_size_bytes=0)  # <- error


@refused(errors.InvalidAlias, "storage_alias_spec inside a task, helper, loop or branch", n="i32")
def storage_in_a_branch(n):
    if n > 0:
        spec = tlx.storage_alias_spec()  # <- error


@refused(errors.AliasTooSmall, "2 x 64 fp32 in shared memory takes 512 B, the storage has buffer_size_bytes=256")
def storage_too_small_for_a_ring():
    spec = tlx.storage_alias_spec(buffer_size_bytes=256)
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)  # <- error


@refused(errors.AliasTooSmall, "the overlap takes 512 B, the storage has buffer_size_bytes=256")
def storage_too_small_for_both():
    spec = tlx.storage_alias_spec(buffer_size_bytes=256)
    a = tlx.local_alloc((64,), tl.float32, 1, reuse=spec)
    b = tlx.local_alloc((64,), tl.float32, 1, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a, b, group_type=tlx.reuse_group_type.distinct))  # <- error


@refused(errors.SharedMemoryExceeded, "spec 262,144 = 262,144 B of shared memory, sm_90 has 232,448 B")
def storage_beyond_the_budget():
    spec = tlx.storage_alias_spec(buffer_size_bytes=262144)  # <- error
    a = tlx.local_alloc((64,), tl.float32, 1, reuse=spec)
    tlx.local_load(a[0])


# --- overlap ---


@refused(errors.InvalidAlias, "reuse_group without members")
def group_of_nothing():
    spec = tlx.storage_alias_spec()
    spec.set_buffer_overlap(tlx.reuse_group())  # <- error


@refused(errors.InvalidAlias, "a member of a reuse_group must be a ring or a reuse_group")
def group_of_numbers():
    tlx.reuse_group(1, 2)  # <- error


@refused(errors.InvalidAlias, "group_size is 0, it must be an integer of at least 1")
def group_size_of_zero():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a, group_size=0))  # <- error


@refused(errors.InvalidAlias, "group_size=2 doesn't divide the 3 slots of reuse_group(a)")
def group_size_that_does_not_divide():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 3, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a, group_size=2))  # <- error


@refused(errors.InvalidAlias, "group_type must be a reuse_group_type")
def unknown_group_type():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 3, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a, group_type="side by side"))  # <- error


@refused(errors.InvalidAlias, "members of a reuse_group have different numbers of slots: a 3, b 2")
def different_numbers_of_slots():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 3, reuse=spec)
    b = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a, b))  # <- error


@refused(errors.InvalidAlias, "a member of the reuse_group was not allocated in this storage")
def stranger_in_the_group():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    b = tlx.local_alloc((64,), tl.float32, 2)
    spec.set_buffer_overlap(tlx.reuse_group(a, b))  # <- error


@refused(errors.InvalidAlias, "a is in the reuse_group twice")
def twice_in_the_group():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a, tlx.reuse_group(a)))  # <- error


@refused(errors.InvalidAlias, "the reuse_group leaves out b, which this storage holds too")
def left_out_of_the_group():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    b = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a))  # <- error


@refused(errors.InvalidAlias, "set_buffer_overlap takes a reuse_group, not")
def overlap_of_a_ring():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(2)  # <- error


@refused(errors.InvalidAlias, "the overlap of this storage is declared twice")
def overlap_declared_twice():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a))
    spec.set_buffer_overlap(tlx.reuse_group(a))  # <- error


@refused(errors.InvalidAlias, "local_alloc in a storage whose overlap was declared")
def ring_after_the_overlap():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    spec.set_buffer_overlap(tlx.reuse_group(a))
    b = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)  # <- error


@refused(errors.InvalidAlias, "set_buffer_overlap after the storage came into use in line")
def overlap_after_a_use():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    tlx.local_store(a[0], tl.zeros((64,), tl.float32))
    spec.set_buffer_overlap(tlx.reuse_group(a))  # <- error


@refused(errors.InvalidAlias, "local_alloc after the storage came into use in line")
def ring_after_a_use():
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    tlx.local_store(a[0], tl.zeros((64,), tl.float32))
    b = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)  # <- error


@refused(errors.InvalidAlias, "set_buffer_overlap inside a task, helper, loop or branch", n="i32")
def overlap_in_a_branch(n):
    spec = tlx.storage_alias_spec()
    a = tlx.local_alloc((64,), tl.float32, 2, reuse=spec)
    if n > 0:
        spec.set_buffer_overlap(tlx.reuse_group(a))  # <- error
