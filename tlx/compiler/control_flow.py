"""Loops and branches whose values keep their layouts.

Triton's own visitors demand that a carried value enters and leaves a loop with one type. Here the type includes a
layout that the author didn't write, so it is found: the body is traced until the types it yields are the types it was
given, each time converting the initial values to what the body made of them. Accumulators so become MMA-layout
constants outside of the loop, and the loop has no conversion. What never settles (a swap of two variables with
different layouts) is converted where the iteration ends.
"""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass, replace
from typing import Any

import triton.language as tl
from triton.compiler.code_generator import (
    _is_triton_value,
    enter_sub_region,
    flatten_values_to_ir,
    unflatten_ir_values,
)
from triton.language.core import _unwrap_if_constexpr, base_value

from ..errors import InvalidLoop
from ..language.mma import in_flight, in_flight_type
from .async_state import AsyncState, Unseen
from .layouts import stronger
from .versions import begin_branch

__all__ = ["ControlFlow"]

CONDITIONAL = "conditional expression"  # no name of the author's
SETTLING_ROUNDS = 4  # more has not been seen to help; the remainder is converted at the yield

RANGE_ATTRIBUTES = ("num_stages", "loop_unroll_factor")
RANGE_FLAGS = ("disallow_acc_multi_buffer", "flatten", "warp_specialize")


@dataclass
class Carried:
    """What a loop carries: names, initial values, and what the body does with engines and peers."""

    names: list[str]
    values: list[base_value]
    has_async_dot: bool
    signals_peers: bool
    unseen: Unseen

    @property
    def types(self) -> list[Any]:
        return [value.type for value in self.values]


@dataclass
class DryTrace:
    """What one trace of a loop's body came to: names in scope, names assigned, and what its engines did."""

    scope: dict[str, Any]
    definitions: dict[str, Any]
    has_async_dot: bool
    signals_peers: bool
    unseen: Unseen


@dataclass
class LoopRange:
    """Bounds of a `for` over a run-time range, as scalar tensors of one type."""

    lower: tl.tensor
    upper: tl.tensor
    step: tl.tensor
    negative: bool
    options: Any


def in_flight_here(value: Any, issued: int) -> Any:
    """The value; an MMA result in flight counts as issued last, as it does in every iteration but the first."""
    return in_flight(value.handle, value.type.tensor, issued) if isinstance(value, in_flight) else value


