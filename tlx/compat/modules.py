"""The modules that a program for Meta's TLX imports: each name is looked up in `tlx` when it is used."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import ModuleType

import tlx

from ..errors import NotInTriton

__all__ = ["ROOT", "create"]

ROOT = "triton.language.extra.tlx"
TUTORIALS = "TLX_FBTRITON_TUTORIALS"

SUBMODULES = (
    "async_task_utils",
    "barrier",
    "dynamic_launch",
    "mem_ops",
    "mma_ops",
    "mxfp8_utils",
    "types",
    "utility",
    "warp_ops",
    "warp_pipeline",
    "warp_spec",
)

FOR_AMD = frozenset(
    [
        "amd_descriptor_prefetch_tensor",
        "amd_mfma_commit",
        "amd_mfma_layout",
        "amd_register_handoff",
        "amd_register_resident",
        "amd_sched_barrier",
        "amd_scheduled_mfma",
        "async_amd_descriptor_load",
        "async_amd_descriptor_load_fused",
        "async_amd_descriptor_store",
        "async_amd_descriptor_wait",
        "buffer_atomic_add",
        "buffer_load",
        "buffer_load_to_local",
        "buffer_store",
        "dot_operand_layout",
        "dot_scaled",
        "extract_slice",
        "rematerialized_range",
        "require_amd_wmma_layout",
        "update_tensor_descriptor",
        "warp_pipeline_stage",
    ]
)


HELPERS = ("triton.language.extra.cuda.inline_ptx_lib", "triton.language.extra.subtile_ops")
"""Modules of helpers that only Meta's Triton has."""


def create() -> dict[str, ModuleType]:
    """The modules by their full names, not imported yet."""
    root = _module(ROOT)
    root.__path__ = []
    found = {ROOT: root}
    for name in SUBMODULES:
        found[f"{ROOT}.{name}"] = _module(f"{ROOT}.{name}")
        setattr(root, name, found[f"{ROOT}.{name}"])
    for name in HELPERS:
        found[name] = ModuleType(name, "Helpers that only Meta's Triton has.")
        found[name].__getattr__ = functools.partial(_refused_from, name)
    folder = os.environ.get(TUTORIALS)
    if folder:
        tutorials = ModuleType(f"{ROOT}.tutorials", "The tutorials of the installed fbtriton.")
        tutorials.__path__ = [folder]
        found[tutorials.__name__] = root.tutorials = tutorials
    return found


def _module(name: str) -> ModuleType:
    module = ModuleType(name, "Meta's TLX, as far as tlx has it.")
    module.__getattr__ = lambda attribute: _look_up(name, attribute)
    module.__dir__ = lambda: sorted({*tlx.__all__, *vars(module)})
    return module


def _look_up(module: str, name: str):
    if name == "__all__":
        return [public for public in tlx.__all__ if not public.startswith("_")]
    if name in tlx.__all__:
        return getattr(tlx, name)
    if name in FOR_AMD:
        return _refused(name, "it is for GPUs of AMD")
    if module.endswith(".mxfp8_utils"):
        return _refused_from(module, name)
    raise AttributeError(f"tlx has no {name!r} (asked of {module})")


def _refused_from(module: str, name: str) -> Callable:
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return _refused(name, f"{module} is a module of Meta's Triton")


def _refused(name: str, why: str) -> Callable:
    """Stands for a function that a file imports; a kernel that calls it is refused by name."""

    def refuse(*args, _semantic=None, **kwargs):
        raise NotInTriton(f"{name} has no counterpart here: {why}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__triton_builtin__ = True
    return refuse
