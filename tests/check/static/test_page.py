"""Every static rule is explained."""

from pathlib import Path

from tlx.check.rules_static import STATIC_RULES

PAGE = Path(__file__).parents[3] / "docs" / "check-static.md"


def test_each_rule_has_a_section():
    sections = [line.removeprefix("## ") for line in PAGE.read_text().splitlines() if line.startswith("## ")]
    assert sections == [f"{rule.id} {rule.name}" for rule in sorted(STATIC_RULES.values(), key=lambda rule: rule.id)]
