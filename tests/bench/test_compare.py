import io
import json
import math

import numpy as np
from rich.console import Console

from tlx.bench import Launch, Problem, compare, table

ONES = np.ones((2, 2))


class FakeTimer:
    """Logs what is prepared and measured; times come from `us`, by candidate."""

    def __init__(self, us):
        self.us, self.log = us, []

    def prepare(self, run):
        name = run.__name__
        self.log.append(f"prepare {name}")
        return Launch(run=lambda: name, method="events")

    def measure(self, launch):
        name = launch.run()
        self.log.append(name)
        return self.us[name].pop(0)


def named(name, array=ONES):
    """A candidate that returns the array and that the fake timer knows by name."""

    def run():
        return array

    run.__name__ = name
    return run


def problem(candidates, **facts):
    return Problem("2x2", candidates, ONES, **{"tolerance": 0, **facts})


def test_candidates_take_turns():
    timer = FakeTimer({"a": [1.0, 3.0, 2.0], "b": [10.0, 10.0, 40.0]})
    result = compare(problem({"a": named("a"), "b": named("b")}), timer=timer, rounds=3)
    assert timer.log == ["prepare a", "prepare b", "a", "b", "a", "b", "a", "b"]
    assert result["a"].us.median == 2.0
    assert result["b"].us.median == 10.0
    assert result["a"].us.count == 3


def test_rates_and_ratio():
    timer = FakeTimer({"a": [2.0], "b": [8.0]})
    work = problem({"a": named("a"), "b": named("b")}, flops=6_000_000, bytes_moved=4_000)
    result = compare(work, timer=timer, rounds=1)
    assert result.tflops("a") == 3.0
    assert result.gbps("a") == 2.0
    assert result.ratio("a", "b") == 4.0


def test_wrong_and_failing_candidates_are_reported_and_not_timed():
    def fails():
        raise RuntimeError("no such kernel")

    timer = FakeTimer({"good": [1.0]})
    candidates = {"wrong": named("wrong", ONES * 1.5), "fails": fails, "good": named("good")}
    result = compare(problem(candidates, tolerance=0.25), timer=timer, rounds=1)
    assert not result.correct
    assert result["wrong"].error == 0.5
    assert result["fails"].failure == "RuntimeError: no such kernel"
    assert result["good"].correct
    assert timer.log == ["prepare good", "good"]


def test_an_element_nobody_writes_is_wrong():
    output = np.ones((2, 2), dtype=np.float32)  # right by luck, were it not poisoned

    def writes_three():
        output[0], output[1, 0] = 1, 1
        return output

    def writes_all():
        output[...] = 1
        return output

    result = compare(problem({"three": writes_three, "all": writes_all}, outputs=(output,)))
    assert result["three"].error == math.inf
    assert not result["three"].correct
    assert result["all"].correct


def test_counts_are_read_after_each_candidate():
    runs = []
    candidates = {"a": lambda: runs.append(0) or ONES, "b": lambda: runs.append(0) or ONES}
    result = compare(problem(candidates), observe=lambda: {"launches": len(runs)})
    assert result["a"].counts == {"launches": 1}
    assert result["b"].counts == {"launches": 2}


def test_record_is_json():
    work = problem({"a": named("a")}, flops=4_000_000)
    record = compare(work, timer=FakeTimer({"a": [2.0]}), rounds=1).to_dict()
    record = json.loads(json.dumps(record))
    assert set(record) == {"title", "measurements", "tolerance", "flops", "bytes_moved", "environment", "clocks"}
    assert record["measurements"] == [
        {
            "name": "a",
            "error": 0.0,
            "correct": True,
            "failure": "",
            "us": {"median": 2.0, "p20": 2.0, "p80": 2.0, "mad": 0.0, "count": 1},
            "samples": [2.0],
            "method": "events",
            "counts": {},
            "tflops": 2.0,
            "gbps": None,
        }
    ]
    assert set(record["environment"]) == {"python", "tlx", "triton", "torch", "gpu", "driver", "cuda"}


def test_infinite_error_is_still_json():
    record = compare(problem({"a": lambda: ONES * math.nan})).to_dict()
    assert json.loads(json.dumps(record, allow_nan=False))["measurements"][0]["error"] is None


CANDIDATES = {"a": named("a"), "b": named("b"), "c": named("c", ONES * 3)}


def lines(result):
    """The table's body, the words of each line."""
    console = Console(width=80, file=io.StringIO())
    console.print(table([result], baseline="b"))
    return [line.split() for line in console.file.getvalue().splitlines() if line.strip()][2:]


def test_table_of_times():
    timer = FakeTimer({"a": [2.0, 2.0], "b": [7.0, 9.0]})
    assert lines(compare(problem(CANDIDATES, flops=6_000_000), timer=timer, rounds=2)) == [
        ["2x2"],
        ["a", "0.0e+00", "ok", "2.0", "±0.0%", "3.0", "-", "4.000"],
        ["b", "0.0e+00", "ok", "8.0", "±7.5%", "0.8", "-", "1.000"],
        ["c", "2.0e+00", "WRONG", "-", "-", "-", "-"],
    ]


def test_table_of_counts():
    assert lines(compare(problem(CANDIDATES), observe=lambda: {"mma": 12345})) == [
        ["2x2"],
        ["a", "0.0e+00", "ok", "12,345"],
        ["b", "0.0e+00", "ok", "12,345"],
        ["c", "2.0e+00", "WRONG", "12,345"],
    ]
