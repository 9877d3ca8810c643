"""Lowering of `with async_tasks():` to `ttg.warp_specialize`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import triton.language as tl
from triton.compiler.code_generator import enter_sub_region, flatten_values_to_ir, unflatten_ir_values
from triton.language.core import _unwrap_if_constexpr, base_value

from ..errors import DefaultTaskError, InvalidRegisterCount, InvalidTask, InvalidWarpCount, TensorCapture, TLXError
from ..language.arguments import list_text
from ..language.ignored import note_ignored
from ..language.mma import in_flight
from ..language.tasks import TaskFunction, TaskOptions, async_task, async_tasks, task_options
from .budget import check_threads, fillers
from .cluster_syncs import Syncs, TracedTask, join_syncs, straight_barriers
from .ring_uses import check_ring_uses
from .task_context import KernelState, RegionDemand, RingUses, TaskContext, TaskDemand
from .task_options import check_exclusive, check_start_ids, read_region_options
from .versions import create_partitions, create_warp_specialize

__all__ = ["TaskRegion"]

UNSET = {"num_warps": None, "registers": None, "num_regs": None, "replicate": 1}


@dataclass
class Task:
    """One task as written: its options, its statements and where it stands."""

    options: TaskOptions
    body: list[ast.stmt]
    node: ast.stmt


@dataclass
class Partition:
    """One copy of a task, as it is traced: replica number and warps. Without a task, warps that join cluster syncs."""

    task: Task | None
    replica: int
    num_warps: int

    @property
    def registers(self) -> int | None:
        return self.task.options.registers if self.task is not None else None

    @property
    def demand(self) -> TaskDemand:
        return TaskDemand(self.num_warps, self.registers)


def register_tensors(value: base_value) -> Iterator[tl.tensor | in_flight]:
    """The register tensors in a value: itself, or in a tuple."""
    if isinstance(value, tl.tuple):
        for item in value.values:
            yield from register_tensors(item)
    elif isinstance(value, in_flight) or (isinstance(value, tl.tensor) and value.type.is_block()):
        yield value


def names_from_outside(statements: list[ast.stmt], assigned: frozenset[str]) -> Iterator[ast.Name]:
    """The uses of names that the statements haven't surely assigned before.

    Args:
        statements: of one task.
        assigned: names that were assigned before them.
    """

    def uses(node: ast.AST) -> Iterator[ast.Name]:
        updated = {n.target for n in ast.walk(node) if isinstance(n, ast.AugAssign)}
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and name.id not in assigned and (not is_stored(name) or name in updated):
                yield name

    for statement in statements:
        if isinstance(statement, ast.For):
            yield from uses(statement.iter)
            yield from names_from_outside(statement.body, assigned | stored(statement.target))
        elif isinstance(statement, ast.If | ast.While):
            yield from uses(statement.test)
            yield from names_from_outside(statement.body, assigned)
            yield from names_from_outside(statement.orelse, assigned)
        elif isinstance(statement, ast.With):
            held = [item.optional_vars for item in statement.items if item.optional_vars]
            for item in statement.items:
                yield from uses(item.context_expr)
            yield from names_from_outside(statement.body, assigned.union(*map(stored, held)))
        else:
            yield from uses(statement)
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            assigned |= stored(statement)


def stored(node: ast.AST) -> frozenset[str]:
    """The names that a target or an assignment sets."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and is_stored(n))


def is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def at_run_time(value: object) -> bool:
    """Whether a value of a scope lives in registers or memory, not in the compiler."""
    return isinstance(value, base_value) and not isinstance(value, tl.constexpr)


def idle_warps(partitions: list[Partition], kernel: KernelState) -> Iterator[Partition]:
    """The warps that fill up the last warp group, which must join the barriers of a cluster."""
    if kernel.cluster is not None:
        group = kernel.target.warp_group
        for demand in fillers(-sum(p.num_warps for p in partitions) % group):
            yield Partition(None, 0, demand.num_warps)


