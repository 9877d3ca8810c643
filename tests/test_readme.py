"""The README's programs run, and what it says of them is true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parent.parent
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)


def run_simulated(program, folder):
    """Runs it as a user's file, in the simulator."""
    path = folder / "program.py"
    path.write_text(program)
    environment = {**os.environ, "TLX_BACKEND": "sim", "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=120)


def test_there_is_one_program():
    assert len(PROGRAMS) == 1


def test_program_runs(tmp_path):
    answer = run_simulated(PROGRAMS[0], tmp_path)
    assert answer.returncode == 0, answer.stderr


def test_without_the_arrive_the_deadlock_is_reported(tmp_path):
    lines = [line for line in PROGRAMS[0].splitlines() if "barrier_arrive" not in line]
    assert len(lines) == len(PROGRAMS[0].splitlines()) - 1
    answer = run_simulated("\n".join(lines), tmp_path)
    assert answer.returncode == 1
    assert "DeadlockError" in answer.stderr
    for words in ["empty[0], parity 0", "full[0], parity 1", "tlx.barrier_wait(empty[slot], phase ^ 1)"]:
        assert words in answer.stderr, answer.stderr


def checked(program):
    """The program with its launch checked, and what that gives printed."""
    assert program.count("scale[(") == 1
    launch = next(line for line in program.splitlines() if line.startswith("scale[("))
    return program.replace(launch, f"print({launch.replace('scale[', 'tlx.check(scale)[')})")


def test_the_check_finds_nothing(tmp_path):
    answer = run_simulated(checked(PROGRAMS[0]), tmp_path)
    assert (answer.returncode, answer.stdout) == (0, "[]\n"), answer.stderr


def test_without_the_wait_the_check_finds_the_race(tmp_path):
    wait = "                tlx.barrier_wait(full[slot], phase)\n"
    assert PROGRAMS[0].count(wait) == 1
    answer = run_simulated(checked(PROGRAMS[0].replace(wait, "")), tmp_path)
    assert answer.returncode == 1
    assert "race-read-write" in answer.stderr, answer.stderr
