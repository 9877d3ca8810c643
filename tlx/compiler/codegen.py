"""From a Python function to TTGIR: Triton's code generator with tasks, layouts and located errors."""

from __future__ import annotations

import ast
import contextlib
from dataclasses import replace
from pathlib import Path

import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator, ast_to_ttir
from triton.compiler.errors import CompilationError
from triton.language import str_to_ty

from ..errors import InvalidRing, ReturnInTask, TLXError
from ..language.aliases import alias_storage
from ..language.buffers import aliased_tensor
from ..language.bundles import bundle
from ..language.mma import async_dot, async_dot_wait, in_flight, used_before_wait
from ..language.pipelines import opened_block
from ..language.rings import ring, used_as_tensor
from ..language.tasks import async_task, async_tasks
from ..language.tma import descriptor_type
from ..source import Location
from .async_state import FunctionEnd
from .budget import check_registers, check_shared_memory
from .cluster_syncs import Syncs, check_outside_tasks, check_same_warps
from .control_flow import ControlFlow
from .ring_uses import check_ring_uses
from .semantic import TLXSemantic
from .task_context import Allocation, KernelState, TaskContext
from .tasks import TaskRegion
from .versions import rebind

__all__ = ["trace"]

TAKES_IN_FLIGHT = (async_dot, async_dot_wait)
TRITON_SOURCE = Path(triton.__file__).parent


