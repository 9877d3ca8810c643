"""`tlx check`, `tlx.check` and the pytest fixture."""

import json

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tests.check.rings import COLUMNS, ROWS, SLOT_BYTES, ring
from tlx import sim
from tlx.__main__ import main
from tlx.check import PhaseError, RaceError
from tlx.check.arguments import ArraySpec, Usage, arguments_of

pytest_plugins = ["pytester"]

KERNELS = """
import numpy as np
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
import tlx
from tlx import sim

@tlx.jit
def copy(x, y, n, RELEASES: tl.constexpr):
    tile = tlx.local_alloc((16, 64), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    empty = tlx.alloc_barriers(1)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for k in tl.range(0, n):
                tlx.barrier_wait(full[0], k & 1)
                if not RELEASES:
                    tlx.barrier_arrive(empty[0])
                y.store([16 * k, 0], tlx.local_load(tile[0]))
                if RELEASES:
                    tlx.barrier_arrive(empty[0])
        with tlx.async_task(num_warps=1):
            for k in tl.range(0, n):
                tlx.barrier_wait(empty[0], (k & 1) ^ 1)
                tlx.barrier_expect_bytes(full[0], 16 * 64 * 2)
                tlx.async_descriptor_load(x, tile[0], [16 * k, 0], full[0])

def launch(releases=True):
    x, y = (TensorDescriptor.from_tensor(sim.array(np.ones((64, 64), np.float16)), [16, 64]) for _ in range(2))
    copy[(1,)](x, y, 4, releases)

def launch_nothing():
    pass
"""


@pytest.fixture
def kernels(tmp_path) -> str:
    path = tmp_path / "copy_kernels.py"
    path.write_text(KERNELS)
    return str(path)


X_Y = ["x=fp16[64,64]@[16,64]", "y=fp16[64,64]@[16,64]", "n=4"]


def test_a_kernel_that_is_right(kernels, capsys):
    assert main(["check", f"{kernels}::copy", "--args", *X_Y, "RELEASES=True"]) == 0
    assert capsys.readouterr().out == f"{kernels}::copy: 0 errors, 0 warnings, 0 notes\n"


def test_a_kernel_that_is_wrong(kernels, capsys):
    assert main(["check", f"{kernels}::copy", "--args", *X_Y, "RELEASES=False", "--schedules", "2"]) == 1
    printed = capsys.readouterr().out
    assert "error TLX-R001 race-read-write: the read of tile[0] by default at line 19" in printed
    assert "y.store([16 * k, 0], tlx.local_load(tile[0]))" in printed
    assert "seen in schedules 0, 1\n" in printed
    assert printed.endswith("::copy: 1 error, 0 warnings, 0 notes\n")


def test_a_function_that_launches(kernels, capsys):
    assert main(["check", f"{kernels}::launch"]) == 0
    assert main(["check", f"{kernels}::launch", "--args", "releases=False"]) == 1


def test_a_record(kernels, capsys):
    assert main(["check", f"{kernels}::launch", "--args", "releases=False", "--json", "--seed", "5"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["schedules"] == 3
    (found,) = record["findings"]
    assert (found["id"], found["seeds"], found["location"]["line"]) == ("TLX-R001", [5, 6, 7], 19)
    assert found["location"]["source"].strip() == "y.store([16 * k, 0], tlx.local_load(tile[0]))"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (["nowhere.py::f"], "there is no file nowhere.py"),
        (["nowhere.ttgir"], "there is no file nowhere.ttgir"),
        (["kernel.cu"], "can't check kernel.cu"),
        (["KERNELS"], "FILE.py::FUNCTION"),
        (["KERNELS::missing"], "has no function or kernel missing"),
        (["KERNELS::launch_nothing"], "launched nothing"),
        (["KERNELS::copy", "--args", "x"], "argument 'x' is not NAME=VALUE"),
        (["KERNELS::copy", "--args", "x=fp17[4]"], "no dtype fp17"),
        (["KERNELS::copy", "--args", "x=some text"], "neither an array nor a Python literal"),
        (["KERNELS::copy", "--grid", "0"], "--grid 0 must be one to three positive numbers"),
        (["KERNELS::launch", "--schedules", "0"], "--schedules must be at least 1"),
    ],
)
def test_commands_that_make_no_sense(kernels, capsys, command, error):
    assert main(["check", *(word.replace("KERNELS", kernels) for word in command)]) == 2
    assert error in capsys.readouterr().err


def test_a_file_that_is_no_ttgir(tmp_path, capsys):
    path = tmp_path / "broken.ttgir"
    path.write_text("nonsense")
    assert main(["check", str(path)]) == 2
    assert "is no TTGIR that Triton" in capsys.readouterr().err


