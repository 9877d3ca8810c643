"""`triton.Config` and `triton.autotune` with the fields and arguments that Meta's Triton adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import triton
import triton.testing
from triton.runtime.driver import driver as drivers
from triton.runtime.jit import JITFunction

from ..compiler import clusters
from ..compiler.jit import TLXFunction
from ..errors import InvalidCluster
from ..sim import SimulatorDriver
from .fork_options import AUTOTUNE_OPTIONS, CONFIG_OPTIONS, drop_ignored

__all__ = ["Config", "autotune"]

STOCK_AUTOTUNE = triton.autotune


class Config(clusters.Config):
    """`triton.Config` with the cluster, and with fields of Meta's Triton that are reported once and ignored.

    Args:
        kwargs: meta-parameters of the kernel.
        options: what `triton.Config` takes, by position or name; `ctas_per_cga`; Meta's fields.
    """

    def __init__(self, kwargs: dict[str, Any], *args, **options):
        super().__init__(kwargs, *args, **drop_ignored("triton.Config", options, CONFIG_OPTIONS))


def autotune(configs, key, prune_configs_by=None, *args, warmup=None, rep=None, use_cuda_graph=False, **options):
    """`triton.autotune`; in the simulator it compares configs by executed ops, whatever benchmarker is asked for.

    Args:
        configs: to choose from.
        key: names of the arguments that a choice depends on.
        prune_configs_by: functions that drop configs.
        args: the rest of what `triton.autotune` takes.
        warmup, rep: milliseconds of Triton's benchmarkers.
        use_cuda_graph: measures in CUDA graphs.
        options: likewise, by name; Meta's arguments are reported once and ignored.

    The decorator raises InvalidCluster for `ctas_per_cga` of a kernel that names nothing of TLX.
    """
    options = drop_ignored("triton.autotune", options, AUTOTUNE_OPTIONS)
    if prune_configs_by:
        prune_configs_by = drop_ignored("triton.autotune", prune_configs_by, AUTOTUNE_OPTIONS)
    if use_cuda_graph or warmup is not None or rep is not None:
        options.setdefault("do_bench", benchmarker(warmup, rep, use_cuda_graph))
    decorate = STOCK_AUTOTUNE(configs, key, prune_configs_by, *args, **options)

    def tuned(fn):
        check_clusters(fn, configs)
        return decorate(fn)

    return tuned


def check_clusters(fn: Any, configs: Sequence[triton.Config]) -> None:
    """Raises InvalidCluster where configs ask for the cluster of a kernel that Triton compiles without tlx."""
    while hasattr(fn, "fn") and not isinstance(fn, JITFunction):
        fn = fn.fn
    asked = next((config for config in configs if "ctas_per_cga" in config.kwargs), None)
    if asked is not None and isinstance(fn, JITFunction) and not isinstance(fn, TLXFunction):
        raise InvalidCluster(
            f"a config of {fn.__name__} has ctas_per_cga={asked.kwargs['ctas_per_cga']}; the kernel names nothing of "
            "TLX, so stock Triton compiles it, which doesn't have ctas_per_cga",
            hint="decorate it with @tlx.jit (`import tlx`), or leave ctas_per_cga out",
            location=clusters.definition(fn),
        )


def benchmarker(warmup: int | None, rep: int | None, use_cuda_graph: bool) -> Callable:
    """What these three arguments mean in Triton, on a GPU."""
    given = {name: value for name, value in (("warmup", warmup), ("rep", rep)) if value is not None}

    def measure(kernel_call, quantiles):
        if isinstance(drivers.active, SimulatorDriver):
            return drivers.active.get_benchmarker()(kernel_call, quantiles=quantiles)
        if not use_cuda_graph:
            return triton.testing.do_bench(kernel_call, quantiles=quantiles, **given)
        given.pop("warmup", None)
        return triton.testing.do_bench_cudagraph(kernel_call, quantiles=quantiles, **{"rep": 100, **given})

    return measure
