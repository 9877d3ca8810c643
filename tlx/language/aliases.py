"""Buffers that share memory: storage that several rings are allocated in, and how they lie in it."""

from __future__ import annotations

import enum
from typing import Any

import triton.language as tl
from triton.experimental.gluon.language._layouts import NVMMASharedLayout
from triton.language.core import _unwrap_if_constexpr, base_type, base_value, builtin

from ..compiler.task_context import Allocation
from ..errors import AliasTooSmall, InvalidAlias
from .arguments import describe
from .blackwell import needs_blackwell
from .placement import Leaf, Node, Place, places_of
from .rings import ring

__all__ = ["alias_storage", "layout_alignment", "reuse_group", "reuse_group_type", "storage_alias_spec"]


class reuse_group_type(enum.Enum):
    """How the members of a `reuse_group` lie: in the same region, or side by side."""

    shared = "shared"
    distinct = "distinct"


class compile_time_type(base_type):
    """Type of a value that only the compiler knows; it has no code of its own."""

    def __init__(self, value: base_value):
        self.value = value

    def _flatten_ir_types(self, builder, out):
        pass

    def _unflatten_ir(self, handles, cursor):
        return self.value, cursor

    def __eq__(self, other):
        return isinstance(other, compile_time_type) and self.value is other.value

    def mangle(self) -> str:
        return type(self.value).__name__

    __str__ = __repr__ = mangle


class compile_time_value(base_value):
    """A value that only the compiler knows."""

    @property
    def type(self) -> compile_time_type:
        return compile_time_type(self)

    def _flatten_ir(self, handles):
        pass

    def _set_name(self, builder, name):
        pass


class reuse_group(compile_time_value):
    """How rings lie in the storage that they share: a node of the tree for `set_buffer_overlap`.

    Args:
        args: rings of buffers, and other groups.
        group_type: `reuse_group_type.shared` for the same region at each index, which is then ordered by barriers;
            `distinct` for side by side.
        group_size: consecutive slots of each member that count as one slot.

    Raises InvalidAlias.
    """

    def __init__(self, *args, group_type=reuse_group_type.shared, group_size=1):
        group_type, group_size = _unwrap_if_constexpr(group_type), _unwrap_if_constexpr(group_size)
        if not args:
            raise InvalidAlias("reuse_group without members")
        for member in args:
            if not isinstance(member, ring | reuse_group):
                raise InvalidAlias(f"a member of a reuse_group must be a ring or a reuse_group, not {describe(member)}")
        if not isinstance(group_type, reuse_group_type):
            raise InvalidAlias(f"group_type must be a reuse_group_type, not {describe(group_type)}")
        if isinstance(group_size, bool) or not isinstance(group_size, int) or group_size < 1:
            raise InvalidAlias(f"group_size is {group_size!r}, it must be an integer of at least 1")
        self._args, self._group_type, self._group_size = tuple(args), group_type, group_size

    @property
    def args(self) -> tuple:
        """The members."""
        return self._args

    @property
    def group_type(self) -> reuse_group_type:
        """How the members lie."""
        return self._group_type

    @property
    def group_size(self) -> int:
        """Consecutive slots of each member that count as one."""
        return self._group_size


def layout_alignment(layout) -> int:
    """Bytes that the beginning of a buffer of that layout is a multiple of, as Triton's allocator has it."""
    if not isinstance(layout, NVMMASharedLayout):
        return 16
    return {0: 128, 32: 256, 64: 512, 128: 1024}[layout.swizzle_byte_width]