class TaskRegion:
    """One `with async_tasks():` statement of a function being traced."""

    def __init__(self, generator, node: ast.With):
        self.generator = generator
        self.builder = generator.builder
        self.node = node
        self.ring_uses: list[RingUses] = []
        self.syncs = Syncs()
        self.traced: list[TracedTask] = []

    def lower(self) -> None:
        """Emits the region: the default task's region first, then a partition for each other copy of a task."""
        context = self.generator.caller_context
        if context.in_task:
            raise InvalidTask("async_tasks inside a task")
        self.check_opening()
        tasks = list(self.read_tasks(self.node.body))
        default = self.the_default(tasks)
        self.check_registers_all_or_none(tasks)
        check_start_ids([task.options for task in tasks], context.num_warps, self.note_start_id)
        partitions = list(self.partitions(tasks, context))
        if not partitions:
            self.trace(Partition(default, 0, context.num_warps))
            context.cluster_use.take_over(self.traced[0].use)
            check_ring_uses(self.ring_uses)
            return
        self.check_default_warps(context)
        self.idle = list(idle_warps(partitions, context.kernel))
        partitions += self.idle
        demands = tuple(p.demand for p in partitions)
        check_threads(context.num_warps, demands, context.kernel.target)
        place = self.generator.location(self.node)
        self.demand = RegionDemand(demands, place, self.exclusive, default.options.registers)
        context.kernel.regions.append(self.demand)
        check_exclusive(context.kernel)
        self.emit(default, partitions)
        check_ring_uses(self.ring_uses)

    # --- reading ---

    def check_opening(self) -> None:
        if len(self.node.items) != 1:
            raise InvalidTask("async_tasks shares its `with` with another item", "write one `with` per statement")
        call = self.node.items[0].context_expr
        if call.args or self.generator.visit(call.func) is not async_tasks:
            raise InvalidTask("async_tasks takes no positional arguments")
        options = {k.arg: _unwrap_if_constexpr(self.generator.visit(k.value)) for k in call.keywords}
        self.exclusive = read_region_options(options, self.generator.semantic)

    def read_tasks(self, statements: list[ast.stmt]) -> Iterator[Task]:
        """The tasks that a body declares, compile-time branches resolved."""
        for statement in statements:
            try:
                yield from self.read_statement(statement)
            except TLXError as error:
                error.at(self.generator.location(statement))
                raise

    def read_statement(self, statement: ast.stmt) -> Iterator[Task]:
        if isinstance(statement, ast.Pass):
            return
        if isinstance(statement, ast.If):
            condition = _unwrap_if_constexpr(self.generator.visit(statement.test))
            if isinstance(condition, base_value):
                raise InvalidTask("an `if` between tasks must be decided at compile time")
            yield from self.read_tasks(statement.body if condition else statement.orelse)
        elif isinstance(statement, ast.With):
            yield self.read_with(statement)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield self.read_call(statement)
        else:
            raise InvalidTask("only tasks may stand inside async_tasks")

    def read_with(self, statement: ast.With) -> Task:
        call = statement.items[0].context_expr
        if len(statement.items) != 1 or not isinstance(call, ast.Call) or self.generator.visit(call.func) != async_task:
            raise InvalidTask("only `with async_task(...)` may stand inside async_tasks")
        args = tuple(_unwrap_if_constexpr(self.generator.visit(arg)) for arg in call.args)
        options = {k.arg: _unwrap_if_constexpr(self.generator.visit(k.value)) for k in call.keywords}
        unknown = options.keys() - {"num_warps", "registers", "num_regs", "replicate", "warp_group_start_id"}
        if unknown:
            raise InvalidTask(f"async_task has no option {', '.join(sorted(unknown))}")
        return self.checked(Task(task_options(args, **{**UNSET, **options}), statement.body, statement))

    def read_call(self, statement: ast.Expr) -> Task:
        function = self.generator.visit(statement.value.func)
        if not isinstance(function, TaskFunction):
            raise InvalidTask("only calls of functions declared with @tlx.task may stand in async_tasks")
        return self.checked(Task(function.options, [statement], statement))

    def checked(self, task: Task) -> Task:
        """The task, after checking its options against the target."""
        target = self.generator.caller_context.kernel.target
        warps, registers = task.options.num_warps, task.options.registers
        if warps is not None and (not isinstance(warps, int) or warps < 1 or warps & (warps - 1)):
            raise InvalidWarpCount(f"num_warps is {warps!r}, it must be a power of two")
        (low, high), step = target.register_range, target.register_step
        if registers is not None and (
            not isinstance(registers, int) or not low <= registers <= high or registers % step
        ):
            raise InvalidRegisterCount(
                f"registers is {registers!r}, {target.name} takes multiples of {step} from {low} to {high}"
            )
        return task

    def check_default_warps(self, context: TaskContext) -> None:
        """Raises unless the default task fills its warp groups: registers are given to whole ones."""
        group = context.kernel.target.warp_group
        if context.num_warps % group:
            raise InvalidWarpCount(
                f"the launch gives the default task {context.num_warps} warps, beside other tasks it needs a multiple "
                f"of {group}",
                hint=f"launch with num_warps={group}",
            )

    def the_default(self, tasks: list[Task]) -> Task:
        defaults = [task for task in tasks if task.options.default]
        if len(defaults) == 1:
            return defaults[0]
        if not defaults:
            raise DefaultTaskError("async_tasks has no default task", 'add `with async_task("default"):`')
        raise DefaultTaskError(
            f"async_tasks has {len(defaults)} default tasks, it takes one",
            location=self.generator.location(defaults[1].node),
        )

    def check_registers_all_or_none(self, tasks: list[Task]) -> None:
        on_own_warps = [task for task in tasks if not task.options.default or task.options.replicate > 1]
        asking = [task.options.registers is not None for task in on_own_warps]
        if any(asking) and not all(asking):
            raise InvalidRegisterCount(
                "some tasks ask for registers and others don't",
                "give `registers` to every task on warps of its own, replicas of the default task included",
            )

    def note_start_id(self, start: int) -> None:
        reason = "Triton places tasks itself, the largest first"
        note_ignored("async_task", f"warp_group_start_id={start}", reason, self.generator.semantic)

    def partitions(self, tasks: list[Task], context: TaskContext) -> Iterator[Partition]:
        """Every copy of a task but the first of the default one, which is the default region."""
        for task in tasks:
            warps = context.num_warps if task.options.default else task.options.num_warps
            for replica in range(1 if task.options.default else 0, task.options.replicate):
                yield Partition(task, replica, warps)

    # --- captures ---

    def captures(self, tasks: list[Task]) -> list[str]:
        """Names of outer values that the tasks use, in a stable order."""
        used: dict[str, ast.Name] = {}
        for task in tasks:
            for name in names_from_outside(task.body, frozenset()):
                used.setdefault(name.id, name)
        captured = [name for name in used if at_run_time(self.generator.lscope.get(name))]
        for name in captured:
            for tensor in register_tensors(self.generator.lscope[name]):
                raise self.tensor_capture(used[name], tensor)
        return sorted(captured)

    def tensor_capture(self, name: ast.Name, value: tl.tensor | in_flight) -> TensorCapture:
        defined = self.generator.definitions.get(name.id)
        return TensorCapture(
            f"a task uses {name.id!r}, a register tensor of {list_text(value.shape)} {value.dtype} computed outside"
            + (f", in line {defined.line}" if defined else ""),
            hint=f"compute {name.id!r} inside the task, or pass it through shared memory",
            location=self.generator.location(name),
        )

    # --- emission ---

    def emit(self, default: Task, partitions: list[Partition]) -> None:
        generator, builder = self.generator, self.builder
        generator.semantic.make_stores_visible()  # the tasks know nothing of stores before the region
        traced = [p.task for p in partitions if p.task and (p.replica == 0 or p.task is default)]
        names = self.captures([default, *traced])
        values = [generator.lscope[name] for name in names]
        handles = flatten_values_to_ir(values)
        with enter_sub_region(generator) as (outer, _):
            # Nothing else of the outer scope: a name that a task sets for itself must not join an outer value.
            constants = {name: value for name, value in outer.items() if not at_run_time(value)}
            generator.lscope = {**constants, **dict(zip(names, values))}
            op = create_warp_specialize(builder, handles, [p.num_warps for p in partitions])
            block = builder.new_block()
            op.get_default_region().push_back(block)
            builder.set_insertion_point_to_start(block)
            self.trace_synced(Partition(default, 0, generator.caller_context.num_warps))
            builder.create_warp_yield([])
            if any(p.registers is not None for p in partitions):
                least = generator.caller_context.kernel.target.register_range[0]
                op.set_requested_registers([p.registers or least for p in partitions])
            builder.create_block_with_parent(op.get_partition_op_holder(), [])
            holder = create_partitions(builder, handles, len(partitions))
            types = [handle.get_type() for handle in handles]
            for i, partition in enumerate(partitions):
                block = builder.create_block_with_parent(holder.get_region(i), types)
                arguments = [block.get_argument(j) for j in range(len(handles))]
                inner = unflatten_ir_values(arguments, [value.type for value in values])
                generator.lscope = {**constants, **dict(zip(names, inner))}
                self.trace_synced(partition)
                builder.create_warp_return()
        self.settle_syncs()

    def trace_synced(self, partition: Partition) -> None:
        """Traces one copy of a task between barriers of the cluster, which are dropped where nothing needs them.

        Idle warps come last, when it is known what they must join.
        """
        semantic = self.generator.semantic
        if partition.task is None:
            join_syncs(self.joined_barriers, self.reaches_others, semantic)
            return
        self.syncs.enter(semantic)
        self.trace(partition)
        self.syncs.leave(semantic)

    @property
    def reaches_others(self) -> bool:
        """Whether a task traced so far reaches another CTA."""
        return any(task.use.remote for task in self.traced)

    @property
    def joined_barriers(self) -> int:
        """The cluster barriers that each task joins."""
        return straight_barriers(self.traced, sum(p.num_warps for p in self.idle))

    def settle_syncs(self) -> None:
        """Decides on the barriers around the tasks."""
        self.demand.joins_cluster = self.reaches_others or bool(self.joined_barriers)
        self.syncs.keep(self.syncs.all if self.reaches_others else (), self.generator.caller_context.kernel)

    def trace(self, partition: Partition) -> None:
        """Traces one copy of a task at the builder's insertion point."""
        generator = self.generator
        kernel = generator.caller_context.kernel
        kernel.tasks_traced += 1
        context = TaskContext(kernel, partition.num_warps, partition.replica)
        with generator.inside_task(context):
            generator.task_depth = generator.depth
            generator.visit_compound_statement(partition.task.body)
            generator.task_depth = None
        self.ring_uses.append(context.ring_uses)
        self.traced.append(TracedTask(context.cluster_use, generator.location(partition.task.node)))
