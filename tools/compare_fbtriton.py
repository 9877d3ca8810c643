"""Speed of fbtriton's Hopper tutorials on this Triton through `tlx.compat`, against fbtriton itself, on one GPU.

    python tools/compare_fbtriton.py --tutorials FOLDER --fork "env PYTHONPATH=FBTRITON python3"

Two processes, one for each side, load the same unchanged files and take turns on the GPU. Each kernel gets one config,
the same on both sides; its result is checked against torch first. Only the kernel is timed, cold in the L2 cache.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import json
import os
import selectors
import shlex
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = 2e-2  # of the largest value: fp16 results, sums in another order


@dataclass(frozen=True)
class Case:
    """One kernel on one problem.

    Args:
        name: of the tutorial's file.
        config: the meta-parameters, in words.
        shape: M, N, K of a product; batch, heads, length, head dimension of attention; elements of a vector.
        run: calls the tutorial's host function on seeded inputs.
    """

    name: str
    config: str
    shape: tuple[int, ...]
    run: Callable[[Any, tuple[int, ...]], tuple[Any, Any]]

    def __str__(self) -> str:
        return f"{self.name} {self.config} {'x'.join(map(str, self.shape))}"

    @property
    def work(self) -> float:
        """Floating-point operations, without those of the softmax."""
        if len(self.shape) == 3:
            m, n, k = self.shape
            return 2.0 * m * n * k
        if len(self.shape) == 4:
            batch, heads, length, dim = self.shape
            return 4.0 * batch * heads * length * length * dim
        return 2.0 * self.shape[0]


def device():
    """Where the active driver launches."""
    from triton.runtime.driver import driver

    return driver.active.get_active_torch_device()


def matrices(shape):
    """A (M x K) and B (K x N), and their product."""
    import torch

    m, n, k = shape
    torch.manual_seed(0)
    a = torch.randn((m, k), device=device(), dtype=torch.float16)
    b = torch.randn((k, n), device=device(), dtype=torch.float16)
    return a, b, torch.matmul(a, b)


def only(kernel, **wanted) -> None:
    """Leaves the autotuner the first config with these meta-parameters or options."""
    matching = [c for c in kernel.configs if all(c.all_kwargs().get(name) == v for name, v in wanted.items())]
    kernel.configs = matching[:1]


def vectors(module, shape):
    import torch

    torch.manual_seed(0)
    x, y, a, b = (torch.rand(shape[0], device=device()) for _ in range(4))
    return torch.stack(module.add2_warp_specialized(x, y, a, b)), torch.stack((x + y, a + b))


def pipelined(module, shape):
    a, b, expected = matrices(shape)
    return module.matmul(a, b), expected


def persistent(**config):
    def run(module, shape):
        a, b, expected = matrices(shape)
        only(module.matmul_kernel_tlx_ws_persistent, **config)
        return module.matmul_tlx_ws_persistent(a, b), expected

    return run


def warp_specialized(**config):
    base = {"BM": 128, "BN": 256, "BK": 64, "GROUP_SIZE_M": 8, "NUM_STAGES": 3, "NUM_MMA_WARPS": 8}
    config = {**base, "NUM_MMA_GROUPS": 2, "EPILOGUE_SUBTILE": False, "NUM_CTAS": 1, **config}

    def run(module, shape):
        a, b, expected = matrices(shape)
        return module.matmul(a, b, config=config), expected

    return run


def skinny(kernel: str):
    def run(module, shape):
        a, b, expected = matrices(shape)
        only(getattr(module, kernel), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, NUM_STAGES=4, num_warps=4)
        return module.matmul(a, b), expected

    return run


def attention(**config):
    config = {"BLOCK_M": 128, "BLOCK_N": 128, "NUM_MMA_WARPS": 8, "NUM_MMA_GROUPS": 2, **config}

    def run(module, shape):
        import torch

        torch.manual_seed(20)
        q, k, v = (torch.empty(shape, device=device(), dtype=torch.float16).normal_(0, 0.5) for _ in range(3))
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=0.5)
        return module.attention(q, k, v, 0.5, config=config), expected

    return run


COOPERATIVE, PINGPONG = "hopper-persistent-gemm-ws-cooperative", "hopper-persistent-gemm-ws-pingpong"
SQUARES = ((4096, 4096, 4096), (8192, 8192, 8192))
CASES = [
    Case("vector-add2", "1024", (1 << 26,), vectors),
    *(Case("hopper_gemm_pipelined", "128x256x64 s3 8 warps", shape, pipelined) for shape in SQUARES),
    *(Case(COOPERATIVE, "128x256x64 s3", shape, persistent(BM=128, NUM_STAGES=3)) for shape in SQUARES),
    *(Case(COOPERATIVE, "256x128x64 s4", shape, persistent(BM=256, NUM_STAGES=4)) for shape in SQUARES),
    *(Case(PINGPONG, "named barriers", shape, persistent(USE_NAMED_BARRIER=True)) for shape in SQUARES),
    *(Case(PINGPONG, "mbarriers", shape, persistent(USE_NAMED_BARRIER=False)) for shape in SQUARES),
    *(Case("hopper_gemm_ws", "128x256x64 s3", shape, warp_specialized()) for shape in SQUARES),
    *(Case("hopper_gemm_ws", "warp barriers", shape, warp_specialized(USE_WARP_BARRIER=True)) for shape in SQUARES),
    *(Case("hopper_gemm_ws", "subtiles", shape, warp_specialized(EPILOGUE_SUBTILE=True)) for shape in SQUARES),
    *(
        Case("hopper_gemm_ws", "2 CTAs", shape, warp_specialized(NUM_CTAS=2, ctas_per_cga=(2, 1, 1)))
        for shape in SQUARES
    ),
    Case("hopper_gemm_ws", "skinny, TMA", (256, 256, 4096), skinny("_skinny_tma_kernel")),
    Case("hopper_gemm_ws", "skinny, cp.async", (256, 256, 16384), skinny("_skinny_matmul_kernel")),
    *(
        Case(name, "128x128 2 groups", shape, attention(**buffers))
        for name, buffers in (
            ("hopper_fa_ws", {"NUM_BUFFERS": 2}),
            ("hopper_fa_ws_pipelined", {"NUM_BUFFERS": 2}),
            ("hopper_fa_ws_pipelined_pingpong", {"NUM_BUFFERS": 2}),
            ("hopper_fa_ws_pipelined_pingpong_persistent", {"NUM_BUFFERS_Q": 1, "NUM_BUFFERS_KV": 2}),
        )
        for shape in ((4, 16, 4096, 128), (2, 16, 16384, 128))
    ),
]


# --- one side: a process that prepares cases and times them, as it is told on its standard input ---


def bench_files() -> types.ModuleType:
    """`tlx.bench` as a package of its own: beside fbtriton, tlx itself can't be imported."""
    package = types.ModuleType("bench_files")
    package.__path__ = [str(ROOT / "tlx" / "bench")]
    sys.modules["bench_files"] = package
    return importlib.import_module("bench_files.timer")


