"""Clusters of CTAs as CUDA has them: `ctas_per_cga` regroups the CTAs of a grid, none is added.

The stock launcher makes clusters along x only, of `metadata.num_ctas` CTAs, and multiplies the grid's x by that number.
So a kernel is compiled for one CTA (`ttg.num-ctas = 1`) and launched on the grid divided by the cluster's shape; its
CTAs number themselves as the user's grid does (`program_id`).
"""

from __future__ import annotations

import functools
import inspect
import math
from collections import namedtuple
from typing import Any

import triton
from triton.compiler.compiler import CompiledKernel
from triton.runtime.jit import JITFunction

from ..errors import GridNotDivisible, InvalidCluster
from ..source import Location
from .targets import target_for

__all__ = [
    "ClusterShape",
    "Config",
    "cluster_shape",
    "declare_cluster",
    "describe_cluster",
    "note_cluster",
    "size_of_cluster",
]

ClusterShape = tuple[int, int, int]


def cluster_shape(asked: Any, num_ctas: int | None, arch: int, kernel: JITFunction) -> ClusterShape | None:
    """The cluster that a launch asks for; None where it asks for none.

    Args:
        asked: `ctas_per_cga`: the CTAs along x, y, z.
        num_ctas: Triton's own kind of cluster, which spreads the tensors of one program over CTAs.
        arch: of the target, which says how large a cluster may be.
        kernel: what is launched.

    Raises InvalidCluster.
    """
    if asked is None:
        return None
    refusal = functools.partial(InvalidCluster, location=definition(kernel))
    shape = tuple(asked) if isinstance(asked, list | tuple) else asked
    numbers = isinstance(shape, tuple) and all(isinstance(size, int) and size >= 1 for size in shape)
    if not numbers or len(shape) != 3:
        raise refusal(f"ctas_per_cga is {asked!r}, it must be three integers of at least 1", "write (2, 1, 1)")
    if num_ctas not in (None, 1):
        raise refusal(f"ctas_per_cga={shape} and num_ctas={num_ctas}: give one of the two")
    target = target_for(arch)
    if size_of_cluster(shape) > target.cluster_ctas:
        sizes = " x ".join(map(str, shape))
        raise refusal(
            f"ctas_per_cga: {sizes} = {size_of_cluster(shape)} CTAs, a cluster of {target.name} has at most "
            f"{target.cluster_ctas}"
        )
    return shape


def size_of_cluster(shape: ClusterShape) -> int:
    """Its CTAs."""
    return math.prod(shape)


def describe_cluster(shape: ClusterShape) -> str:
    """`2x1x1`."""
    return "x".join(map(str, shape))


def note_cluster(module, builder, shape: ClusterShape) -> None:
    """Writes the shape into the module, as Meta's compiler does."""
    for axis, size in zip("xyz", shape):
        module.set_attr(f"ttg.cluster-dim-{axis}", builder.get_int32_attr(size))


def definition(kernel: JITFunction) -> Location:
    """Where a kernel is defined."""
    lines, first = inspect.getsourcelines(kernel.fn)
    offset = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
    column = len(lines[offset]) - len(lines[offset].lstrip()) + 1
    return Location(kernel.fn.__code__.co_filename, first + offset, column)


class ClusterKernel(CompiledKernel):
    """A kernel whose CTAs run in clusters. Launched like any other, with the user's grid."""

    @property
    def run(self):
        launch = super().run

        def launch_clusters(x, y, z, *rest):
            return launch(*self.clusters((x, y, z)), *rest)

        return launch_clusters

    def clusters(self, grid: tuple[int, int, int]) -> tuple[int, ...]:
        """The clusters of a grid along x, y, z; raises GridNotDivisible."""
        shape = self.metadata.ctas_per_cga
        for axis, programs, size in zip("xyz", grid, shape):
            if programs % size:
                raise GridNotDivisible(
                    f"{self.name}: the grid has {programs} programs along {axis}, clusters of "
                    f"{describe_cluster(shape)} take multiples of {size}",
                    hint=f"launch {-(-programs // size) * size}, and let those that are too many do nothing but "
                    "what their cluster needs of them",
                    location=definition(self.src.fn),
                )
        return tuple(programs // size for programs, size in zip(grid, shape))


def declare_cluster(kernel: CompiledKernel, shape: ClusterShape | None) -> CompiledKernel:
    """The kernel with `metadata.ctas_per_cga`, and launched in clusters if that isn't None."""
    fields = {**kernel.metadata._asdict(), "ctas_per_cga": shape}
    kernel.metadata = namedtuple("KernelMetadata", sorted(fields))(**fields)
    if shape is not None:
        kernel.__class__ = ClusterKernel
    return kernel


class Config(triton.Config):
    """A `triton.Config` that also has a cluster.

    The shape travels among the meta-parameters, so that Triton's autotuner compares, prints and stores it.

    Args:
        kwargs: meta-parameters of the kernel.
        ctas_per_cga: CTAs of a cluster along x, y, z; None for no cluster.
        options: what `triton.Config` takes (`num_warps`, `num_stages`, `pre_hook`, ...), by position or name.
    """

    def __init__(self, kwargs: dict[str, Any], *args, ctas_per_cga: ClusterShape | None = None, **options):
        shape = tuple(ctas_per_cga) if isinstance(ctas_per_cga, list) else ctas_per_cga  # a list has no hash
        cluster = {"ctas_per_cga": shape} if shape is not None else {}
        super().__init__({**kwargs, **cluster}, *args, **options)

    @property
    def ctas_per_cga(self) -> ClusterShape | None:
        """CTAs of a cluster along x, y, z; None for no cluster."""
        return self.kwargs.get("ctas_per_cga")
