"""What is written: JSON that Perfetto reads, PNG, and the command."""

import itertools
import json
import sys
from collections import defaultdict

import numpy as np
import pytest
import triton.language as tl

import tlx
from tests.trace.rings import traced
from tlx import sim
from tlx.__main__ import main
from tlx.trace import MatplotlibMissing, UnknownFormat

KERNEL = """
import triton.language as tl
import tlx

@tlx.jit
def copy(x, y, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0), mask=i < n)

def nothing():
    pass
"""


@tlx.jit
def doubled(x, SIZE: tl.constexpr):
    places = x + tl.arange(0, SIZE)
    tl.store(places, 2 * tl.load(places))


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "ring.json"
    traced(2).save(path)
    return json.loads(path.read_text())["traceEvents"]


def test_spans_of_a_thread_do_not_overlap(events):
    threads = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert event["ts"] >= 0 and event["dur"] > 0
            threads[event["tid"]].append(event)
    for spans in threads.values():
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-9 for a, b in itertools.pairwise(spans))


def test_threads_are_named(events):
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert names == {0: "default", 1: "partition0", 2: "TMA loads", 3: "TMA loads"}
    assert {e["tid"] for e in events if e["ph"] == "X"} == set(names)


def test_flows_come_in_pairs_that_lie_in_spans(events):
    flows = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            flows[event["id"]][event["ph"]] = event
    assert flows
    spans = [event for event in events if event["ph"] == "X"]
    for pair in flows.values():
        assert set(pair) == {"s", "f"}
        assert pair["s"]["ts"] <= pair["f"]["ts"]
        assert pair["f"]["bp"] == "e"
        for end in pair.values():
            inside = [s for s in spans if s["tid"] == end["tid"] and s["ts"] <= end["ts"] < s["ts"] + s["dur"]]
            assert len(inside) == 1


def test_a_wait_has_its_arrivals(events):
    """A phase of `full` has one arrival by the producer and one of bytes; one of `empty` has one by the consumer."""
    spans = [event for event in events if event["ph"] == "X"]

    def holder(flow):
        (span,) = [s for s in spans if s["tid"] == flow["tid"] and s["ts"] <= flow["ts"] < s["ts"] + s["dur"]]
        return span["name"]

    sources = {e["id"]: holder(e) for e in events if e["ph"] == "s"}
    into = defaultdict(list)
    for event in events:
        if event["ph"] == "f":
            into[holder(event)].append(sources[event["id"]])
    assert sorted(into["wait full[1] phase 2"]) == ["TMA load slots[1]", "arrive full[1]"]
    assert into["wait empty[1] phase 0"] == ["arrive empty[1]"]
    assert "wait empty[1] phase -1" not in into


def test_spans_name_their_line(events):
    (source,) = {e["args"]["source"].rpartition(":")[0] for e in events if e["name"] == "TMA load slots[0]"}
    assert source.endswith("tests/check/rings.py")


def test_the_same_twice(tmp_path):
    for name in ("a.json", "b.json"):
        traced(3).save(tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_png(tmp_path):
    pytest.importorskip("matplotlib")
    traced(2).save(tmp_path / "ring.png")
    assert (tmp_path / "ring.png").read_bytes().startswith(b"\x89PNG")


def test_a_png_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MatplotlibMissing, match="not installed") as caught:
        traced(1).save(tmp_path / "ring.png")
    assert "triton-tlx[plots]" in caught.value.hint


def test_another_suffix(tmp_path):
    with pytest.raises(UnknownFormat, match=r"ring\.svg"):
        traced(1).save(tmp_path / "ring.svg")


@pytest.fixture
def kernels(tmp_path):
    (tmp_path / "copies.py").write_text(KERNEL)
    return tmp_path / "copies.py"


def test_the_command_traces_a_kernel(kernels, tmp_path, capsys):
    out = tmp_path / "copy.json"
    arguments = ["--args", "x=fp32[256]", "y=fp32[256]", "n=200", "SIZE=128", "--grid", "2", "--program", "1"]
    assert main(["trace", f"{kernels}::copy", *arguments, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "copy, program (1, 0, 0)" in printed
    assert "default" in printed
    names = {event["name"] for event in json.loads(out.read_text())["traceEvents"] if event["ph"] == "X"}
    assert {"load", "store"} <= names


def test_the_command_traces_ttgir(tmp_path, capsys):
    path, out = tmp_path / "doubled.ttgir", tmp_path / "doubled.json"
    with tlx.simulating():
        x = sim.array(np.zeros(128, np.float32))
        path.write_text(doubled[(1,)](x, SIZE=128).asm["ttgir"])
    assert main(["trace", str(path), "--args", "x=fp32[128]", "--out", str(out)]) == 0
    assert "doubled, program (0, 0, 0)" in capsys.readouterr().out
    spans = [event["name"] for event in json.loads(out.read_text())["traceEvents"] if event["ph"] == "X"]
    assert [name for name in spans if name != "registers"] == ["load", "store"]


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("copy", ["--program", "4"], "program (4, 0, 0) ran in no launch"),
        ("nothing", [], "ran in no launch"),
        ("missing", [], "no function or kernel missing"),
        ("copy", ["--program", "x"], "--program x"),
        ("copy", ["--grid", "0"], "--grid 0"),
    ],
)
def test_commands_that_make_no_sense(kernels, capsys, target, options, words):
    arguments = ["--args", "x=fp32[256]", "y=fp32[256]", "n=200", "SIZE=128"] if target == "copy" else []
    assert main(["trace", f"{kernels}::{target}", *arguments, *options]) == 2
    assert words in capsys.readouterr().err


def test_a_file_that_is_neither(capsys):
    assert main(["trace", "copies.txt"]) == 2
    assert "can't trace copies.txt" in capsys.readouterr().err
