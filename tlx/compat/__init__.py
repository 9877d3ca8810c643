"""Runs kernels that were written for Meta's TLX unchanged, on the Triton that is installed.

`install()` makes `import triton.language.extra.tlx as tlx` mean tlx, until `uninstall()`; so does
`python -m tlx.compat run SCRIPT` for one script. Nothing happens on import.
"""

from __future__ import annotations

import sys
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.language.extra import libdevice

from . import device, functions, modules, tuning

__all__ = ["install", "uninstall"]

_MISSING = object()
_replaced: list[tuple[Any, str, Any]] = []  # the owner of a name, the name, what it meant before
_added: list[str] = []  # keys of sys.modules


def install() -> None:
    """Makes programs for Meta's TLX run on tlx, in this process. Modules imported before it keep stock Triton's names.

    * `triton.language.extra.tlx` and its submodules are tlx.
    * `triton.jit` compiles functions that use it with tlx, and all others as before.
    * `triton.Config` takes `ctas_per_cga`; `triton.Config` and `triton.autotune` take what else only Meta's Triton
      knows. What has no counterpart is reported once as IgnoredArgument.
    * Where launches are simulated, `torch.cuda` answers questions about the device for the simulated one.
    """
    if _replaced:
        return
    for name, module in modules.create().items():
        sys.modules[name] = module
        _added.append(name)
    _replace(triton.language.extra, "tlx", sys.modules[modules.ROOT])
    for name, value in {"jit": functions.jit, "Config": tuning.Config, "autotune": tuning.autotune}.items():
        stock = getattr(triton, name)
        for owner in (triton, triton.runtime, sys.modules[stock.__module__]):
            if vars(owner).get(name) is stock:
                _replace(owner, name, value)
    for name in ("fast_dividef", "fast_expf"):
        _replace(triton.language.math, name, getattr(libdevice, name))
    _replace(GPUTarget, "is_cuda_backend", lambda target: target.backend == "cuda")
    for owner, name, value in device.answers():
        _replace(owner, name, value)


def uninstall() -> None:
    """Undoes `install`. Functions and modules that came to be meanwhile stay as they are."""
    while _replaced:
        owner, name, value = _replaced.pop()
        if value is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, value)
    while _added:
        del sys.modules[_added.pop()]


def _replace(owner: Any, name: str, value: Any) -> None:
    _replaced.append((owner, name, vars(owner).get(name, _MISSING)))
    setattr(owner, name, value)
