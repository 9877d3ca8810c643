"""The modules that a program for Meta's TLX imports: each name is looked up in `tlx` when it is used."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType

import tlx

from ..errors import LanguageError

__all__ = ["ROOT", "NeedsAMD", "create"]

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


class NeedsAMD(LanguageError):
    """Something of TLX that only GPUs of AMD have."""


def create() -> dict[str, ModuleType]:
    """The modules by their full names, not imported yet."""
    root = _module(ROOT)
    root.__path__ = []
    found = {ROOT: root}
    for name in SUBMODULES:
        found[f"{ROOT}.{name}"] = _module(f"{ROOT}.{name}")
        setattr(root, name, found[f"{ROOT}.{name}"])
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
        return _for_amd(name)
    raise AttributeError(f"tlx has no {name!r} (asked of {module})")


def _for_amd(name: str) -> Callable:
    """A function of the language whose call in a kernel raises NeedsAMD."""

    def refuse(*args, _semantic=None, **kwargs):
        raise NeedsAMD(f"{name} needs a GPU of AMD", "tlx has lowerings for Hopper (sm_90)")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__triton_builtin__ = True
    return refuse
