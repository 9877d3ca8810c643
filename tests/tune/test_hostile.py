"""Configs that break what they touch: each is one rejected line, and the tuner returns the good one (C21)."""

import os
import stat
import time
from pathlib import Path

import numpy as np
import pytest
import triton
from triton.backends.nvidia.compiler import get_ptxas
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tests.tune import kernels
from tests.tune.kernels import blocks, double, gemm, set_blocks, tiles
from tlx import sim
from tlx.tune import TuningError

SIZE = 256


def gemm_config(m, n, stages, num_warps=4, **more):
    values = {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": 64, "STAGES": stages, **more}
    return triton.Config(values, num_warps=num_warps, pre_hook=set_blocks)


GOOD = [gemm_config(128, 128, 3), gemm_config(64, 64, 2)]
BAD = {
    "over budget": gemm_config(128, 256, 5),
    "illegal warps": gemm_config(128, 128, 3, num_warps=3),
    "deadlock": gemm_config(128, 128, 2, EMPTY_COUNT=2),
    "wrong and fastest": gemm_config(128, 128, 3, SKIPPED=1),
}


def operands():
    """Whole numbers, so that every order of summing gives the same."""
    i, k = np.ogrid[:SIZE, :SIZE]
    a, b = (3 * i + 5 * k) % 7 - 3, (2 * i + 11 * k) % 5 - 2
    return a.astype(np.float16), b.astype(np.float16), np.full((SIZE, SIZE), 7, np.float16)


def run_gemm(kernel, a, b, c):
    blocks = [1, 64]  # the hook sets them
    kernel[tiles](TensorDescriptor.from_tensor(a, blocks), TensorDescriptor.from_tensor(b, blocks), c, *[SIZE] * 3)


def reasons(kernel):
    """(stage, reason) of each rejected config, by its name."""
    names = {str(config): name for name, config in BAD.items()}
    return {names[str(t.config)]: (t.rejected.stage, t.rejected.reason) for t in kernel.report.rejected}


def assert_bad_ones_are_rejected(found):
    assert set(found) == set(BAD)
    stage, reason = found["over budget"]
    assert stage == "compile"
    assert "= 245,840 B of shared memory, sm_90 has 232,448 B" in reason
    stage, reason = found["illegal warps"]
    assert (stage, "num_warps" in reason) == ("compile", True)
    stage, reason = found["deadlock"]
    assert stage == "static"
    assert "a phase of empty takes 2 arrival(s), but 1 come" in reason
    stage, reason = found["wrong and fastest"]
    assert stage == "check"
    assert "wrong output c: error" in reason


def test_a_hostile_sweep():
    a, b, c = map(sim.array, operands())
    kernel = tlx.autotune([*GOOD, *BAD.values()], key=["M", "N", "K"])(gemm)
    begin = time.monotonic()
    run_gemm(kernel, a, b, c)
    assert time.monotonic() - begin < 120
    assert str(kernel.best_config) in map(str, GOOD)
    assert_bad_ones_are_rejected(reasons(kernel))
    expected = a.numpy().astype(np.float32) @ b.numpy().astype(np.float32)
    assert np.array_equal(c.numpy(), expected)
    with pytest.raises(TuningError) as caught:
        run_gemm(tlx.autotune(list(BAD.values()), key=["M"], check=product)(gemm), a, b, c)
    assert caught.value.what.count("\n") == len(BAD)
    c.numpy()[...] = 7
    run_gemm(tlx.autotune(GOOD[:1], key=["M"])(gemm), a, b, c)  # a fresh call works
    assert np.array_equal(c.numpy(), expected)


def product(arguments):
    return {"c": arguments["a"].numpy().astype(np.float32) @ arguments["b"].numpy().astype(np.float32)}


@pytest.mark.gpu
def test_a_hostile_sweep_on_a_gpu():
    import torch

    from tlx.sim import SimulatorDriver

    a, b, c = (torch.from_numpy(array).cuda() for array in operands())
    triton.runtime.driver.reset_active()
    assert not isinstance(triton.runtime.driver.active, SimulatorDriver)
    kernel = tlx.autotune([*GOOD, *BAD.values()], key=["M", "N", "K"], launch_timeout=5)(gemm)
    begin = time.monotonic()
    before = torch.cuda.mem_get_info()[0]
    run_gemm(kernel, a, b, c)
    assert time.monotonic() - begin < 120
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    if "PYTEST_XDIST_WORKER" not in os.environ:  # else other tests use the device's memory too
        assert abs(torch.cuda.mem_get_info()[0] - before) <= 1 << 20
    assert str(kernel.best_config) in map(str, GOOD)
    assert_bad_ones_are_rejected(reasons(kernel))
    assert torch.equal(c, (a.float() @ b.float()).half())


# --- processes that end ---


@pytest.fixture
def tuned(arrays):
    """Tunes with a good config and a bad one; returns the bad one's (stage, reason)."""

    def tune(bad, kernel=double, **options):
        good = triton.Config({"BLOCK": 64})
        tuner = tlx.autotune([good, bad, triton.Config({"BLOCK": 32})], key=["n"], processes=1, **options)(kernel)
        x, y = arrays
        tuner[blocks](x, y, 1000)
        assert tuner.best_config == good
        assert np.array_equal(y.numpy(), (1 if kernel is kernels.half else 2) * x.numpy())
        (rejected,) = tuner.report.rejected
        assert rejected.config == bad
        return rejected.rejected.stage, rejected.rejected.reason

    return tune


def test_an_abort_while_it_is_checked(tuned):
    assert tuned(triton.Config({"BLOCK": 128}, pre_hook=kernels.abort)) == ("crash", "the process ended by SIGABRT")


def test_a_hang(tuned):
    stage, reason = tuned(triton.Config({"BLOCK": 128}, pre_hook=kernels.hang), launch_timeout=10)
    assert (stage, reason) == ("hang", "no end after 10 s")


def test_a_write_outside_of_the_array(tuned):
    stage, reason = tuned(triton.Config({"BLOCK": 128, "FAR": 1 << 20}), kernels.write_far)
    assert stage == "launch"
    assert reason.startswith("OutOfBounds: store of y[1048")


def test_half_of_the_output_is_seen_whatever_was_there_before(tuned, arrays):
    """The output holds the right answer already, as after an earlier call."""
    x, y = arrays
    y.numpy()[...] = x.numpy()
    stage, reason = tuned(triton.Config({"BLOCK": 128, "SKIP": 500}), kernels.half)
    assert stage == "check"
    assert reason.startswith("wrong output y: error")


PTXAS = """\
#!/bin/sh
for argument; do
  case $argument in *.ptx)
    if grep -q 'reqntid 256' "$argument"; then echo $$ > {pid}; exec sleep 1000; fi;;
  esac
done
exec {ptxas} "$@"
"""


def test_a_ptxas_without_an_end(tuned, tmp_path, monkeypatch):
    fake, pid = tmp_path / "ptxas", tmp_path / "pid"
    fake.write_text(PTXAS.format(ptxas=get_ptxas(90).path, pid=pid))
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    for name in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):  # the one before Triton 3.9, the other from then
        monkeypatch.setenv(name, str(fake))
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path / "cache"))
    begin = time.monotonic()
    answer = tuned(triton.Config({"BLOCK": 128}, num_warps=8), compile_timeout=15)
    assert answer == ("compile", "no end after 15 s")
    assert time.monotonic() - begin < 60
    assert not Path(f"/proc/{int(pid.read_text())}").exists()


