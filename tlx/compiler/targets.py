"""What each target offers, as data. No other file names an architecture's number or budget."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UnsupportedTarget

__all__ = ["DEFAULT_ARCH", "TARGETS", "Target", "target_for"]

DEFAULT_ARCH = 90  # what `tlx.compile` assumes when there is no GPU


@dataclass(frozen=True)
class Target:
    """Budgets of one architecture.

    Args:
        arch: compute capability, major * 10 + minor.
        name: the assembler's name for it.
        shared_bytes: shared memory that one CTA may use, in bytes.
        registers: 32-bit registers of one SM.
        threads: threads of one CTA at most.
        register_range: least and greatest count that `setmaxnreg` takes, in steps of `register_step`.
        register_step: granularity of `setmaxnreg`.
        warp_size: threads of a warp.
        warp_group: warps that issue a `wgmma` together and share a register count.
        free_named_barriers: first and last hardware barrier that Triton leaves to kernels of up to 7 tasks.
        cluster_ctas: CTAs of a cluster at most, on every GPU of the architecture.
        mma_m: rows of A that one warp group's MMA takes.
        mma_n: least, greatest and granularity of N of one MMA instruction.
        mma_k_bytes: bytes of A along K that one MMA instruction takes.
    """

    arch: int
    name: str
    shared_bytes: int
    registers: int
    threads: int
    register_range: tuple[int, int]
    register_step: int
    warp_size: int
    warp_group: int
    free_named_barriers: tuple[int, int]
    cluster_ctas: int
    mma_m: int
    mma_n: tuple[int, int, int]
    mma_k_bytes: int


TARGETS = {
    90: Target(
        arch=90,
        name="sm_90",
        shared_bytes=232_448,
        registers=65_536,
        threads=1024,
        register_range=(24, 256),
        register_step=8,
        warp_size=32,
        warp_group=4,
        free_named_barriers=(9, 15),
        cluster_ctas=8,
        mma_m=64,
        mma_n=(8, 256, 8),
        mma_k_bytes=32,
    ),
}


def target_for(arch: int | str) -> Target:
    """The target of `90`, `"sm90"` or `"sm_90"`; raises UnsupportedTarget."""
    number = int(arch.removeprefix("sm").removeprefix("_")) if isinstance(arch, str) else arch
    if number not in TARGETS:
        known = ", ".join(target.name for target in TARGETS.values())
        raise UnsupportedTarget(f"tlx has no lowering for sm_{number}", hint=f"it has one for {known}")
    return TARGETS[number]
