"""From a compiled kernel to what the interpreter runs: late passes on a copy of its TTGIR, then parsing."""

from __future__ import annotations

from functools import lru_cache

from triton._C.libtriton import ir, nvidia, passes
from triton.compiler.compiler import make_backend
from triton.runtime.cache import get_cache_manager

from ..compiler.versions import TRITON
from ..ir import parse
from .code import Code
from .errors import ArgumentError

__all__ = ["code_of", "code_of_file", "lower_late"]

# Until 3.8 every wait for TMA stores is `cp.async.bulk.wait_group.read`; from 3.9 the op says so with `read_only`.
_STORE_WAITS_SAY = TRITON >= (3, 9)
# The PTX version decides how large the scratch of a layout conversion is, nothing that is simulated.
_PTX_VERSION = 87


def lower_late(path: str, target) -> str:
    """The TTGIR in a file after the late passes: offsets of buffers, warps and registers of groups, late fences.

    Args:
        path: of the `.ttgir` file, which stays as it is.
        target: Triton's `GPUTarget`.
    """
    context = ir.context()
    ir.load_dialects(context)
    make_backend(target).load_dialects(context)
    module = ir.parse_mlir_module(path, context)
    manager = ir.pass_manager(context)
    passes.ttgpuir.add_allocate_warp_groups(manager)
    nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, target.arch, _PTX_VERSION)
    nvidia.passes.ttnvgpuir.add_proxy_fence_insertion(manager, target.arch)
    manager.run(module, "simulator")
    return str(module)


def code_of(src, metadata) -> Code:
    """The code of a kernel that Triton has compiled, by what a launcher is given.

    Raises:
        ArgumentError: the cache has no TTGIR for it.
    """
    name = f"{src.name[:150]}.ttgir"  # as `triton.compile` names it
    path = get_cache_manager(metadata.hash).get_file(name)
    if path is None:
        raise ArgumentError(
            f"{name} is not in Triton's cache ({metadata.hash})",
            hint="unset TRITON_STORE_BINARY_ONLY and compile again",
        )
    return code_of_file(path, metadata.target)


@lru_cache(maxsize=256)
def code_of_file(path: str, target) -> Code:
    """The code of the kernel in a `.ttgir` file, for Triton's `target`."""
    return Code(parse(lower_late(path, target)), _STORE_WAITS_SAY)
