"""Fixtures shared by the tests of reports."""

import pytest

from nstar._verbs.verdict import Criteria
from nstar.report.page import _rules, comparison


@pytest.fixture
def own_rules_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build a page with the rules of its result only; other rules take most of the time."""

    def level(rule: Criteria) -> tuple[float, ...]:
        return (rule.alpha,)

    def power(rule: Criteria) -> tuple[float, ...]:
        return (rule.power,)

    for module in (_rules, comparison):
        monkeypatch.setattr(module, "level_choices", level)
        monkeypatch.setattr(module, "power_choices", power)
