"""docs/reference/results.md: a quantity has one name in every result."""

from pathlib import Path

import pytest

from helpers.scripts_as_modules import loaded

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "results.md"


def test_the_page_is_current() -> None:
    assert loaded("result_names").table() in PAGE.read_text(encoding="utf-8")


def test_another_name_for_a_quantity_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"the JSON key 'tasks\.stderr' must be named 'se'"):
        loaded("result_names").check_names("Comparison", {"tasks.se", "tasks.stderr"})
