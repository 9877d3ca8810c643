"""Options that Meta's Triton has and stock Triton hasn't, and why tlx does without them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import triton

from ..language.ignored import warn_ignored
from ..source import Location

__all__ = ["AUTOTUNE_OPTIONS", "CONFIG_OPTIONS", "LAUNCH_OPTIONS", "drop_ignored"]

AUTO_WS = "a knob of automatic warp specialization, which kernels with tasks of their own don't use"
COMPILER = "a knob of a pass that stock Triton doesn't have"
UNUSED = "Meta's Triton doesn't use it either"

CONFIG_OPTIONS = {
    "allowDependentTwoCTA": COMPILER,
    "auto_tma": COMPILER,
    "early_tma_store_lowering": COMPILER,
    "enable_tree_reduction": COMPILER,
    "generate_subtiled_region": COMPILER,
    "maxRegAutoWS": AUTO_WS,
    "minRegAutoWS": AUTO_WS,
    "multicast": COMPILER,
    "num_buffers_warp_spec": UNUSED,
    "num_consumer_groups": UNUSED,
    "pingpongAutoWS": AUTO_WS,
    "preferred_ctas_per_cga": "a wish for sm_100, whose clusters may have two shapes",
    "reg_dec_producer": UNUSED,
    "reg_inc_consumer": UNUSED,
    "tma_store_pipelining": COMPILER,
}
"""Why each field of Meta's `triton.Config` that stock's lacks has no effect here."""

LAUNCH_OPTIONS = {
    **CONFIG_OPTIONS,
    "launch_cluster": "a launcher for sm_100; clusters follow from ctas_per_cga",
}
"""Likewise of launches."""

AUTOTUNE_OPTIONS = {
    "include_npot": "it adds configs whose blocks are no powers of two, which stock Triton doesn't compile",
    "ir_config_prune": "stock Triton's autotuner doesn't show what it compiles; all configs are measured",
}
"""Likewise of `triton.autotune`, and of the functions in its `prune_configs_by`."""

DEFAULTS = (None, False, 0)
LIBRARIES = tuple(Path(file).parent for file in (__file__, triton.__file__))


def drop_ignored(where: str, options: dict[str, Any], ignored: dict[str, str]) -> dict[str, Any]:
    """The options that stock Triton has; each other one that asks for something is reported once.

    Args:
        where: of what they are options, for the report.
        options: by name.
        ignored: names of options without effect, and why.
    """
    for name in options.keys() & ignored:
        if options[name] not in DEFAULTS:
            warn_ignored(where, f"{name}={options[name]!r}", ignored[name], _users_line())
    return {name: value for name, value in options.items() if name not in ignored}


def _users_line() -> Location:
    """The line outside of tlx and Triton that is being executed."""
    frame = sys._getframe(1)
    while frame.f_back and any(Path(frame.f_code.co_filename).is_relative_to(library) for library in LIBRARIES):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)
