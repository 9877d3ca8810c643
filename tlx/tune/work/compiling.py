"""Compiles one config without a GPU, and says why it can't run, or what it needs."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import triton
from triton._C.libtriton import ir  # noqa: F401  (loads the compiler before the first request)
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import CompiledKernel
from triton.compiler.errors import CompilationError
from triton.runtime.driver import driver as drivers
from triton.runtime.jit import JITFunction

from ...check.findings import ERROR
from ...check.static import check_module
from ...check.text import plain as plain_text
from ...errors import TLXError
from ...ir import parse
from ...sim import SimulatorDriver
from ...sim.program import lower_late
from .arguments import Arguments
from .candidate import Candidate, arguments_for
from .reference import StopLoading
from .writes import written_arguments

__all__ = ["Compiled", "Rejected", "Target", "TargetDriver", "compile_candidate", "first_line", "too_long"]


@dataclass(frozen=True)
class Target:
    """What configs are compiled for.

    Args:
        gpu: Triton's target.
        shared_bytes: shared memory that a CTA may have.
        device: the index of the GPU among those that are visible; None for the simulator.
    """

    gpu: GPUTarget
    shared_bytes: int
    device: int | None


@dataclass(frozen=True)
class Compiled:
    """What compiling told about a config.

    Args:
        shared_bytes: shared memory of a CTA.
        registers: of a thread at the kernel's entry; None where cuobjdump is missing.
        spills: bytes of a thread's stack.
        seconds: that it took.
        written: names of the arguments that the kernel writes.
    """

    shared_bytes: int
    registers: int | None
    spills: int | None
    seconds: float
    written: frozenset[str]


@dataclass(frozen=True)
class Rejected:
    """Why a config is out.

    Args:
        stage: prune, compile, static, launch, hang, crash or check.
        reason: in words.
        error: of its outputs, if they are the reason.
        seconds_cap: that it exceeded, if that is the reason.
    """

    stage: str
    reason: str
    error: float | None = None
    seconds_cap: float | None = None


def too_long(stage: str, seconds: float) -> Rejected:
    """A rejection for exceeding a cap on time."""
    return Rejected(stage, f"no end after {seconds:.3g} s", seconds_cap=seconds)


class TargetDriver(SimulatorDriver):
    """Triton's view of a GPU for which kernels are compiled, and on which nothing is launched.

    Args:
        target: the GPU.
    """

    def __init__(self, target: GPUTarget):
        super().__init__()
        self._target = target

    def get_current_target(self) -> GPUTarget:
        return self._target

    def launcher_cls(self, src, metadata):
        """Ends a script that launches while it is loaded."""
        raise StopLoading


def compile_candidate(
    kernel: JITFunction, arguments: Arguments, candidate: Candidate, target: Target
) -> Compiled | Rejected:
    """Compiles a config, into Triton's cache, and reads what came out."""
    begin = time.perf_counter()
    try:
        passed = arguments_for(candidate, arguments.placeholders())
        compiled = kernel.run(grid=(1,), warmup=True, **passed, **candidate.options)
    except Exception as error:
        return Rejected("compile", _reason(error))
    if compiled.metadata.shared > target.shared_bytes:
        what = f"{compiled.metadata.shared:,} B of shared memory; a CTA may have {target.shared_bytes:,} B"
        return Rejected("compile", what)
    written, findings = _read(compiled, target.gpu)
    if findings:
        return Rejected("static", findings)
    registers, spills = _usage(compiled)
    return Compiled(compiled.metadata.shared, registers, spills, time.perf_counter() - begin, written)


def _read(compiled: CompiledKernel, target: GPUTarget) -> tuple[frozenset[str], str]:
    """Names of written arguments, and the errors that static checks find.

    What tlx can't read it doesn't judge: Triton's compiler took it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.ttgir")
        path.write_text(compiled.asm["ttgir"])
        try:
            module = parse(lower_late(str(path), target))
            errors = [finding for finding in check_module(module) if finding.severity == ERROR]
        except Exception:
            return frozenset(), ""
    return written_arguments(module, compiled.src.signature), plain_text(errors) if errors else ""


def _usage(compiled: CompiledKernel) -> tuple[int | None, int | None]:
    """Registers and stack bytes of a thread, by cuobjdump of the Triton wheel; None where it or a cubin is missing."""
    cubin = compiled.asm.get("cubin")
    try:
        tool = triton.knobs.nvidia.cuobjdump
    except RuntimeError:  # Triton's way to say that it has none
        return None, None
    if cubin is None:
        return None, None
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [tool.path, "-res-usage", file.name]
        answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    words = dict(part.split(":", 1) for line in answer.stdout.splitlines() for part in line.split() if ":" in part)
    return tuple(int(words[name]) if words.get(name, "").isdigit() else None for name in ("REG", "STACK"))


def _reason(error: Exception) -> str:
    """What an exception says. Triton's begin with the place; here, what is wrong or was raised comes first."""
    text = str(error).strip()
    if isinstance(error, CompilationError) and not isinstance(error, TLXError):
        cause = f"{type(error.__cause__).__name__}: {error.__cause__}" if error.__cause__ else ""
        text = f"{error.error_message or cause}\n{text}"
    return f"{type(error).__name__}: {text}"


def first_line(text: str) -> str:
    """The first line of a reason that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else ""


def use_target(target: Target) -> None:
    """Makes Triton compile for the target in this process."""
    os.environ.pop("TRITON_INTERPRET", None)
    drivers.set_active(TargetDriver(target.gpu))
