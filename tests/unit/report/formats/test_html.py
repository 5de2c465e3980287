"""The fragment for notebooks: words to the left, numbers to the right, a curve that is drawn."""

import re
from dataclasses import replace

import pytest

from helpers.nasty import IN_MARKUP, check_html
from nstar._base.visible import all_visible
from nstar.report.documents import Document, TextChart, TextTable
from nstar.report.formats.curve_svg import draw_svg
from nstar.report.formats.html import render_html

CHART = TextChart(
    title="Power, by items",
    x=(100.0, 300.0, 500.0),
    y=(0.1, 0.6, 0.95),
    x_labels=("100", "500"),
    mark=(400.0, "400"),
    level=(0.8, "80%"),
)


def shown(*columns: tuple[str, ...]) -> list[str]:
    """To which side the cells of the first row go."""
    rows = tuple(zip(*columns, strict=True))
    grid = TextTable(title="t", header=tuple("h" for _ in columns), rows=rows)
    first = render_html(Document(headline="x", grids=(grid,))).partition("<tbody>")[2]
    return re.findall(r"text-align:(\w+)", first)[: len(columns)]


def test_words_stand_left_and_numbers_right() -> None:
    words, numbers = ("alpha", "beta", "7b"), ("+4.25 pp", "–", "")
    assert shown(words, numbers, ("1", "2", "endless")) == ["left", "right", "right"]
    assert shown(("", "", "")) == ["right"]


def test_the_answer_comes_first_and_no_color_is_named() -> None:
    grid = TextTable(title="t", header=("h",), rows=(("1",),), marked=0, lines=(0,))
    said = render_html(Document(headline="Yes.", grids=(grid,), chart=CHART, notes=("n",)))
    assert check_html(said).split()[0] == "Yes."
    assert not re.search(r"#[0-9a-f]{3}|rgb|background|(?<!current)color:", said, re.IGNORECASE)


def test_a_table_without_rows_keeps_its_head() -> None:
    grid = TextTable(title="t", header=("model", "n"), rows=())
    assert render_html(Document(headline="x", grids=(grid,))).count("<th ") == 2


def test_a_second_curve_is_dashed() -> None:
    one, two = draw_svg(CHART), draw_svg(replace(CHART, also=(0.9, 0.5, 0.2)))
    assert two.count("<path") == one.count("<path") + 1


@pytest.mark.parametrize(("at", "lines"), [(300.0, 1), (110.0, 2), (495.0, 2)])
def test_the_mark_never_covers_an_end(at: float, lines: int) -> None:
    below = re.findall(r'y="(1[3-9]\d[.\d]*)"', draw_svg(replace(CHART, mark=(at, "about 300"))))
    assert len(below) == 3
    assert len(set(below)) == lines


def test_a_level_near_an_end_takes_its_place() -> None:
    assert "0%" in check_html(draw_svg(CHART)).split("80%")[0]
    assert ">100%<" not in draw_svg(replace(CHART, level=(0.99, "99%")))


@pytest.mark.parametrize("said", IN_MARKUP)
def test_labels_are_escaped(said: str) -> None:
    if all_visible(said):  # other characters are replaced before a chart is drawn
        check_html(draw_svg(replace(CHART, title=said, mark=(300.0, said), level=(0.5, said))))