class TLXCodeGenerator(ControlFlow, CodeGenerator):
    """Traces one function for one task. Triton makes one for each function and signature."""

    def __init__(self, *args, caller_context: TaskContext, **kwargs):
        kwargs["is_gluon"] = True  # tensors with layouts, Gluon's builder
        super().__init__(*args, caller_context=caller_context, **kwargs)
        self.semantic = TLXSemantic(self.builder, caller_context, self.module, self.context, self.location)
        self.kernel_body = None
        self.rings = []  # live until the kernel ends
        self.branch_depth = 0
        self.syncs = Syncs()
        self.task_depth: tuple[int, int] | None = None
        self.definitions: dict[str, Location] = {}

    # --- places ---

    def location(self, node: ast.AST | None = None) -> Location:
        """Where a node, by default the current one, stands in the user's file."""
        node = node if node is not None else self.cur_node
        if not hasattr(node, "lineno"):
            return Location(self.file_name or "", self.begin_line + 1)
        indent = len(self.jit_fn.raw_src[0]) - len(self.jit_fn.raw_src[0].lstrip())
        return Location(self.file_name, self.begin_line + node.lineno, node.col_offset + indent + 1)

    @property
    def at_kernel_top_level(self) -> bool:
        """Whether what is emitted here runs exactly once, in the kernel itself."""
        return self.is_kernel and not (self.scf_stack or self.branch_depth or self.caller_context.in_task)

    @property
    def depth(self) -> tuple[int, int]:
        """Loops and branches around what is traced."""
        return len(self.scf_stack), self.branch_depth

    @property
    def at_task_top_level(self) -> bool:
        """Whether what is emitted here runs exactly once in each run of the task, and nothing calls it but the task."""
        return self.depth == self.task_depth

    # --- functions ---

    def visit_FunctionDef(self, node):
        self.kernel_body = node.body if self.is_kernel else None
        super().visit_FunctionDef(node)
        ends, key = self.caller_context.kernel.ends, (self.jit_fn.fn, self.caller_context.mangle())
        ends.setdefault(key, FunctionEnd()).add(self.semantic.engines)

    def visit_compound_statement(self, stmts):
        if stmts is self.kernel_body:
            self.enter_cluster()
        super().visit_compound_statement(stmts)
        if stmts is not self.kernel_body:
            return
        if not isinstance(stmts[-1], ast.Return):
            self.end_kernel()
        self.settle_cluster()
        check_ring_uses([self.caller_context.ring_uses])
        check_shared_memory(self.caller_context.kernel)
        check_registers(self.caller_context.kernel)

    def visit_Return(self, node):
        if self.task_body_depth:
            raise ReturnInTask("return inside a task", hint="let the task's body end instead; use `if`")
        if self.is_kernel:
            self.end_kernel()
        return super().visit_Return(node)

    # --- the cluster, outside of tasks ---

    def enter_cluster(self) -> None:
        """Publishes the barriers allocated so far, if something behind reaches other CTAs."""
        self.syncs.enter(self.semantic)
        self.caller_context.cluster_use.entry = self.syncs.entries[-1] if self.syncs.entries else None

    def settle_cluster(self) -> None:
        """Decides on the barriers of the cluster around the kernel's own code."""
        kernel, use = self.caller_context.kernel, self.caller_context.cluster_use
        check_outside_tasks(kernel, use)
        check_same_warps(kernel)
        self.syncs.keep({*use.needed, *(self.syncs.exits if use.remote else ())}, kernel)

    # --- the end ---

    def end_kernel(self) -> None:
        """Waits for the peers, if they may still reach this CTA, and ends the life of its shared memory."""
        self.syncs.leave(self.semantic)
        self.release_rings()

    def record_allocation(self, value: ring) -> None:
        """Enters a ring into the kernel's budget and keeps its memory until the kernel ends."""
        self.rings.append(value)
        allocation = Allocation("", value.type.slot_bytes, value.type.num, self.location())
        value.allocation = allocation
        self.caller_context.kernel.allocations.append(allocation)

    def record_storage(self, value: ring, allocation: Allocation) -> None:
        """The same for memory that rings share, which is allocated late: once, whatever lies in it."""
        self.rings.append(value)
        self.caller_context.kernel.allocations.append(allocation)

    def release_rings(self) -> None:
        """Ends the life of all rings. Engines in flight and peers use memory that no op here shows, so the allocator
        must not give it away earlier."""
        for value in self.rings:
            self.builder.create_local_dealloc(value.handle)

    def set_value(self, name, value):
        if isinstance(value, ring | alias_storage) and value.allocation and not value.allocation.name:
            value.allocation.name = name
        if isinstance(value, in_flight) and value.number is None:
            value.number = self.semantic.engines.issued
        if isinstance(value, bundle | aliased_tensor):
            value._set_name(self.builder, name)  # Triton has given all parts one name
        self.definitions[name] = self.location()
        super().set_value(name, value)

    def _maybe_set_loc_to_name(self, val, name):
        if not isinstance(val, aliased_tensor):  # which would come into use by it
            super()._maybe_set_loc_to_name(val, name)

    # --- calls ---

    def call_JitFunction(self, fn, args, kwargs, caller_context=None):
        engines = self.semantic.engines
        context = (caller_context or self.caller_context).entering(engines.unseen)
        try:
            result = CALL_JIT_FUNCTION(self, fn, args, kwargs, context)
        except CompilationError as error:
            cause = cause_in_tlx(error)
        else:
            context.kernel.ends[fn.fn, context.mangle()].returned_to(engines)
            return result
        raise self.called_from_here(cause)

    def called_from_here(self, error: TLXError) -> TLXError:
        """The error with this call added; an error inside Triton's own library is an error of the call."""
        inner, here = error.location, self.location()
        if Path(inner.file).is_relative_to(TRITON_SOURCE):
            error.location = here
        else:
            error.location = replace(inner, callers=(*inner.callers, here))
        return error

    def call_Function(self, node, fn, args, kws):
        if fn not in TAKES_IN_FLIGHT and not self.is_jit_call(fn):
            self.refuse_in_flight(node, [*args, *kws.values()])
        if tl.core.is_builtin(fn) and fn.__module__.startswith(tl.__name__) and fn is not tl.static_print:
            self.refuse_shared(node, [*args, *kws.values()])
        try:
            result = super().call_Function(node, fn, args, kws)
        except TLXError as error:
            error.at(self.location(node))
            raise
        except CompilationError as error:
            cause = cause_in_tlx(error)
        else:
            if isinstance(result, opened_block):
                raise InvalidRing(f"{fn.__name__} opens a block", hint=f"write `with ring.{fn.__name__}(i) as slot:`")
            return result
        raise cause.at(self.location(node))

    def is_jit_call(self, fn) -> bool:
        return hasattr(fn, "parse") or hasattr(getattr(fn, "__func__", None), "parse")

    def refuse_in_flight(self, node, values) -> None:
        if any(isinstance(value, in_flight) for value in values):
            raise used_before_wait().at(self.location(node))

    def refuse_shared(self, node, values) -> None:
        """Raises NotATensor for buffers and barriers."""
        for value in values:
            if isinstance(value, ring):
                raise used_as_tensor(value).at(self.location(node))

    # --- operators and attributes ---

    def _apply_binary_method(self, node, method, lhs, rhs):
        self.refuse_in_flight(node, (lhs, rhs))
        self.refuse_shared(node, (lhs, rhs))
        return super()._apply_binary_method(node, method, lhs, rhs)

    def get_Attribute(self, lhs, attr):
        if isinstance(lhs, ring) and hasattr(tl.tensor, attr) and not hasattr(type(lhs), attr):
            raise used_as_tensor(lhs)
        return super().get_Attribute(lhs, attr)

    def visit(self, node):
        try:
            return super().visit(node)
        except TLXError as error:
            error.at(self.location(node))
            raise

    # --- with ---

    def visit_With(self, node):
        calls = [item.context_expr for item in node.items]
        functions = [self.visit(call.func) for call in calls if isinstance(call, ast.Call)]
        if async_tasks in functions:
            return TaskRegion(self, node).lower()
        if async_task in functions:
            return async_task()  # raises: it stands outside of async_tasks
        names = [item.optional_vars.id for item in node.items if isinstance(item.optional_vars, ast.Name)]
        with self.names_of_block(names):
            return super().visit_With(node)

    @contextlib.contextmanager
    def names_of_block(self, names: list[str]):
        """Ends the names with the block that gave them their values: what a ring's slot holds is then another's."""
        scopes = (self.lscope, self.local_defs)
        before = [{name: scope[name] for name in names if name in scope} for scope in scopes]
        yield
        for scope, values in zip((self.lscope, self.local_defs), before):
            for name in names:
                scope.pop(name, None)
            scope.update(values)


