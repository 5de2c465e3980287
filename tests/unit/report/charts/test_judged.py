"""The three ways of using a judge, drawn one below the other."""

from pathlib import Path

import pytest

from nstar import Judged, compare_judged
from nstar.errors import ParameterError
from nstar.report.charts import figure, kinds
from nstar.report.page.plain import page

EXAMPLE = Path(__file__).parents[4] / "examples" / "judged.csv"


@pytest.fixture(scope="module")
def found() -> Judged:
    return compare_judged(EXAMPLE, judge="verdict", label="human")


def test_the_answer_comes_first_and_the_judge_last(found: Judged) -> None:
    drawn = figure(found)
    assert drawn.title == "alpha − beta, by source"
    rows = [(row[0], row[-1]) for row in drawn.table.rows]
    assert rows == [
        ("judge and labels", "better"),
        ("labels alone", "better"),
        ("judge alone", "inconclusive"),
    ]
    assert (
        "3 gaps, from +3.1 pp to +14.0 pp, with intervals; 2 better, 1 inconclusive" in drawn.alt
    )


def test_the_page_shows_it(found: Judged) -> None:
    shown = page(found)
    assert shown.count('class="nf"') == 1
    assert "The first row is used" in shown


def test_names_of_strangers_are_text(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace("alpha,", "<script>x</script>,")
    bad = tmp_path / "bad.csv"
    bad.write_text(text, encoding="utf-8")
    found = compare_judged(bad, judge="verdict", label="human")
    assert "<script>" not in figure(found).svg


def test_there_is_one_kind(found: Judged) -> None:
    assert kinds(found) == ("forest",)
    with pytest.raises(ParameterError, match="kind must be forest for Judged"):
        figure(found, "groups")