class alias_storage(compile_time_value):
    """Storage that several rings share, as `storage_alias_spec` declares it.

    The rings get their places when one of them is used first, because `set_buffer_overlap` comes after all of them
    were allocated.

    Args:
        buffer_size_bytes: bytes that it has at least; None for as many as the rings need.
        semantic: of the kernel's trace.
        generator: of the kernel.
    """

    def __init__(self, buffer_size_bytes: int | None, semantic, generator):
        self._buffer_size_bytes = buffer_size_bytes
        self.generator = generator
        self.block = semantic.builder.get_insertion_block()
        self.allocation = Allocation("", 0, 1, generator.location())
        self.members: list[ring] = []
        self.root: Node | None = None
        self.settled_at = None

    @property
    def storage(self) -> tl.constexpr:
        """The kind of its memory."""
        return tl.constexpr("smem")

    @property
    def buffer_size_bytes(self) -> int | None:
        """The bytes that were asked for."""
        return self._buffer_size_bytes

    @builtin
    def set_buffer_overlap(self, overlap_def, _semantic=None, _generator=None):
        """Declares how the rings that were allocated in this storage lie in it.

        Args:
            overlap_def: a `reuse_group` that holds each of them once.

        Without it, slot 0 of each ring lies at the beginning. Raises InvalidAlias; AliasTooSmall where the rings don't
        fit the size that was asked for.
        """
        overlap = _unwrap_if_constexpr(overlap_def)
        if not isinstance(overlap, reuse_group):
            raise InvalidAlias(f"set_buffer_overlap takes a reuse_group, not {describe(overlap)}")
        if not _generator.at_kernel_top_level:
            raise InvalidAlias("set_buffer_overlap inside a task, helper, loop or branch")
        self.refuse_when_settled("set_buffer_overlap")
        if self.root is not None:
            raise InvalidAlias("the overlap of this storage is declared twice", hint="one reuse_group may hold others")
        found: list[ring] = []
        root = self.node(overlap, found)
        missing = [self.leaf(member).name for member in self.members if not any(member is other for other in found)]
        if missing:
            raise InvalidAlias(f"the reuse_group leaves out {', '.join(missing)}, which this storage holds too")
        self.root = root
        self.check_size(root.count * root.bytes, "the overlap")

    def node(self, group: reuse_group, found: list[ring]) -> Node:
        """The group as a tree of what its rings need."""
        parts = []
        for member in group.args:
            if isinstance(member, reuse_group):
                parts.append(self.node(member, found))
                continue
            if not any(member is own for own in self.members):
                raise InvalidAlias(
                    "a member of the reuse_group was not allocated in this storage",
                    hint="allocate it with local_alloc(..., reuse=spec)",
                )
            if any(member is other for other in found):
                raise InvalidAlias(f"{self.leaf(member).name} is in the reuse_group twice")
            found.append(member)
            parts.append(self.leaf(member))
        return Node(tuple(parts), group.group_type is reuse_group_type.distinct, group.group_size)

    def leaf(self, member) -> Leaf:
        """What a ring needs."""
        kind, number = member.declared, next(i for i, own in enumerate(self.members) if own is member)
        return Leaf(number, member.name or str(kind), kind.slot_bytes, kind.num)

    def add(self, member) -> None:
        """Takes in one more ring."""
        self.refuse_when_settled("local_alloc")
        if self.root is not None:
            raise InvalidAlias("local_alloc in a storage whose overlap was declared", hint="allocate before")
        self.members.append(member)
        leaf = self.leaf(member)
        self.check_size(leaf.count * leaf.bytes, str(member.declared))

    def check_size(self, needed: int, what: str) -> None:
        """Raises AliasTooSmall where the size that was asked for doesn't do."""
        if self._buffer_size_bytes is not None and needed > self._buffer_size_bytes:
            raise AliasTooSmall(
                f"{what} takes {needed:,} B, the storage has buffer_size_bytes={self._buffer_size_bytes:,}"
            )

    def refuse_when_settled(self, op: str) -> None:
        if self.settled_at is not None:
            raise InvalidAlias(
                f"{op} after the storage came into use in line {self.settled_at.line}",
                hint="allocate all rings in it, and set the overlap, before the first loop, branch, task or use",
            )

    def settle(self) -> None:
        """Allocates the memory where the storage was declared, and gives each ring its place."""
        if self.settled_at is not None:
            return
        generator, builder = self.generator, self.generator.builder
        self.settled_at = generator.location()
        leaves = [self.leaf(member) for member in self.members]
        total, places = places_of(leaves, self.root, self._buffer_size_bytes or 0)
        kinds = [member.declared.placed(places[i]) for i, member in enumerate(self.members)]
        before = generator._get_insertion_point_and_loc()
        builder.set_insertion_point_to_start(self.block)
        # The memory has the type of the ring that needs the largest alignment: the allocator goes by it.
        strictest = max(range(len(kinds)), key=lambda i: layout_alignment(kinds[i].layout))
        backing = builder.create_local_alloc(kinds[strictest].to_ir(builder))
        backing.set_loc(builder.create_name_loc(self.allocation.name or "storage", backing.get_loc()))
        for i, (member, kind) in enumerate(zip(self.members, kinds)):
            handle = backing
            if i != strictest:
                handle = builder.create_memdesc_reinterpret(kind.to_ir(builder), backing)
                handle.set_loc(builder.create_name_loc(member.name, handle.get_loc()))
            member.view = kind.wrap(handle)
        generator._set_insertion_point_and_loc(*before)
        self.allocation.bytes_per_slot = total
        generator.record_storage(kinds[strictest].wrap(backing), self.allocation)


