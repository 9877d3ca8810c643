"""Configs as plain values: how they are told apart, written down and shown."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from typing import Any

import triton
import triton.language as tl
from triton.runtime.jit import JITCallable

import tlx

__all__ = ["fingerprint", "make_config", "plain", "text_of", "values_of", "words_of"]

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "ctas_per_cga")
"""Launch options that a config has beside its meta-parameters."""


def values_of(config: triton.Config) -> dict[str, Any]:
    """Meta-parameters and launch options of a config, as a launch takes them."""
    return config.all_kwargs()


def make_config(values: Mapping[str, Any], pre_hook=None) -> triton.Config:
    """A config of these meta-parameters and launch options."""
    options = {name: value for name, value in values.items() if name in OPTIONS}
    meta = {name: value for name, value in values.items() if name not in OPTIONS}
    kind = tlx.Config if "ctas_per_cga" in options else triton.Config
    return kind(meta, pre_hook=pre_hook, **options)


def text_of(config: triton.Config) -> str:
    """JSON with sorted names: the same for configs that launch the same."""
    return json.dumps({name: plain(value) for name, value in values_of(config).items()}, sort_keys=True)


def words_of(config: triton.Config) -> str:
    """A config as people read it."""
    return ", ".join(f"{name}={plain(value)}" for name, value in values_of(config).items())


def plain(value: Any) -> Any:
    """A value as JSON can hold it; what a kernel calls, by its name and the hash of its source."""
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, tl.constexpr):
        return plain(value.value)
    if isinstance(value, JITCallable):
        return f"{value.fn.__qualname__} {value.cache_key[:16]}"
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value)


def fingerprint(function: Any) -> Any:
    """What tells a function from another one, by its code; the same in every process. None for no function."""
    if function is None:
        return None
    code = getattr(function, "__code__", None)
    return [type(function).__qualname__, getattr(function, "__qualname__", "")] if code is None else _code(code)


def _code(code: types.CodeType) -> list:
    constants = [_code(c) if isinstance(c, types.CodeType) else plain(c) for c in code.co_consts]
    return [code.co_code.hex(), constants, plain(code.co_names)]
