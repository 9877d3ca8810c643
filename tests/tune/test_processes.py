"""Tuning with real processes: where kernels are defined, what happens to arguments, and a second process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tests.tune.kernels import add_to, blocks, double, gemm, set_blocks, through_a_lock, tiles
from tlx import sim
from tlx.tune import InProcess

ROOT = Path(__file__).parents[2]

SCRIPT = """
import numpy as np
import triton
import triton.language as tl

import tlx
from tlx import sim


def keep(arguments):
    "A hook of the script."


@tlx.autotune([triton.Config({"BLOCK": block}, pre_hook=keep) for block in (64, 256)], key=["n"])
@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def main():
    x, y = sim.array(np.arange(1000), "float32"), sim.array(np.zeros(1000), "float32")
    double[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000)
    assert (y.numpy() == 2 * x.numpy()).all()
    measured = double.report.measured if double.report else 0
    print(f"BLOCK {double.best_config.kwargs['BLOCK']}, {measured} measured")


"""
GUARD = "if __name__ == '__main__':\n    main()\n"


def run_script(path, text) -> str:
    path.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TLX_BACKEND": "sim"}
    answer = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120, env=environment)
    assert answer.returncode == 0, answer.stderr
    assert "InProcess" not in answer.stderr
    return answer.stdout.strip()


@pytest.mark.parametrize("end", [GUARD, "main()\n"], ids=["guarded", "unguarded"])
def test_a_script_and_a_second_process(tmp_path, end):
    """Kernel and hook are the script's own. Without the guard, the other processes stop where tuning would begin."""
    assert run_script(tmp_path / "script.py", SCRIPT + end) == "BLOCK 256, 2 measured"
    assert run_script(tmp_path / "script.py", SCRIPT + end) == "BLOCK 256, 0 measured"


def test_two_processes_at_once_agree(tmp_path):
    """One tunes, the other waits for its answer: ranks that start together run the same config."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TLX_BACKEND": "sim"}
    (tmp_path / "script.py").write_text(SCRIPT + GUARD)
    command = [sys.executable, tmp_path / "script.py"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    answers = [process.communicate(timeout=120)[0].strip() for process in both]
    assert sorted(answers) == ["BLOCK 256, 0 measured", "BLOCK 256, 2 measured"]


def test_the_chosen_config_is_compiled_already(arrays, monkeypatch, tmp_path):
    """What another process compiled for the arguments' description is what a launch with them looks for."""
    hits = []
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path))
    monkeypatch.setattr(triton.knobs.compilation, "listener", lambda *, cache_hit, **_: hits.append(cache_hit))
    base = np.arange(1001, dtype=np.float32)
    tlx.autotune(configs(64, 256), key=["n"])(double)[blocks](sim.array(base[1:]), arrays[1], 1000)
    assert hits == [True]
    tile = TensorDescriptor.from_tensor(sim.array(np.zeros((128, 128)), "float16"), [1, 64])
    other = TensorDescriptor.from_tensor(sim.array(np.zeros((128, 128)), "float16"), [1, 64])
    sizes = {"BLOCK_N": 64, "BLOCK_K": 64, "STAGES": 2}
    tiled = [triton.Config({"BLOCK_M": m, **sizes}, pre_hook=set_blocks) for m in (64, 128)]
    c = sim.array(np.zeros((128, 128)), "float16")
    tlx.autotune(tiled, key=["M"])(gemm)[tiles](tile, other, c, 128, 128, 128)
    assert hits == [True, True]


def test_a_kernel_in_a_function_is_tuned_in_this_process(arrays):
    @triton.jit
    def local(x, y, n, BLOCK: tl.constexpr, WRONG: tl.constexpr = False):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        limit = n - BLOCK if WRONG else n
        tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < limit)

    configs = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 256, "WRONG": True}), triton.Config({"BLOCK": 32})]
    kernel = tlx.autotune(configs, key=["n"])(local)
    x, y = arrays
    with pytest.warns(InProcess, match="local is defined inside a function"):
        kernel[blocks](x, y, 1000)
    assert kernel.best_config == configs[0]
    assert np.array_equal(y.numpy(), 2 * x.numpy())
    (rejected,) = kernel.report.rejected
    assert rejected.rejected.stage == "check"


def test_a_hook_in_a_function_is_called_in_this_process(arrays):
    blocks_seen = []
    hooked = [triton.Config({"BLOCK": b}, pre_hook=lambda a: blocks_seen.append(a["BLOCK"])) for b in (64, 256)]
    kernel = tlx.autotune(hooked, key=["n"])(double)
    with pytest.warns(InProcess, match="<lambda> is defined inside a function"):
        kernel[blocks](*arrays, 1000)
    assert {64, 256} == set(blocks_seen)


def configs(*sizes):
    return [triton.Config({"BLOCK": size}) for size in sizes]


def test_an_array_that_is_added_to_is_added_to_once(arrays):
    x, y = arrays
    y.numpy()[...] = 100
    kernel = tlx.autotune(configs(64, 128, 256), key=["n"])(add_to)
    kernel[blocks](x, y, 1000)
    assert kernel.report.measured == 3
    assert np.array_equal(y.numpy(), 100 + x.numpy())


@pytest.mark.parametrize("how", ["reset_to_zero", "restore_value"])
def test_what_must_be_zero_is_zero_before_each_launch(how):
    lock, y = sim.array(np.zeros(1), "int32"), sim.array(np.zeros(64), "float32")
    check = {"check": numbers}
    kernel = tlx.autotune(configs(64, 128), key=["n"], **{how: ["lock"]}, **check)(through_a_lock)
    kernel[(3,)](lock, y, 64)
    assert kernel.report.measured == 2
    assert y.numpy().tolist() == list(range(64))
    assert lock.numpy().tolist() == [3]


def numbers(arguments):
    assert arguments["lock"].numpy().tolist() == [0]
    return {"y": np.arange(64, dtype=np.float32)}


def test_a_reference_decides_also_against_the_first_config(arrays):
    wrong = triton.Config({"BLOCK": 256, "WRONG": True})
    kernel = tlx.autotune([wrong, *configs(64)], key=["n"], check=lambda a: {"y": 2 * a["x"].numpy()})(double)
    kernel[blocks](*arrays, 1000)
    assert kernel.best_config.kwargs == {"BLOCK": 64}


def test_torch_tensors_on_the_cpu():
    torch = pytest.importorskip("torch")
    x, y = torch.arange(1000, dtype=torch.bfloat16), torch.zeros(1000, dtype=torch.bfloat16)
    wrong = triton.Config({"BLOCK": 512, "WRONG": True})
    kernel = tlx.autotune([*configs(64, 256), wrong], key=["n"])(double)
    kernel[blocks](x, y, 1000)
    assert kernel.best_config.kwargs == {"BLOCK": 256}
    assert [t.rejected.stage for t in kernel.report.rejected] == ["check"]
    assert torch.equal(y, 2 * x)
