"""What the custom spellings of ops say outside dictionaries, one entry an op.

The grammar gives an op's items in textual order. An entry of `READINGS` names what isn't an operand, a type, a region
or a dictionary, and says the result types where the text only implies them. An op without an entry keeps its operands,
types, regions and dictionaries, and `key = value` pairs and `key<value>` flags under their own names; so does one with.

To add an op, add an entry:

    "ttng.init_barrier": Reading(numbers=("count",)),           # ttng.init_barrier %bar, 1 : ...

Names in `words`, `numbers`, `strings` and `symbols` are given to the bare literals of that kind in textual order; a
name with `*` takes all that are left as a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .constants import decode_number
from .model import Op, OpaqueType, PointerType, ScalarType, TensorType, Type

__all__ = ["READINGS", "Literals", "Reading", "reading_of"]

I1 = ScalarType("i1")
I32 = ScalarType("i32")
TOKEN = OpaqueType("!ttg.async.token")


@dataclass
class Literals:
    """The bare literals of one op in textual order; `dense` are `Attribute`s, the others Python values."""

    words: list[str] = field(default_factory=list)
    numbers: list[Any] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    dense: list[Any] = field(default_factory=list)
    argument_attributes: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Reading:
    """How one op's spelling is read.

    Args:
        words, numbers, strings, symbols: attribute names of bare literals.
        flags: bare words that are boolean attributes.
        regions: names of the regions, where the text doesn't say them.
        segments: words in front of operand groups (`mask %m`, `offsets = [%a, %b]`) that tell them apart.
        brackets: names of operand groups in brackets, by the index of the operand in front (`%buffer[%dep]`).
            `attributes["segments"]` has the operands' indices of each group named here, () for one that isn't there.
        bare_type: the kind of a type written without it (`<16x16xf32>`) that isn't an operand's.
        results: the result types of an op whose types are known; None: those written behind `->` or `to`.
        bound: the types of the region arguments that are written as `%argument = %initial`.
        finish: what else there is to derive.
    """

    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    brackets: Mapping[int, str] = field(default_factory=dict)
    bare_type: str = ""
    results: Callable[[Op], Sequence[Type]] | None = None
    bound: Callable[[Op], Sequence[Type]] | None = None
    finish: Callable[[Op, Literals], None] | None = None


def reading_of(name: str) -> Reading:
    """The entry of an op, else its dialect's, else one that names nothing."""
    return READINGS.get(name) or READINGS.get(name.partition(".")[0] + ".*") or _NOTHING


# --- result types ----------------------------------------------------------------------------------------------------


def _first_type(op: Op) -> Sequence[Type]:
    return op.types[:1] * len(op.results)


def _last_type(op: Op) -> Sequence[Type]:
    return op.types[-1:] * len(op.results)


def _all_types(op: Op) -> Sequence[Type]:
    return op.types


def _always(*types: Type) -> Callable[[Op], Sequence[Type]]:
    return lambda op: types


def _boolean(op: Op) -> Sequence[Type]:
    (type_,) = op.types
    return [replace(type_, element=I1) if isinstance(type_, TensorType) else I1]


def _pointee(op: Op) -> Sequence[Type]:
    type_ = op.types[0]
    if isinstance(type_, TensorType) and isinstance(type_.element, PointerType):
        return [replace(type_, element=type_.element.pointee)]
    return [type_.pointee] if isinstance(type_, PointerType) else []


def _with_token(op: Op) -> Sequence[Type]:
    """`%value, %token = op %buffer[%dep] : buffer -> tensor[, reduced]`."""
    value, *reduced = op.types[1:]
    return [value, *[TOKEN] * (len(op.results) - 1 - len(reduced)), *reduced]


def _loop_arguments(op: Op) -> Sequence[Type]:
    """The induction variable, whose type stands last and is `index` where none does, then the iteration arguments."""
    carried = [value.type for value in op.results]
    induction = op.types[-1] if len(op.types) > len(carried) else ScalarType("index")
    return [induction, *carried]


def _while_arguments(op: Op) -> Sequence[Type]:
    return op.types[0].inputs


# --- attributes ------------------------------------------------------------------------------------------------------


def _constant(op: Op, literals: Literals) -> None:
    if literals.dense:
        op.attributes["value"] = literals.dense[0]
    elif literals.numbers:
        op.attributes["value"] = decode_number(literals.numbers[0], op.types[0])
    elif literals.words:
        op.attributes["value"] = literals.words[0] == "true"


def _constant_type(op: Op) -> Sequence[Type]:
    return op.types[-1:] or [I1]


def _axis(op: Op, literals: Literals) -> None:
    op.attributes["axis"] = "xyz".index(literals.words[0])


def _function(op: Op, literals: Literals) -> None:
    op.attributes.setdefault("sym_visibility", "public")
    op.attributes["argument_attributes"] = tuple(literals.argument_attributes)


_NOTHING = Reading()
_ELEMENTWISE = Reading(results=_last_type)

