"""`docs/check.md`: every rule is explained, and its example breaks it in every schedule."""

import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest
from triton.experimental.gluon._runtime import GluonJITFunction

from tests.check.mutation.run import Subject
from tests.check.rows.row import ARGUMENTS
from tests.language.case import Case
from tlx.check import checking
from tlx.check.rules import PEER_GONE, PEER_NOT_READY, RULES

PAGE = (Path(__file__).parents[2] / "docs" / "check.md").read_text()
SECTIONS = {match[1]: match[2] for match in re.finditer(r"^## (TLX-R\d+ .+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)}
SEEDS = range(5)

HEADER = """\
import triton.experimental.gluon.language as gl
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

import tlx
from tests.sim.gluon_kernels import tma_store
"""


def test_each_rule_has_a_section():
    assert list(SECTIONS) == [f"{rule.id} {rule.name}" for rule in RULES.values()]
    assert all("\nFix: " in text for text in SECTIONS.values())


LEFT_OUT = {PEER_NOT_READY: 0, PEER_GONE: -1}
"""The sync of the cluster that an example is without."""


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule not in LEFT_OUT], ids=lambda rule: rule.id)
def test_the_example_breaks_the_rule(rule, tmp_path, monkeypatch):
    kernel, marked = example(rule, tmp_path, monkeypatch)
    gluon = isinstance(kernel, GluonJITFunction)
    for seed in SEEDS:
        arguments = {name: ARGUMENTS[name](gluon) for name in inspect.signature(kernel.fn).parameters}
        with checking(seed=seed, schedules=1) as checker:
            kernel[(2,)](**arguments, num_warps=4)
        found = [finding for finding in checker.findings if finding.rule is rule]
        assert found, [finding.message for finding in checker.findings]
        assert marked & {place.line for f in found for place in (f.location, f.other_location)}


@pytest.mark.parametrize("rule", LEFT_OUT, ids=lambda rule: rule.id)
def test_the_example_breaks_the_rule_without_a_sync_that_tlx_adds(rule, tmp_path, monkeypatch):
    kernel, marked = example(rule, tmp_path, monkeypatch)
    subject = Subject(Case(rule.name, kernel, {"n": 4}, {}, grid=2, options={"ctas_per_cga": (2, 1, 1)}))
    assert subject.dynamic(0) == ()
    for name in ("nvvm.cluster.arrive", "nvvm.cluster.wait"):
        left_out = [op for op in subject.module.walk() if op.name == name][LEFT_OUT[rule]]
        left_out.parent.ops.remove(left_out)
    for seed in SEEDS:
        found = [finding for finding in subject.findings(seed) if finding.rule is rule]
        assert {finding.location.line for finding in found} == marked


def example(rule, folder: Path, monkeypatch):
    """The kernel of a rule's section, from a file: Triton reads its source there. Also the numbers of marked lines."""
    (code,) = re.findall(r"```python\n(.*?)```", SECTIONS[f"{rule.id} {rule.name}"], re.S)
    path = folder / f"{rule.name.replace('-', '_')}.py"
    text = f"{HEADER}\n\n{code}"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module.example, {number for number, line in enumerate(text.splitlines(), 1) if "  # <- " in line}


def test_the_record_has_the_documented_fields():
    from tests.check.test_report import finding
    from tlx.check.records import report_record

    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    record = report_record([finding()], 1)
    assert documented == record.keys() | record["findings"][0].keys()