def load(folder: Path, name: str) -> types.ModuleType:
    """One of the tutorials, executed anew."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def recorded_launch() -> Iterator[list[Callable[[], Any]]]:
    """The last launch within the block, as a function that repeats it."""
    from triton.runtime.jit import JITFunction

    launches, run = [], JITFunction.run

    def record(self, *args, **kwargs):
        launches[:] = [lambda: run(self, *args, **kwargs)]
        return run(self, *args, **kwargs)

    JITFunction.run = record
    try:
        yield launches
    finally:
        JITFunction.run = run


def error_of(result, expected) -> float:
    """The largest error, as a part of the largest value."""
    return ((result.float() - expected.float()).abs().max() / expected.float().abs().max()).item()


def prepare(case: Case, folder: Path, timer) -> tuple[dict[str, Any], Any]:
    """Runs a case once, checks its result, and makes its kernel ready to be timed."""
    module = load(folder, case.name)
    with recorded_launch() as launches:
        result, expected = case.run(module, case.shape)
    error = error_of(result, expected)
    if not error <= TOLERANCE:
        raise ValueError(f"wrong result: off by {error:.1e} of the largest value")
    digest = hashlib.blake2b(result.cpu().numpy().tobytes()).hexdigest()
    return {"error": error, "digest": digest}, timer.prepare(launches[0])


def serve(side: str, folder: Path) -> None:
    """Answers one line of JSON for each line: `["prepare", case]`, `["measure", samples]`."""
    answers, sys.stdout = sys.stdout, sys.stderr
    if side == "tlx":
        sys.path.insert(0, str(ROOT))
        from tlx import compat

        compat.install()
    timer = bench_files().CudaTimer()
    launch = None
    for line in sys.stdin:
        order, value = json.loads(line)
        try:
            if order == "prepare":
                launch = None
                answer, launch = prepare(CASES[value], folder, timer)
            else:
                answer = {"us": [timer.measure(launch) for _ in range(value)]}
        except Exception as error:  # whatever goes wrong is a row of the table
            answer = {"failure": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), file=answers, flush=True)


class Side:
    """One of the two processes; started anew where it hangs or dies."""

    def __init__(self, command: list[str], timeout: float):
        self._command = command
        self._timeout = timeout
        self._process: subprocess.Popen | None = None

    def send(self, order: str, value: int) -> None:
        """Gives an order."""
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps([order, value]) + "\n")
            self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The answer to the last order, or why there is none."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            line = self._process.stdout.readline() if selector.select(self._timeout) else None
        if line:
            return json.loads(line)
        self.stop()
        return {"failure": f"no answer in {self._timeout:.0f} s" if line is None else "the process died"}

    def stop(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


# --- the table ---


def compare(index: int, sides: dict[str, Side], rounds: int, samples: int) -> dict[str, dict[str, Any]]:
    """What each side answered for one case: its error and digest and its times, or its failure."""
    for side in sides.values():
        side.send("prepare", index)
    found = {name: side.answer() for name, side in sides.items()}
    for answer in found.values():
        answer["us"] = []
    for _ in range(rounds):
        for name, side in sides.items():
            if "failure" not in found[name]:
                side.send("measure", samples)
                answer = side.answer()
                found[name]["us"] += answer.pop("us", [])
                found[name].update(answer)
    return found


def row(case: Case, found: dict[str, dict[str, Any]], median: Callable) -> tuple[str, float | None]:
    """A line of the table, and the ratio of the speeds."""
    failures = [f"{name}: {answer['failure']}" for name, answer in found.items() if "failure" in answer]
    if failures:
        return f"{str(case):82} {'; '.join(failures)[:200]}", None
    us = {name: median(answer["us"]) for name, answer in found.items()}
    ratio = us["fork"] / us["tlx"]
    rates = "".join(f"{case.work / time / 1e6:9.1f}" for time in us.values())
    bits = "same" if len({answer["digest"] for answer in found.values()}) == 1 else "other"
    return f"{str(case):82}{rates} {us['tlx']:9.1f} {bits:>6} {ratio:7.3f}", ratio


def main() -> None:
    """Compares all cases, or those whose names contain one of the given words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorials", type=Path, default=os.environ.get("TLX_FBTRITON_TUTORIALS"))
    parser.add_argument("--fork", help="command of an interpreter that imports fbtriton")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--samples", type=int, default=10, help="of a round")
    parser.add_argument("--timeout", type=float, default=60, help="seconds that a case may take on one side")
    parser.add_argument("--serve", choices=["fork", "tlx"], help=argparse.SUPPRESS)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, Path(options.tutorials))
        return
    if not options.tutorials or not options.fork:
        parser.error("--tutorials and --fork are needed")
    commands = {"fork": shlex.split(options.fork), "tlx": [sys.executable]}
    tail = [__file__, "--tutorials", str(options.tutorials), "--serve"]
    sides = {name: Side([*command, *tail, name], options.timeout) for name, command in commands.items()}
    sys.path.insert(0, str(ROOT))
    from tlx.bench.stats import geometric_mean, summarize

    print(f"{'':82}{'fork':>9}{'tlx':>9} {'tlx us':>9} {'bits':>6} {'ratio':>7}   (TFLOP/s; ratio: tlx over fork)")
    ratios = []
    for index, case in enumerate(CASES):
        if not options.words or any(word in str(case) for word in options.words):
            found = compare(index, sides, options.rounds, options.samples)
            line, ratio = row(case, found, lambda us: summarize(us).median)
            print(line, flush=True)
            ratios += [ratio] if ratio else []
    for side in sides.values():
        side.stop()
    if ratios:
        print(f"{len(ratios)} kernels: geometric mean {geometric_mean(ratios):.3f}, least {min(ratios):.3f}")


if __name__ == "__main__":
    main()