READINGS: dict[str, Reading] = {
    # Structure
    "tt.func": Reading(words=("sym_visibility",), symbols=("sym_name",), regions=("body",), finish=_function),
    "tt.call": Reading(symbols=("callee",)),
    "scf.for": Reading(flags=("unsigned",), regions=("body",), bound=_loop_arguments),
    "scf.if": Reading(regions=("then", "else")),
    "scf.while": Reading(regions=("before", "after"), bound=_while_arguments),
    "tt.reduce": Reading(regions=("combine",)),
    "tt.scan": Reading(regions=("combine",)),
    "tt.map_elementwise": Reading(regions=("body",)),
    "ttg.warp_specialize": Reading(numbers=("*num_warps",)),
    # Constants and arithmetic
    "arith.*": _ELEMENTWISE,
    "math.*": _ELEMENTWISE,
    "ub.poison": _ELEMENTWISE,
    "arith.constant": Reading(results=_constant_type, finish=_constant),
    "arith.cmpi": Reading(words=("predicate",), results=_boolean),
    "arith.cmpf": Reading(words=("predicate",), results=_boolean),
    "arith.addui_extended": Reading(results=_all_types),
    "math.fpowi": Reading(results=_first_type),
    "tt.clampf": _ELEMENTWISE,
    "tt.mulhiui": _ELEMENTWISE,
    "tt.precise_divf": _ELEMENTWISE,
    "tt.precise_sqrt": _ELEMENTWISE,
    "tt.approx_divf": _ELEMENTWISE,
    "tt.elementwise_inline_asm": Reading(strings=("asm_string",)),
    # Programs, ranges, pointers, global memory
    "tt.get_program_id": Reading(results=_first_type, finish=_axis),
    "tt.get_num_programs": Reading(results=_first_type, finish=_axis),
    "tt.make_range": _ELEMENTWISE,
    "tt.addptr": Reading(results=_first_type),
    "tt.load": Reading(results=_pointee),
    "tt.atomic_rmw": Reading(words=("kind", "sem", "scope")),
    "tt.atomic_cas": Reading(words=("sem", "scope")),
    "tt.atomic_load": Reading(words=("sem", "scope")),
    "tt.atomic_store": Reading(words=("sem", "scope")),
    "tt.atomic_poll": Reading(words=("sem", "scope")),
    "tt.make_tensor_descriptor": Reading(bare_type="!tt.tensordesc", results=_last_type),
    "tt.descriptor_reduce": Reading(words=("kind",)),
    "tt.reshape": Reading(flags=("allow_reorder", "efficient_layout")),
    "tt.split": Reading(results=_last_type),
    "tt.histogram": Reading(segments=("mask",)),
    "tt.print": Reading(strings=("prefix",)),
    "tt.assert": Reading(strings=("message",)),
    # Shared memory, cp.async
    "ttg.local_load": Reading(segments=("token",)),
    "ttg.memdesc_subslice": Reading(numbers=("*offsets",)),
    "ttg.async_copy_global_to_local": Reading(segments=("mask", "other"), results=_always(TOKEN)),
    "ttg.async_commit_group": Reading(results=_always(TOKEN)),
    "ttg.async_wait": Reading(results=_always(TOKEN)),
    "ttg.global_scratch_alloc": Reading(results=_first_type),
    "ttg.barrier": Reading(words=("*address_spaces",)),
    "ttg.warp_id": Reading(results=_always(I32)),
    # Barriers
    "ttng.init_barrier": Reading(numbers=("count",)),
    "ttng.arrive_barrier": Reading(numbers=("count",)),
    "ttng.barrier_expect": Reading(numbers=("size",)),
    "ttng.wait_barrier": Reading(segments=("deps",)),
    # TMA
    "ttng.async_tma_copy_global_to_local": Reading(brackets={0: "coordinates"}, segments=("offsets",)),
    "ttng.async_tma_reduce": Reading(words=("kind",)),
    # Matrix units and tensor memory
    "ttng.warp_group_dot_wait": Reading(results=_all_types),
    "ttng.tc_gen5_mma": Reading(brackets={2: "dependency"}, results=_always(TOKEN)),
    "ttng.tc_gen5_mma_scaled": Reading(brackets={2: "dependency"}, results=_always(TOKEN)),
    "ttng.tc_gen5_commit": Reading(segments=("descs",)),
    "ttng.tmem_load": Reading(brackets={0: "dependency"}, results=_with_token),
    "ttng.tmem_store": Reading(brackets={1: "dependency"}, results=_always(TOKEN)),
    # Late ops
    "builtin.unrealized_conversion_cast": Reading(results=_last_type),
    "llvm.ptrtoint": Reading(results=_last_type),
    "nvvm.elect.sync": Reading(results=_always(I1)),
    "nvvm.read.ptx.sreg.cluster.ctarank": Reading(results=_first_type),
    "nvvm.read.ptx.sreg.cluster.nctarank": Reading(results=_first_type),
    "llvm.call_intrinsic": Reading(strings=("intrin",)),
    "llvm.mlir.constant": Reading(results=_last_type, finish=_constant),
}