class ControlFlow:
    """Mixed into the code generator: `for`, `while`, `if`, conditional expressions, task scopes."""

    task_body_depth = 0

    # --- types of values that meet ---

    def meets(self, left: base_value, right: base_value) -> bool:
        """Whether two values can be given one type: the same shape and element type, whatever the layouts."""
        left, right = (v.type.tensor if isinstance(v, in_flight) else v.type for v in (left, right))
        if left == right:
            return True
        blocks = isinstance(left, tl.block_type) and isinstance(right, tl.block_type)
        return blocks and left.shape == right.shape and left.element_ty == right.element_ty

    def as_type(self, value: base_value, wanted) -> base_value:
        """The value converted to a type that it `meets`."""
        if value.type == wanted:
            return value
        if isinstance(wanted, in_flight_type):
            if isinstance(value, in_flight):
                raise self.type_changes("an MMA result in flight", value.type, wanted)
            tensor = self.semantic.convert(value, wanted.tensor.layout)
            return in_flight(tensor.handle, wanted.tensor, self.semantic.engines.issued)
        return self.semantic.convert(value, wanted.layout)

    def joined_type(self, left: base_value, right: base_value):
        """The type of a value that comes from either of two branches."""
        if isinstance(left, in_flight) or isinstance(right, in_flight):
            return left.type if isinstance(left, in_flight) else right.type
        layout = stronger(left.type.layout, right.type.layout)
        return left.type if layout == left.type.layout else right.type

    def type_changes(self, name: str, before, after) -> InvalidLoop:
        return InvalidLoop(
            f"{name} changes its type: {before} becomes {after}",
            hint="give it one shape and element type: convert with .to(), or use another name",
        )

    # --- what a loop carries ---

    def carried(self, node: ast.For | ast.While, ignore: frozenset[str] = frozenset()) -> Carried:
        """Finds what a loop carries by tracing its body into blocks that are thrown away."""
        place = self._get_insertion_point_and_loc()
        engines = self.semantic.engines
        before = engines.fork()
        outer = dict(self.lscope)
        self.apply_known_types(node, outer)
        for _ in range(SETTLING_ROUNDS):
            dry = self.dry_trace(node, outer, before)
            self._set_insertion_point_and_loc(*place)
            if not self.adopt_types(node, outer, dry, ignore):
                break
        self.lscope, self.local_defs = dict(outer), {}
        engines.restore(before)
        names = [name for name in outer if name not in ignore and self.is_carried(name, outer[name], dry)]
        if dry.signals_peers:
            # Once before the loop, not in each trip: what is written before it would reach its head with every trip.
            self.semantic.make_stores_visible_to_peers()
        values = [outer[name] for name in names]
        return Carried(names, values, dry.has_async_dot, dry.signals_peers, dry.unseen | engines.unseen)

    def dry_trace(self, node, outer: dict[str, Any], before: tuple[int, Unseen]) -> DryTrace:
        """Traces a loop's body once, in a scratch block."""
        engines = self.semantic.engines
        engines.restore(before)
        signals = engines.signals
        block = self.builder.create_block()
        self.builder.set_insertion_point_to_start(block)
        self.lscope = {name: in_flight_here(value, engines.issued) for name, value in outer.items()}
        self.local_defs = {}
        self.trace_body(node)
        block.erase()
        has_async_dot, signals_peers = engines.issued > before[0], engines.signals > signals
        return DryTrace(self.lscope, self.local_defs, has_async_dot, signals_peers, engines.unseen)

    def trace_body(self, node) -> None:
        self.scf_stack.append(node)
        self.visit_compound_statement(node.body)
        self.scf_stack.pop()

    def is_carried(self, name: str, value: Any, dry: DryTrace) -> bool:
        """Whether the body gives the name another value."""
        after = dry.scope.get(name)
        if isinstance(value, base_value) and isinstance(after, base_value):
            if flatten_values_to_ir([value]) == flatten_values_to_ir([after]):
                return False
        elif name not in dry.definitions:
            return False
        if not _is_triton_value(value) or isinstance(value, tl.constexpr):
            raise InvalidLoop(
                f"{name} is a compile-time constant outside of the loop and is assigned inside",
                hint=f"assign it without tl.constexpr before the loop: {name} = ...",
            )
        return True

    def adopt_types(self, node, outer: dict[str, Any], dry: DryTrace, ignore) -> bool:
        """Converts initial values to the types that the body yields; returns whether any had another one."""
        known = self.loop_types.setdefault(node, {})
        changed = False
        for name, value in outer.items():
            if name in ignore or not self.is_carried(name, value, dry):
                continue
            after = dry.scope[name]
            if type(after) is not type(value) and not self.meets_in_flight(value, after):
                raise self.type_changes(name, value.type, after.type)
            if after.type == value.type or isinstance(value, in_flight):
                continue
            if not self.meets(value, after):
                raise self.type_changes(name, value.type, after.type)
            outer[name] = self.as_type(value, after.type)
            known[name] = after.type
            changed = True
        return changed

    def meets_in_flight(self, before: base_value, after: base_value) -> bool:
        """Whether one is a tensor and the other an MMA result in flight of the same shape and element type."""
        kinds = tl.tensor | in_flight
        return isinstance(before, kinds) and isinstance(after, kinds) and self.meets(before, after)

    def apply_known_types(self, node, outer: dict[str, Any]) -> None:
        """Starts from what an earlier trace of the same loop found (an outer loop traces its body several times)."""
        for name, kind in self.loop_types.get(node, {}).items():
            value = outer.get(name)
            if isinstance(value, tl.tensor) and value.type.is_block():
                block = kind.tensor if isinstance(kind, in_flight_type) else kind
                if value.type.shape == block.shape and value.type.element_ty == block.element_ty:
                    outer[name] = self.as_type(value, kind)

    @property
    def loop_types(self) -> dict[ast.AST, dict[str, Any]]:
        return self.__dict__.setdefault("_loop_types", {})

    def enter_body(self, carried: Carried, handles: list) -> None:
        """Gives the carried names the body's block arguments."""
        for name, value in zip(carried.names, unflatten_ir_values(handles, carried.types)):
            self._maybe_set_loc_to_name(value, name)
            self.set_value(name, value)

    def yielded(self, carried: Carried) -> list:
        """Handles of the carried values where an iteration ends, converted to the carried types."""
        values = [self.as_type(self.lscope[name], kind) for name, kind in zip(carried.names, carried.types)]
        return flatten_values_to_ir(values)

    def leave_loop(self, carried: Carried, op, before: tuple[int, bool]) -> None:
        """Gives the carried names the loop's results."""
        self.semantic.engines.rejoin(before, self.semantic.engines.fork())
        handles = [op.get_result(i) for i in range(len(flatten_values_to_ir(carried.values)))]
        self.enter_body(carried, handles)

    # --- for ---

    def visit_For(self, node):
        if node.orelse:
            raise self._unsupported(node, "`else` after `for` is not supported")
        iterator_class = self.visit(node.iter.func)
        args = [self.visit(arg) for arg in node.iter.args]
        kwargs = dict(self.visit(keyword) for keyword in node.iter.keywords)
        if iterator_class == tl.static_range:
            return self.unroll(node, iterator_class(*args, **kwargs))
        if iterator_class is not tl.range and iterator_class is not range:
            raise self._unsupported(node, "a `for` goes over range, tl.range or tl.static_range")
        # Python's range has none of tl.range's options, but the same bounds.
        return self.emit_for(node, self.loop_range(tl.range(*args, **kwargs)))

    def unroll(self, node, iterator) -> None:
        bounds = [_unwrap_if_constexpr(bound) for bound in (iterator.start, iterator.end, iterator.step)]
        for i in range(*bounds):
            self.lscope[node.target.id] = tl.constexpr(i)
            self.visit_compound_statement(node.body)

    def loop_range(self, options) -> LoopRange:
        """The bounds as scalars of their common integer type."""
        lower, upper, step = options.start, options.end, options.step
        constant = _unwrap_if_constexpr(step)
        negative = isinstance(constant, int) and constant < 0
        if negative:  # scf.for counts up
            lower, upper, step = upper, lower, tl.constexpr(-constant)
        bounds = [self.semantic.to_tensor(bound) for bound in (lower, upper, step)]
        for bound in bounds:
            if bound.type.is_block() or not bound.dtype.is_int():
                raise InvalidLoop(f"a loop's bounds and step must be integer scalars, not {bound.type}")
        dtype = bounds[0].dtype
        for bound in bounds[1:]:
            dtype = self.semantic.integer_promote_impl(dtype, bound.dtype)
        return LoopRange(*(self.semantic.cast(bound, dtype) for bound in bounds), negative, options)

    def emit_for(self, node, loop: LoopRange) -> None:
        builder, induction = self.builder, node.target.id
        previous = self.lscope.get(induction)
        placeholder = builder.create_poison(loop.lower.type.to_ir(builder))
        self.set_value(induction, tl.tensor(placeholder, loop.lower.type))
        before = self.semantic.engines.fork()
        with enter_sub_region(self):
            carried = self.carried(node, frozenset([induction]))
            bounds = (loop.lower.handle, loop.upper.handle, loop.step.handle)
            op = builder.create_for_op(*bounds, flatten_values_to_ir(carried.values))
            self.set_loop_attributes(op, loop.options, carried)
            body = op.get_body(0)
            builder.set_insertion_point_to_start(body)
            self.semantic.engines.unseen = carried.unseen
            count = len(flatten_values_to_ir(carried.values))
            self.enter_body(carried, [body.arg(i + 1) for i in range(count)])
            self.trace_body(node)
            handles = self.yielded(carried)
            if handles:
                builder.create_yield_op(handles)
            builder.set_insertion_point_to_start(body)
            value = op.get_induction_var()
            if loop.negative:
                value = builder.create_add(builder.create_sub(loop.upper.handle, value), loop.lower.handle)
            placeholder.replace_all_uses_with(value)
            self._maybe_set_loc_to_name(value, induction)
        self.set_value(induction, self.last_index(loop, previous))
        self.leave_loop(carried, op, before)

    def last_index(self, loop: LoopRange, previous: Any) -> tl.tensor:
        """What the index is after the loop: its last value; without trips what it was before, if that fits."""
        semantic = self.semantic
        trips = semantic.floordiv(semantic.sub(semantic.sub(loop.upper, loop.lower, False), 1, False), loop.step)
        steps = semantic.mul(trips, loop.step, False)
        last = semantic.sub(loop.upper, steps, False) if loop.negative else semantic.add(loop.lower, steps, False)
        if not isinstance(previous, tl.tensor) or previous.type != last.type:
            return last
        return semantic.where(semantic.less_than(loop.lower, loop.upper), last, previous)

    def set_loop_attributes(self, op, options, carried: Carried) -> None:
        """The author's options for the stock pipeliner, except that it must leave hand-written MMAs alone.

        In a loop that issues `async_dot` the pipeliner would put a wait for all of them behind each one.
        """
        builder = self.builder
        values = {name: _unwrap_if_constexpr(getattr(options, name, None)) for name in RANGE_ATTRIBUTES}
        if carried.has_async_dot:
            values["num_stages"] = 0
        for name, value in values.items():
            if value is not None:
                op.set_attr(f"tt.{name}", builder.get_int32_attr(value))
        for name in RANGE_FLAGS:
            if _unwrap_if_constexpr(getattr(options, name, False)):
                op.set_attr(f"tt.{name}", builder.get_unit_attr())
        if _unwrap_if_constexpr(getattr(options, "disable_licm", False)):
            op.set_attr("llvm.loop_annotation", builder.get_disable_loop_licm_attr())

    # --- while ---

    def visit_While(self, node):
        if node.orelse:
            raise self._unsupported(node, "`else` after `while` is not supported")
        builder = self.builder
        before = self.semantic.engines.fork()
        with enter_sub_region(self):
            carried = self.carried(node)
            initial = flatten_values_to_ir(carried.values)
            types = [handle.get_type() for handle in initial]
            op = builder.create_while_op(types, initial)
            condition = builder.create_block_with_parent(op.get_before(), types)
            builder.set_insertion_point_to_start(condition)
            arguments = [condition.arg(i) for i in range(len(initial))]
            self.enter_body(carried, arguments)
            self.emit_condition(node, op, condition, arguments)
            body = builder.create_block_with_parent(op.get_after(), types)
            builder.set_insertion_point_to_start(body)
            self.semantic.engines.unseen = carried.unseen
            self.enter_body(carried, [body.arg(i) for i in range(len(initial))])
            self.trace_body(node)
            builder.create_yield_op(self.yielded(carried))
        self.leave_loop(carried, op, before)

    def emit_condition(self, node, op, block, arguments: list) -> None:
        condition = self.visit(node.test)
        if isinstance(condition, tl.condition):
            if condition.disable_licm:
                op.set_attr("llvm.loop_annotation", self.builder.get_disable_loop_licm_attr())
            condition = condition.condition
        condition = self.semantic.cast(self.semantic.to_tensor(condition), tl.int1)
        self.builder.set_insertion_point_to_end(block)
        self.builder.create_condition_op(condition.handle, arguments)

    # --- if ---

    def visit_if_scf(self, cond, node):
        # Always with an `else`, so that there is a place for conversions on the path that skips the body.
        if not node.orelse:
            node = ast.copy_location(ast.If(node.test, node.body, [ast.copy_location(ast.Pass(), node)]), node)
        return super().visit_if_scf(cond, node)

    def visit_IfExp(self, node):
        condition = self.visit(node.test)
        if not isinstance(condition, tl.tensor):
            return super().visit_IfExp(node)
        # As an `if` that assigns: the values may come in two layouts, and each may put engines to work.
        arms = [[ast.Assign([ast.Name(CONDITIONAL, ast.Store())], value)] for value in (node.body, node.orelse)]
        branch = ast.fix_missing_locations(ast.copy_location(ast.If(node.test, *arms), node))
        scope = dict(self.lscope), dict(self.local_defs)
        self.visit_if_scf(self.semantic.cast(condition, tl.int1), branch)
        value = self.lscope[CONDITIONAL]
        self.lscope, self.local_defs = scope
        return value

    def visit_then_else_blocks(self, node, liveins, then_block, else_block):
        """Traces both branches and gives each name that they set one type; called by Triton."""
        before = self.semantic.engines.fork()
        restore = begin_branch(self)
        then_defs, then_scope, then_block = self.trace_branch(node.body, liveins, then_block)
        then_engines = self.semantic.engines.fork()
        restore()
        self.semantic.engines.restore(before)
        else_defs, else_scope, else_block = self.trace_branch(node.orelse, liveins, else_block)
        self.semantic.engines.rejoin(then_engines, self.semantic.engines.fork())
        names = [
            name
            for name, value in liveins.items()
            if _is_triton_value(value)
            and flatten_values_to_ir([then_scope[name]]) != flatten_values_to_ir([else_scope[name]])
        ]
        for name in names:
            then_defs[name], else_defs[name] = then_scope[name], else_scope[name]
        names += [name for name in sorted(then_defs.keys() & else_defs.keys()) if name not in names]
        for name in names:
            self.unify(name, then_defs, then_block, else_defs, else_block)
        return then_defs, else_defs, then_block, else_block, names

    def trace_branch(self, body: list[ast.stmt], liveins, block):
        """Traces one branch; returns what it defines, the scope at its end and its last block."""
        self.lscope, self.local_defs = dict(liveins), {}
        self.builder.set_insertion_point_to_start(block)
        self.branch_depth += 1
        self.visit_compound_statement(body)
        self.branch_depth -= 1
        return dict(self.local_defs), dict(self.lscope), self.builder.get_insertion_block()

    def unify(self, name: str, then_defs, then_block, else_defs, else_block) -> None:
        """Converts a name's two values to one type, each at the end of its branch."""
        left, right = then_defs[name], else_defs[name]
        if left.type == right.type:
            return
        if not (self.meets(left, right) and self.meets_in_flight(left, right)):
            raise self.type_changes(f"{name} after `if`", left.type, right.type)
        kind = self.joined_type(left, right)
        self.builder.set_insertion_point_to_end(then_block)
        then_defs[name] = self.as_type(left, kind)
        self.builder.set_insertion_point_to_end(else_block)
        else_defs[name] = self.as_type(right, kind)

    # --- tasks ---

    @contextlib.contextmanager
    def inside_task(self, context):
        """Traces for a task: its own warps, engines and names."""
        saved = (self.caller_context, self.semantic.task, self.semantic.engines, self.lscope, self.local_defs)
        options = self.builder.options
        # Triton's `num_warps()` reads them, here and in the functions called from here.
        self.builder.options = replace(options, num_warps=context.num_warps)
        self.caller_context = self.semantic.task = context
        self.semantic.engines = AsyncState()
        self.lscope, self.local_defs = dict(self.lscope), {}
        self.task_body_depth += 1
        try:
            yield
        finally:
            self.task_body_depth -= 1
            self.builder.options = options
            (self.caller_context, self.semantic.task, self.semantic.engines, self.lscope, self.local_defs) = saved