def test_no_process_and_no_file_is_left(tuned, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tuned(triton.Config({"BLOCK": 128}, pre_hook=kernels.abort))
    assert list(tmp_path.glob("tlx-tune-*")) == []
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    commands = [Path(f"/proc/{child}/cmdline").read_bytes() for child in children]
    assert not any(b"tlx.tune.work" in command for command in commands)


# --- on a GPU ---


@pytest.fixture
def gpu_arrays():
    import torch

    triton.runtime.driver.reset_active()
    x = torch.randn(1000, device="cuda")
    return x, torch.zeros_like(x)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("kernel", "bad", "stage"),
    [
        (kernels.write_far, {"FAR": 1 << 34}, "crash"),
        (kernels.spin, {"FOREVER": True}, "hang"),
        (kernels.half, {"SKIP": 500}, "check"),
    ],
    ids=["illegal access", "endless loop", "half of the output"],
)
def test_a_gpu_survives(gpu_arrays, kernel, bad, stage):
    import torch

    x, y = gpu_arrays
    configs = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128, **bad}), triton.Config({"BLOCK": 256})]
    tuner = tlx.autotune(configs, key=["n"], launch_timeout=5)(kernel)
    tuner[blocks](x, y, 1000)
    torch.cuda.synchronize()
    assert torch.equal(y, x if kernel is kernels.half else 2 * x)
    (rejected,) = tuner.report.rejected
    assert (rejected.config, rejected.rejected.stage) == (configs[1], stage)
