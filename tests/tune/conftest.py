"""A database of each test's own, and a lab whose answers are written down."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tlx import sim
from tlx.bench.compare import Measurement
from tlx.tune import tuning
from tlx.tune.database import Database
from tlx.tune.work.bench import Checked
from tlx.tune.work.compiling import Compiled


@pytest.fixture(autouse=True)
def database_path(tmp_path, monkeypatch):
    path = tmp_path / "tune.db"
    monkeypatch.setenv("TLX_DB", str(path))
    return path


@pytest.fixture(autouse=True)
def simulated():
    with sim.simulating():
        yield


@pytest.fixture
def query(database_path):
    """Asks the database."""

    def ask(sql, *parameters):
        database = Database(database_path)
        try:
            return [tuple(row.values()) for row in database.query(sql, parameters)]
        finally:
            database.close()

    return ask


GPU = {"name": "NVIDIA H200", "arch": 90, "driver": "580.1", "unit": "us"}


@pytest.fixture
def save_times(database_path, monkeypatch):
    """Saves a comparison as `tlx compare --save` does on a GPU, with twelve samples around each candidate's time."""
    from tlx.tune.questions import comparison

    monkeypatch.setattr(comparison, "current_device", lambda: save.device)
    software = {"triton": "3.6.0", "torch": "2.11.0", "cuda": "13.0", "flags": "{}"}
    monkeypatch.setattr(comparison, "current_software", lambda: save.software)

    def save(title, operation="op", folder=Path("/nowhere"), flops=8_000_000, nbytes=2000, **microseconds):
        """A candidate's time, or None where it is wrong, by its name."""
        module = SimpleNamespace(__name__=f"k.{operation}.problem", __file__=str(folder / "problem.py"))
        measurements = [
            Measurement(name, 0.5, False)
            if us is None
            else Measurement(name, 0.0, True, samples=tuple(us + shift for shift in (-0.1, 0.0, 0.1) * 4))
            for name, us in microseconds.items()
        ]
        facts = {"title": title, "flops": flops, "bytes_moved": nbytes, "tolerance": 0.1}
        database = Database(database_path)
        comparison.save(database, module, SimpleNamespace(**facts, measurements=measurements))
        database.close()

    save.device, save.software = GPU, software
    return save


@pytest.fixture
def arrays():
    """x = 0, 1, ... and y = 0, of 1000 elements."""
    return sim.array(np.arange(1000), "float32"), sim.array(np.zeros(1000), "float32")


@pytest.fixture
def lab(monkeypatch):
    """What the lab was asked for, as (what, BLOCK); `answers` has what it says by (what, BLOCK), if not the usual."""

    class FakeLab:
        log: list = []
        answers: dict = {}

        def __init__(self, launch, hooks, rules, limits):
            self.log.append(("open", None))

        def _ask(self, what, candidate, usual):
            block = candidate.values["BLOCK"]
            self.log.append((what, block))
            answer = self.answers.get((what, block), usual)
            if isinstance(answer, BaseException):
                raise answer
            return answer

        def compile(self, candidates, done, over=None):
            for candidate in candidates:
                done(candidate, self._ask("compile", candidate, Compiled(1024, 32, 0, 0.5, frozenset({"y"}))))

        def check(self, candidate):
            return self._ask("check", candidate, Checked(0.0, None, None))

        def measure(self, candidate):
            return self._ask("measure", candidate, float(candidate.values["BLOCK"]))

        def forget(self, candidate):
            self._ask("forget", candidate, None)

        def close(self):
            self.log.append(("close", None))

        @classmethod
        def asked(cls, what):
            """The blocks that it was asked for, once each."""
            return list(dict.fromkeys(block for kind, block in cls.log if kind == what))

    monkeypatch.setattr(tuning, "Lab", FakeLab)
    return FakeLab
