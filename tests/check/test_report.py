"""How findings are shown, raised and written down."""

import json
import pickle

import pytest

from tests.check.rings import ring, run
from tests.check.rows import ROWS
from tlx.check import ERROR, WARNING, CheckError, Finding, LifetimeError, PhaseError, RaceError
from tlx.check.errors import raise_errors
from tlx.check.gather import Gathered
from tlx.check.records import report_record
from tlx.check.rules import DEADLOCK, LEFTOVER_PHASE, RACE_READ_WRITE, RULES
from tlx.check.text import heading, plain
from tlx.source import Location

LINE = ring.fn.__code__.co_firstlineno


def finding(rule=RACE_READ_WRITE, message="it is wrong", line=LINE, **fields) -> Finding:
    return Finding(rule, message, Location(ring.fn.__code__.co_filename, line, 5), **fields)


def test_both_lines_with_carets_and_groups_then_the_hint():
    text = plain(run(ARRIVE_EARLY=True, schedules=3)[0])
    lines = text.splitlines()
    assert lines[0].startswith("error TLX-R001 race-read-write: the read of slots[0] by default at line ")
    assert "the last that the TMA load of partition0 knows of default is `barrier_arrive(empty[0])`" in lines[0]
    assert lines[1].endswith("(default)")
    assert lines[2].endswith("# consumer reads")
    assert lines[3].strip() == "^"
    assert lines[4].endswith("(the TMA load of partition0)")
    assert lines[5].endswith("# producer loads")
    assert lines[6].strip() == "^"
    assert lines[7:] == [
        "help: move `barrier_arrive(empty[0])` behind the access, or wait for a later arrival",
        "seen in schedules 0, 1, 2",
    ]


def test_a_mistake_is_listed_once_with_its_schedules():
    gathered = Gathered()
    gathered.add(finding(LEFTOVER_PHASE), 0)
    for seed in (4, 2, 4):
        gathered.add(finding(slot=seed), seed)
    gathered.add(finding(line=LINE + 1), None)
    assert [(f.id, f.slot, f.seeds) for f in gathered.findings] == [
        ("TLX-R001", 4, (4, 2)),
        ("TLX-R001", None, ()),
        ("TLX-R012", None, (0,)),
    ]


@pytest.mark.parametrize(
    ("rule", "family"),
    [(rule, RaceError) for rule in ("race-read-write", "missing-proxy-fence", "global-race")]
    + [(rule, PhaseError) for rule in ("early-arrival", "missable-phase", "stale-wait", "deadlock", "barrier-misuse")]
    + [(rule, LifetimeError) for rule in ("uninitialized-read", "engine-in-flight", "result-used-early")]
    + [(rule, CheckError) for rule in ("out-of-bounds", "launch-failed")],
)
def test_errors_are_raised_by_family(rule, family):
    (broken,) = [value for value in RULES.values() if value.name == rule]
    warning = finding(LEFTOVER_PHASE, "left")
    with pytest.raises(CheckError) as caught:
        raise_errors([warning, finding(broken)])
    assert type(caught.value) is family
    assert [f.rule for f in caught.value.findings] == [broken, LEFTOVER_PHASE]
    assert caught.value.location.line == LINE
    assert str(caught.value).startswith(f"error {broken.id} {rule}: it is wrong")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.findings) == (family, caught.value.findings)


def test_warnings_are_not_raised():
    raise_errors([finding(LEFTOVER_PHASE)])
    raise_errors([])


def test_ids_are_stable():
    assert {rule.name: id for id, rule in RULES.items()} == {
        "race-read-write": "TLX-R001",
        "race-write-write": "TLX-R002",
        "missing-proxy-fence": "TLX-R003",
        "early-arrival": "TLX-R004",
        "missable-phase": "TLX-R005",
        "stale-wait": "TLX-R006",
        "over-arrival": "TLX-R007",
        "deadlock": "TLX-R008",
        "uninitialized-read": "TLX-R009",
        "engine-in-flight": "TLX-R010",
        "result-used-early": "TLX-R011",
        "leftover-phase": "TLX-R012",
        "barrier-misuse": "TLX-R013",
        "out-of-bounds": "TLX-R014",
        "global-race": "TLX-R015",
        "row-overrun": "TLX-R016",
        "launch-failed": "TLX-R017",
        "barrier-unused": "TLX-R018",
        "peer-not-ready": "TLX-R019",
        "peer-gone": "TLX-R020",
        "bad-descriptor": "TLX-R021",
    }
    assert {rule.name for rule in RULES.values() if rule.severity != ERROR} == {
        "leftover-phase",
        "row-overrun",
        "barrier-unused",
    }


def test_a_record():
    location = finding().location
    found = finding(
        DEADLOCK,
        "default waits",
        group="default",
        buffer="full",
        slot=1,
        phase=2,
        hint="don't",
        program_id=(0, 1, 0),
        seeds=(3,),
    )
    record = report_record([found, finding(LEFTOVER_PHASE)], 4)
    assert json.loads(json.dumps(record)) == record
    assert (record["schema"], record["schedules"], record["clean"]) == (1, 4, False)
    assert record["counts"] == {"error": 1, "warning": 1, "note": 0}
    assert record["findings"][0] == {
        "id": "TLX-R008",
        "rule": "deadlock",
        "severity": "error",
        "title": "no warp group can go on",
        "message": "default waits",
        "hint": "don't",
        "location": {
            "file": location.file,
            "line": LINE,
            "column": 5,
            "source": "@tlx.jit",
            "callers": [],
        },
        "other_location": None,
        "group": "default",
        "other_group": "",
        "buffer": "full",
        "slot": 1,
        "phase": 2,
        "program_id": [0, 1, 0],
        "seeds": [3],
    }
    assert report_record([finding(LEFTOVER_PHASE)], 1)["clean"] is True


def test_a_heading():
    assert heading(finding(LEFTOVER_PHASE, "full[0] ends")) == "warning TLX-R012 leftover-phase: full[0] ends"
    assert LEFTOVER_PHASE.severity == WARNING


def test_every_error_points_at_a_line_and_says_what_to_do():
    for each in ROWS:
        for found in each.run(fixed=False, seed=0):
            assert found.location.known, found.message
            assert found.hint or found.id.startswith("TLX-S"), found.message