@builtin
def storage_alias_spec(storage="smem", buffer_size_bytes=None, _semantic=None, _generator=None):
    """Declares storage that several rings share: `local_alloc(shape, dtype, num, reuse=spec)`.

    The rings overlap as `spec.set_buffer_overlap` says. What orders the accesses of one to the bytes of another are
    barriers, as for any slot that is filled again.

    Args:
        storage: only shared memory.
        buffer_size_bytes: its size, a compile-time integer; by default what the rings need.

    Returns:
        alias_storage: for `local_alloc`.

    Raises InvalidAlias; NeedsBlackwell for tensor memory. Lowers to one `ttg.local_alloc`, and to
    `ttg.memdesc_reinterpret` for each further ring.
    """
    storage, size = _unwrap_if_constexpr(storage), _unwrap_if_constexpr(buffer_size_bytes)
    if storage == "tmem":
        raise needs_blackwell("storage_alias_spec in tensor memory")
    if storage != "smem":
        raise InvalidAlias(f"storage is {describe(storage)}, only shared memory can be shared by rings")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
        raise InvalidAlias(f"buffer_size_bytes is {describe(size)}, it must be a compile-time integer of at least 1")
    if not _generator.at_kernel_top_level:
        raise InvalidAlias(
            "storage_alias_spec inside a task, helper, loop or branch", hint="declare it in the kernel's own body"
        )
    return alias_storage(size, _semantic, _generator)


def reinterpreted(kind, base: Any, semantic):
    """A ring that begins where another one, or a buffer, begins, and lies in it.

    Raises InvalidAlias where the base can't hold it aligned, AliasTooSmall where it can't hold it.
    """
    if base.type.alloc_shape != base.type.shape:
        raise InvalidAlias("reuse of a slice of a buffer", hint="pass the whole buffer")
    slots = base.type.place.slots if base.type.place else max(1, base.type.num)
    has, needs = slots * base.type.slot_bytes, kind.num * kind.slot_bytes
    if needs > has:
        raise AliasTooSmall(
            f"{kind} takes {needs:,} B, reuse gives it the {has:,} B of {base.type}",
            hint="allocate the larger ring first, or both in a storage_alias_spec",
        )
    if layout_alignment(kind.layout) > layout_alignment(base.type.layout):
        raise InvalidAlias(
            f"{kind} must begin at a multiple of {layout_alignment(kind.layout)} B, {base.type} at one of "
            f"{layout_alignment(base.type.layout)} B",
            hint="allocate the other one first, or both in a storage_alias_spec",
        )
    if has % kind.slot_bytes:
        raise InvalidAlias(
            f"the {has:,} B of {base.type} are no multiple of the {kind.slot_bytes:,} B of a slot",
            hint="allocate both in a storage_alias_spec",
        )
    kind = kind.placed(Place(has // kind.slot_bytes))  # Triton 3.8 wants views of as many bytes
    builder = semantic.builder
    return kind.wrap(builder.create_memdesc_reinterpret(kind.to_ir(builder), base.handle))