CLUSTERS = """
module attributes {"ttg.cluster-dim-x" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%n: i32 loc("n")) {
    %count = tt.get_num_programs x : i32
    %same = arith.cmpi eq, %count, %n : i32
    tt.assert %same, "count" : i1
    tt.return
  }
}
"""


def test_the_grid_of_a_kernel_with_clusters_is_in_programs(tmp_path, capsys):
    path = tmp_path / "clusters.ttgir"
    path.write_text(CLUSTERS)
    assert main(["check", str(path), "--args", "n=4", "--grid", "4"]) == 0
    assert main(["check", str(path), "--args", "n=2", "--grid", "4"]) == 1
    assert main(["check", str(path), "--args", "n=3", "--grid", "3"]) == 2
    assert "the grid (3, 1, 1) is no multiple of the kernel's clusters of (2, 1, 1)" in capsys.readouterr().err


def test_a_kernel_with_tensors_spread_over_ctas_is_only_read(tmp_path, capsys):
    path = tmp_path / "spread.ttgir"
    path.write_text(CLUSTERS.replace('num-ctas" = 1', 'num-ctas" = 2'))
    assert main(["check", str(path)]) == 0
    assert main(["check", str(path), "--args", "n=2", "--grid", "2"]) == 2
    assert "spread over 2 CTAs" in capsys.readouterr().err


def test_arguments():
    made = arguments_of(
        ["n=4", "f=0.5", "s='text'", "none=None", "x=bf16[8, 4]", "y=float32[]", "z=i64[2]@[1]"],
        lambda name, spec: spec,
    )
    assert made == {
        "n": 4,
        "f": 0.5,
        "s": "text",
        "none": None,
        "x": ArraySpec("bfloat16", (8, 4)),
        "y": ArraySpec("float32", ()),
        "z": ArraySpec("int64", (2,), (1,)),
    }
    assert made["x"].make().dtype == "bf16"
    with pytest.raises(Usage, match="no dtype complex"):
        arguments_of(["x=complex[2]"], lambda name, spec: spec)


# --- tlx.check ---


def launch(checked, **faults):
    x = TensorDescriptor.from_tensor(sim.array(np.ones((4 * ROWS, COLUMNS), np.float16)), [ROWS, COLUMNS])
    right = {
        "EMPTY_COUNT": 1,
        "BYTES": SLOT_BYTES,
        "FIRST_PARITY": 1,
        "RESET": False,
        "ARRIVE_EARLY": False,
        "ARRIVE": True,
        "WAIT_FULL": True,
        "WAIT_EMPTY": True,
        "FULL_TWICE": False,
    }
    sums = sim.array(np.zeros((1, ROWS, COLUMNS), np.float32))
    return checked[(1,)](x, sums, 1, 4, ROWS, COLUMNS, 2, 1, **right | faults)


def test_a_checked_launch_returns_what_is_no_error():
    assert [finding for finding in launch(tlx.check(ring)) if finding.severity != "note"] == []


def test_a_race_is_raised():
    with pytest.raises(RaceError, match="TLX-R001") as caught:
        launch(tlx.check(ring, schedules=2), ARRIVE_EARLY=True)
    assert caught.value.findings[0].seeds == (0, 1)


def test_a_deadlock_is_raised():
    with pytest.raises(PhaseError, match="TLX-R008"):
        launch(tlx.check(ring), EMPTY_COUNT=2)


@triton.jit
def add_one(x):
    i = tl.arange(0, 16)
    tl.store(x + i, tl.load(x + i) + 1)


def test_every_schedule_starts_from_the_same_memory():
    values = np.zeros(16, np.float32)
    assert tlx.check(add_one, schedules=5)[(1,)](sim.array(values)) == []
    assert (values == 1).all()


# --- pytest ---

TESTS = """
import sys
sys.path.insert(0, {folder!r})
from copy_kernels import launch

def test_right(tlx_check):
    launch()
    assert [f for f in tlx_check.findings if f.severity != "note"] == []

def test_wrong(tlx_check):
    launch(releases=False)
"""


def test_the_fixture_fails_a_test_that_launches_something_wrong(pytester, kernels):
    pytester.makepyfile(TESTS.format(folder=kernels.rpartition("/")[0]))
    result = pytester.runpytest_inprocess("-p", "tlx.check.pytest_plugin", "--tlx-schedules", "2")
    result.assert_outcomes(passed=2, errors=1)  # the check comes after the test
    result.stdout.fnmatch_lines(["*RaceError: error TLX-R001 race-read-write*", "*seen in schedules 0, 1*"])
