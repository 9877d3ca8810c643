"""Functions by name: how another process finds the kernel that is tuned, and the hooks around it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from triton.runtime.jit import JITCallable, JITFunction

__all__ = ["Reference", "StopLoading", "Unreachable", "load", "loading", "reference_of", "unwrap"]


class Unreachable(Exception):
    """Another process can't find the kernel, or can't be given an argument; the text says why."""


class StopLoading(BaseException):
    """Ends the execution of a script in another process where it would begin to tune: its kernels are defined by then.

    A BaseException, so that a script's own `except Exception` doesn't keep it going.
    """


@dataclass(frozen=True)
class Reference:
    """Where a function is defined.

    Args:
        module: its name.
        file: of the module.
        package: of the module, for its relative imports.
        qualname: of the function in the module.
        source_hash: of a jitted function, "" for another one.
    """

    module: str
    file: str
    package: str
    qualname: str
    source_hash: str = ""


def unwrap(kernel) -> JITFunction:
    """The jitted function inside autotuners and heuristics."""
    while not isinstance(kernel, JITCallable):
        kernel = kernel.fn
    return kernel


def reference_of(function: JITCallable | FunctionType | type) -> Reference:
    """The reference of a jitted function, a Python function or a class.

    Raises:
        Unreachable: it is local to a function, or its module has no file.
    """
    jitted = isinstance(function, JITCallable)
    inner = function.fn if jitted else function
    qualname, module = inner.__qualname__, sys.modules.get(inner.__module__)
    if "<locals>" in qualname:
        raise Unreachable(f"{qualname} is defined inside a function")
    file = getattr(module, "__file__", None)
    if not file or not Path(file).is_file():
        raise Unreachable(f"{qualname} is defined in {inner.__module__}, which has no file")
    package = getattr(module, "__package__", None) or ""
    source_hash = function.cache_key if jitted else ""
    return Reference(module.__name__, str(Path(file).resolve()), package, qualname, source_hash)


# --- in the other process ---

_loading = False


def loading() -> bool:
    """Whether a script is just being executed to get at its kernels."""
    return _loading


def load(reference: Reference) -> Any:
    """The function.

    Raises:
        Unreachable: the module has none of that name, or another kernel.
    """
    value = _module_of(reference)
    for name in reference.qualname.split("."):
        value = getattr(value, name, None)
    if not reference.source_hash:
        return value
    try:
        function = unwrap(value)
    except AttributeError:
        raise Unreachable(f"{reference.file} defines no kernel {reference.qualname} when it is imported") from None
    if function.cache_key != reference.source_hash:
        raise Unreachable(f"{reference.qualname} in {reference.file} is another one than the one that is tuned")
    return function


def _module_of(reference: Reference) -> types.ModuleType:
    known = sys.modules.get(reference.module)
    if known is not None and _file_of(known) == reference.file:
        return known
    if reference.module == "__main__":
        return _execute(reference, "__tlx_main__", "__main__")
    with _while_loading():
        try:
            spec = importlib.util.find_spec(reference.module)
        except (ImportError, ValueError):
            spec = None
        if spec is not None and spec.origin and str(Path(spec.origin).resolve()) == reference.file:
            return importlib.import_module(reference.module)
    return _execute(reference, reference.module, reference.module)


def _file_of(module: types.ModuleType) -> str:
    file = getattr(module, "__file__", None)
    return str(Path(file).resolve()) if file else ""


def _execute(reference: Reference, name: str, known_as: str) -> types.ModuleType:
    """Runs a file as a module. A script runs under another name than `__main__`, so that its guarded part doesn't."""
    module = types.ModuleType(name)
    module.__file__, module.__package__ = reference.file, reference.package
    sys.modules[name] = sys.modules[known_as] = module
    with _while_loading(), suppress(StopLoading):
        exec(compile(Path(reference.file).read_text(), reference.file, "exec"), vars(module))
    return module


@contextmanager
def _while_loading() -> Iterator[None]:
    global _loading
    _loading = True
    try:
        yield
    finally:
        _loading = False
