"""PTX of what reaches other CTAs of a cluster: each text that tlx writes, with its operands.

Every text is inline PTX (`tt.elementwise_inline_asm`, one element at a time) whose `$0` is a dummy i32 result, that of
`MAPA_PTX` excepted. Where operands are scalars, each thread of the task executes it; a predicate that differs from
thread to thread (`elected`) makes it one thread. Where they are tensors, it is executed once for each element.

`elected` is `nvvm.elect.sync` (one lane of each warp) and (`thread_id_x` / 32) % warps of the task == 0: exactly one
thread of a task, whose warps are a power of two and follow each other.

Addresses are i32. One of the executing CTA's own shared memory is what the late op `shared_address` gives; `MAPA_PTX`
turns it into an address in the cluster's window, (rank << 24) | address. Sums of such an address and an offset stay in
the same CTA. A signal to a mapped mbarrier, by arrivals or by bytes, is one to that CTA's mbarrier.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ARRIVE_REMOTE_PTX",
    "ASYNC_STORE_BYTES",
    "BOX_RANKS",
    "COPY_REMOTE_PTX",
    "MAPA_PTX",
    "STORE_BYTES",
    "async_store_remote_ptx",
    "message_box",
    "multicast_load_ptx",
    "store_remote_ptx",
]

STORE_BYTES = (1, 2, 4, 8, 16)
"""Sizes that `store_remote_ptx` takes."""

ASYNC_STORE_BYTES = (4, 8, 16)
"""Sizes that `async_store_remote_ptx` takes."""

BOX_RANKS = (1, 2, 3, 4, 5)
"""Ranks that `multicast_load_ptx` takes."""

# The longest box along one axis: CUDA driver API, `cuTensorMapEncodeTiled`.
LONGEST_BOX = 256

# Operands: own address i32, rank i32. Result: the same byte's address in the CTA of that rank, i32. Pure.
MAPA_PTX = "mapa.shared::cluster.u32 $0, $1, $2;"

# Operands: mapped address of an mbarrier i32, count of arrivals i32, predicate i32. Each thread whose predicate isn't 0
# arrives `count` times on the mbarrier. It releases at the CTA's scope, as by default in PTX: what the task has stored
# for others, it publishes before, by a fence at the cluster's scope (`semantic.make_stores_visible_to_peers`).
ARRIVE_REMOTE_PTX = (
    "{ .reg .pred p; setp.ne.b32 p, $3, 0; @p mbarrier.arrive.shared::cluster.b64 _, [$1], $2; } mov.b32 $0, 0;"
)

# Operands: mapped address of the first byte written i32, own address of the first byte read i32, bytes i32 (a multiple
# of 16), mapped address of an mbarrier in the written CTA i32, predicate i32. Each thread whose predicate isn't 0
# starts a copy by the bulk engine (async proxy), which lands its bytes on the mbarrier.
COPY_REMOTE_PTX = (
    "{ .reg .pred p; setp.ne.b32 p, $5, 0; "
    "@p cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$1], [$2], $3, [$4]; } mov.b32 $0, 0;"
)


def words_of(num_bytes: int) -> int:
    """The i32 operands that hold so many bytes; less than 4 are the low ones of one word."""
    return max(1, num_bytes // 4)


def word_operands(first: int, num_bytes: int) -> str:
    """The operands that hold the bytes, as a PTX vector from the second word on."""
    names = [f"${first + i}" for i in range(words_of(num_bytes))]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def vector_type(num_bytes: int) -> str:
    """`.b8`, `.b16`, `.b32`, `.v2.b32` or `.v4.b32`."""
    words = words_of(num_bytes)
    return f".b{8 * num_bytes}" if num_bytes < 4 else f"{f'.v{words}' if words > 1 else ''}.b32"


def store_remote_ptx(num_bytes: int) -> str:
    """An ordinary store (generic proxy) of 1, 2, 4, 8 or 16 bytes to shared memory of the cluster.

    Operands: mapped address of the first byte i32, then the bytes as i32 words, the lowest first. Executed for each
    element; threads that hold copies of an element all store it.
    """
    return f"st.shared::cluster{vector_type(num_bytes)} [$1], {word_operands(2, num_bytes)}; mov.b32 $0, 0;"


def async_store_remote_ptx(num_bytes: int) -> str:
    """An asynchronous store of 4, 8 or 16 bytes to shared memory of the cluster, which lands them on an mbarrier.

    Operands: mapped address of the first byte i32, mapped address of an mbarrier in the same CTA i32, then the bytes as
    i32 words, the lowest first, then a predicate i32. Executed for each element whose predicate isn't 0. No two threads
    hold the same element: each store counts its bytes.
    """
    predicate = 3 + words_of(num_bytes)
    store = f"st.async.shared::cluster.mbarrier::complete_tx::bytes{vector_type(num_bytes)}"
    return (
        f"{{ .reg .pred p; setp.ne.b32 p, ${predicate}, 0; "
        f"@p {store} [$1], {word_operands(3, num_bytes)}, [$2]; }} mov.b32 $0, 0;"
    )


def multicast_load_ptx(rank: int) -> str:
    """A TMA load of one box (`message_box`) of a descriptor of that rank into several CTAs of the cluster.

    Operands: own address of the box's first byte i32, descriptor i64 (late op `descriptor_address`), `rank` coordinates
    of the box's first element i32, the contiguous axis first, own address of an mbarrier i32, mask i32 whose bit r
    stands for the CTA of rank r, predicate i32. Each thread whose predicate isn't 0 starts a load by the TMA engine:
    the box goes to the same address in each of the CTAs, its bytes land on the mbarrier at the same address there.
    """
    coordinates = ", ".join(f"${3 + i}" for i in range(rank))
    barrier, mask, predicate = (f"${3 + rank + i}" for i in range(3))
    load = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
    return (
        f"{{ .reg .pred p; .reg .b16 m; cvt.u16.u32 m, {mask}; setp.ne.b32 p, {predicate}, 0; "
        f"@p {load} [$1], [$2, {{{coordinates}}}], [{barrier}], m; }} mov.b32 $0, 0;"
    )


def message_box(block: Sequence[int], element_bits: int, swizzle_bytes: int) -> list[int]:
    """The box that one TMA message of a descriptor copies; a wider block takes several.

    Args:
        block: the descriptor's block.
        element_bits: size of an element.
        swizzle_bytes: width of the shared layout's swizzle, 0 for none.
    """
    box = [min(size, LONGEST_BOX) for size in block]
    if swizzle_bytes:
        box[-1] = min(box[-1], 8 * swizzle_bytes // element_bits)
    return box