def cause_in_tlx(error: CompilationError) -> TLXError:
    """The error of tlx that Triton wrapped, to be raised when the handler has been left: raised inside, the two would
    be each other's cause and context, and Triton follows both without end. Raises any other error."""
    if isinstance(error.__cause__, TLXError):
        return error.__cause__
    raise error


CALL_JIT_FUNCTION = rebind(CodeGenerator.call_JitFunction, CodeGenerator=TLXCodeGenerator)


def signature_type(name: str, constant):
    """The front end's type for a signature's spelling; descriptors get the layout that buffers of their shape have."""
    return laid_out(str_to_ty(name, constant))


def laid_out(kind):
    """A signature's type with the layouts of its descriptors, those in tuples included."""
    if isinstance(kind, tl.tuple_type):
        return tl.tuple_type([laid_out(part) for part in kind.types], kind.fields)
    return descriptor_type(kind) if isinstance(kind, tl.tensor_descriptor_type) else kind


def trace(fn, src, kernel: KernelState, *, context, options, codegen_fns, module_map, module):
    """Traces a kernel into `module`; returns the module.

    Raises LanguageError with the user's line for whatever the language doesn't allow.
    """

    def generator(*args, **kwargs):
        return TLXCodeGenerator(*args, caller_context=TaskContext(kernel, options.num_warps), **kwargs)

    ast_to_module = rebind(ast_to_ttir, CodeGenerator=generator, str_to_ty=signature_type)
    return ast_to_module(fn, src, context, options, codegen_fns, module_map, module)
