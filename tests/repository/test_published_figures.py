"""docs/published-figures.md: current, and its key figures as they were found by other means."""

from types import ModuleType
from typing import Any

import pytest

from helpers.scripts_as_modules import loaded


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("published_figures")


@pytest.fixture(scope="module")
def documents(script: ModuleType) -> list[Any]:
    return list(script.build())


def test_page_is_current(script: ModuleType, documents: list[Any]) -> None:
    assert script.PAGE.read_text(encoding="utf-8") == script.page(documents)


def test_verdicts(script: ModuleType, documents: list[Any]) -> None:
    assert script.verdicts(documents) == {
        "right": 55,
        "wrong": 43,
        "inconsistent": 10,
        "impossible": 6,
        "misattributed": 3,
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verdict": "right"}, "expected right, found not right"),
        ({"values": {"k_factor() ** 2": 7.5}}, "expected 7.5, found .7.84"),
    ],
)
def test_an_unexpected_result_is_an_error(
    script: ModuleType, changes: dict[str, Any], message: str
) -> None:
    texts = dict.fromkeys(("source", "quantity", "printed", "nstar", "why"), "x")
    row = texts | {"verdict": "wrong", "check": "v[0] < 7", "values": {"k_factor() ** 2": 7.84888}}
    assert script.compute_row("x", dict(row)).values == pytest.approx((7.84888,), rel=1e-5)
    with pytest.raises(AssertionError, match=message):
        script.compute_row("x", row | changes)


# what other software gave, to the digits it printed
KEY_FIGURES = [
    ("pairwise", "items, accuracy 70%, gap 1.0 pp, rho 0.4", "9,888", "19779"),
    ("pairwise", "items, accuracy 70%, gap 0.5 pp, rho 0.0", "65,920", "131861"),
    ("pairwise", "detectable gap on 1,000 items, rho 0.5", "2 to 3 pp", "0.0406"),
    ("pairwise", "items, gap 1 pp, rho from 0.7 to 0.4", "3,800 to 9,600", "9890 19779"),
    ("pairwise", "table against calculator, 71.0% against 70.0%, rho 0.0", "16,480", "32643.5"),
    ("216", "detectable gain, 216 tasks, baseline 74%", "+10.9 pp", "0.1087 0.0790"),
    ("216", "two-sided p of -2.34 [-11.09, +6.20]", "0.71", "0.60 0.70"),
    ("resolution", "growth of N* by Bonferroni over 40 pairs", "~2.11", "2.109"),
    ("resolution", "growth of N* by Bonferroni over 9 pairs", "~2.11", "1.665"),
    ("resolution", "1 + (mean size - 1) ICC, 14 subjects, ICC 0.036", "31.5", "31.90"),
    ("resolution", "design effect of the mean over items, ICC 0.036", "31.5", "35.42"),
    ("embeddings", "least number of pairs, gap 0.01, rho 0.8", "500-1000", "455"),
    ("embeddings", "power with 150 pairs, gap 0.015, rho 0.75", "0.45 to 0.55", "0.5758"),
    ("agents", "tasks per agent, 70% against 75%", "780", "1250.7"),
    ("agents", "tasks per agent, 50% against 55%", "780", "1564.7"),
    ("agents", "tasks per agent, 90% against 95%", "435", "434.4"),
    ("agents", "tasks per agent, 10% against 15%", "435", "685.6"),
    ("agents", "McNemar, odds ratio 1.5, discordance 0.2", "157.0 (its formula)", "978.7"),
    ("agents", "continuity correction adds, 70% against 75%", "1/Δp = 20", "39.7"),
    ("agents", "the same for paired tasks, gap 5 pp, discordance 0.2", "1/Δp = 20", "622 660"),
    (
        "agents",
        "items saved on average by five looks, gap 1.5 and 2 times the planned",
        "30-50% when effects are large",
        "0.18 0.38 0.51 -0.02",
    ),
]


@pytest.mark.parametrize(("key", "quantity", "printed", "expected"), KEY_FIGURES)
def test_key_figures(
    documents: list[Any], key: str, quantity: str, printed: str, expected: str
) -> None:
    (row,) = (r for d in documents if d.key == key for r in d.rows if r.quantity == quantity)
    assert row.printed == printed
    for value, text in zip(row.values, expected.split(), strict=True):
        decimals = len(text.partition(".")[2])
        assert f"{value:.{decimals}f}" == text


def test_every_row_has_a_place_and_a_value(documents: list[Any]) -> None:
    assert len(documents) == 12
    for document in documents:
        assert len({row.quantity for row in document.rows}) == len(document.rows)
        for row in document.rows:
            assert row.source
            assert row.values
