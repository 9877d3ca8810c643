"""`tlx.jit` and `tlx.compile`: the ways in, on Triton's own classes."""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import triton
from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget, Language
from triton.compiler.compiler import ASTSource, CompiledKernel, make_backend
from triton.runtime.jit import JITFunction

from .budget import shared_memory_exceeded
from .clusters import ClusterShape, cluster_shape, declare_cluster, note_cluster, size_of_cluster
from .targets import DEFAULT_ARCH, target_for
from .task_context import KernelState
from .versions import LAUNCH_DEFAULTS

__all__ = ["TLXFunction", "TLXSource", "compile", "jit"]


# Python parses one kernel at a time: CPython counts the depth of syntax trees for all threads together and raises
# SystemError when two of them parse at once (gh-106905). The front end holds the interpreter's lock anyway.
FRONT_END = threading.RLock()


@functools.cache
def package_hash() -> str:
    """Hash of tlx's own source: what Triton's cache key doesn't know of."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class TLXSource(ASTSource):
    """A kernel as Triton's compiler takes it: everything of tlx happens in `make_ir`, from which TTGIR comes out.

    Its `cluster` is the shape of the clusters that it is compiled for, None for none.
    """

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        super().__init__(fn, signature, constexprs, attrs)
        self.language = Language.GLUON
        self.ext = "ttgir"
        self.kernel: KernelState | None = None
        self.cluster: ClusterShape | None = None

    def hash(self) -> str:
        with FRONT_END:
            # The file too: what is compiled names it, and reports read its lines.
            parts = (super().hash(), package_hash(), self.cluster, self.fn.fn.__code__.co_filename)
            return hashlib.sha256("-".join(map(str, parts)).encode()).hexdigest()

    def make_ir(self, target, options, codegen_fns, module_map, context):
        from .codegen import trace
        from .copy_waits import note_pendings, restore_pendings
        from .held_ops import release, report_layouts
        from .late_ops import splice
        from .pipeline import inline_helpers, run_passes
        from .verify import check_lowered

        self.kernel = KernelState(target_for(options.arch), options.num_warps, options.maxnreg, self.cluster)
        module = new_module(context, target, options, self.cluster)
        with FRONT_END:
            module = trace(
                self.fn,
                self,
                self.kernel,
                context=context,
                options=options,
                codegen_fns=codegen_fns,
                module_map=module_map,
                module=module,
            )
        inline_helpers(module)
        module = note_pendings(splice(module, context, self.kernel.dropped), context)
        run_passes(module, self.kernel.target, options.num_stages)
        module = restore_pendings(module, context)
        if self.kernel.observations:
            report_layouts(module, self.kernel.observations, gluon_ir.GluonOpBuilder(context))
        module = release(module, context)
        check_lowered(module)
        return module


def new_module(context, target, options, cluster: ClusterShape | None):
    """An empty module with the attributes that layouts are verified against."""
    builder = ir.builder(context)
    module = builder.create_module()
    module.set_attr("ttg.target", builder.get_string_attr(make_backend(target).get_target_name(options)))
    module.set_attr("ttg.num-warps", builder.get_int32_attr(options.num_warps))
    module.set_attr("ttg.num-ctas", builder.get_int32_attr(options.num_ctas if cluster is None else 1))
    if cluster is not None:
        note_cluster(module, builder, cluster)
    module.set_attr("ttg.threads-per-warp", builder.get_int32_attr(options.warp_size))
    if options.maxnreg is not None:
        module.set_attr("ttg.maxnreg", builder.get_int32_attr(options.maxnreg))
    return module


def compile_source(src: TLXSource, target: GPUTarget | None = None, options: dict | None = None, **kwargs):
    """Triton's compile, for clusters too, and then shared memory with the compiler's scratch against the budget."""
    options = dict(options or {})
    arch = target.arch if target is not None else DEFAULT_ARCH
    src.cluster = cluster_shape(options.pop("ctas_per_cga", None), options.get("num_ctas"), arch, src.fn)
    if src.cluster is not None:
        options["num_ctas"] = size_of_cluster(src.cluster)  # what the stock launcher makes a cluster of
    try:
        kernel = triton.compile(src, target=target, options=options, **kwargs)
    except RuntimeError as error:
        if src.kernel is None or not src.kernel.narrow_copies or "PassManager::run failed" not in str(error):
            raise
        from .verify import copy_not_lowered

        raise copy_not_lowered(src.kernel.narrow_copies) from error
    target = target_for(kernel.metadata.arch)
    # Triton keeps such a kernel in its cache, from where it comes back without a trace; stock code has no rings.
    rings = src.kernel.allocations if src.kernel is not None else None
    if kernel.metadata.shared > target.shared_bytes and rings != []:
        raise shared_memory_exceeded(rings or [], kernel.metadata.shared, target)
    return declare_cluster(kernel, src.cluster)


class TLXFunction(JITFunction):
    """A function in tlx: launched, warmed up, autotuned and cached like any `triton.jit` function.

    Args:
        fn: the Python function.
        launch_defaults: launch options (`num_warps`, `maxnreg`, ...) that a launch may override.
        options: what `triton.jit` takes.
    """

    def __init__(self, fn: Callable, launch_defaults: dict[str, Any] | None = None, **options):
        super().__init__(fn, **options)
        self.launch_defaults = {**LAUNCH_DEFAULTS, **(launch_defaults or {})}

    def is_gluon(self) -> bool:
        return True

    def create_binder(self):
        result = super().create_binder()
        self.ASTSource = TLXSource
        self.compile = compile_source
        return result

    def _pack_args(self, backend, kwargs, *rest):
        # Called by Triton where a launch finds no compiled kernel: here the defaults cost nothing at later launches.
        kwargs = {**self.launch_defaults, **kwargs}
        cluster = kwargs.pop("ctas_per_cga", None)
        options, *others = super()._pack_args(backend, kwargs, *rest)
        options.__dict__["ctas_per_cga"] = (
            cluster  # Triton's options don't have it; `compile_source` gets them as a dict
        )
        return options, *others


def jit(
    fn: Callable | None = None,
    *,
    num_warps: int | None = None,
    num_stages: int | None = None,
    maxnreg: int | None = None,
    ctas_per_cga: ClusterShape | None = None,
    **options,
):
    """Compiles a function with tlx: ordinary Triton code, plus everything in `tlx`.

    Args:
        fn: the function; a kernel, or a helper that kernels call.
        num_warps: warps of the default task, unless the launch says otherwise.
        num_stages: stages of the stock pipeliner for loops over `tl.dot`, likewise.
        maxnreg: cap on the registers of a thread, likewise.
        ctas_per_cga: CTAs of a cluster along x, y, z, likewise; they must divide the grid.
        options: what `triton.jit` takes (`do_not_specialize`, `noinline`, `repr`, ...).

    Returns:
        TLXFunction: launch it as `kernel[grid](...)`.
    """
    given = {"num_warps": num_warps, "num_stages": num_stages, "maxnreg": maxnreg, "ctas_per_cga": ctas_per_cga}
    defaults = {name: value for name, value in given.items() if value is not None}

    def declare(fn: Callable) -> TLXFunction:
        return TLXFunction(fn, defaults, **options)

    return declare(fn) if fn is not None else declare


def compile(
    fn: TLXFunction,
    signature: dict[str, str],
    constexprs: dict[str, Any] | None = None,
    target: GPUTarget | None = None,
    **options,
) -> CompiledKernel:
    """Compiles a kernel without launching it; needs no GPU.

    Args:
        fn: a tlx-jitted function.
        signature: Triton's type of each run-time argument: `"*bf16"`, `"i32"`, `"tensordesc<bf16[64, 64]>"`.
        constexprs: value of each compile-time argument.
        target: default sm_90.
        options: launch options such as `num_warps` and `ctas_per_cga`.

    Returns:
        CompiledKernel: its `asm` holds `ttgir`, `llir`, `ptx` and `cubin`.
    """
    constexprs = constexprs or {}
    types = {name: "constexpr" if name in constexprs else signature[name] for name in fn.arg_names}
    source = TLXSource(fn, types, constexprs)
    target = target or GPUTarget("cuda", DEFAULT_ARCH, 32)
    return compile_source(source, target, {**fn.launch_defaults, **options})
