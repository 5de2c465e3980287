"""LaTeX: a ranking as papers print it, and any text as plain characters."""

import re
from dataclasses import replace

import numpy as np
import pytest

from helpers import nasty
from helpers.boards import board, scores
from nstar import audit, claim, compare, plan, selfcheck
from nstar._verbs.plan import Design, PairedRho
from nstar.report import render
from nstar.report.documents import Document, TextTable
from nstar.report.formats.latex import render_latex, tex


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def lines(text: str) -> list[str]:
    """The first table."""
    return text.split(r"\toprule")[1].split(r"\bottomrule", maxsplit=1)[0].strip().splitlines()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5% #1", r"a\_b \& 5\% \#1"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("−0.3 ≥ α² … 1–2 ×", r"$-$0.3 $\geq$ $\alpha$$^{2}$ \ldots{} 1--2 $\times$"),
        ("--out ,,x", r"-{}-out ,{},x"),
        ("[2cm]*", "{[}2cm{]}{*}"),
        ("naïve Müller ßø", r"na{\"{i}}ve M{\"{u}}ller \ss{}\o{}"),
        ("e\u0301", r"{\'{e}}"),
        ("模", "{[}U+6A21{]}"),
        ("a\n\n b", "a b"),
    ],
)
def test_characters(text: str, expected: str) -> None:
    assert tex(text) == expected


def test_a_ranking_as_papers_print_it() -> None:
    found = audit(board(scores(2, models=7)), pairs="all")
    text = render(found, "latex")
    nasty.check_latex(text)
    first = lines(text)
    interval = "adjusted 95\\% CI"
    header = re.sub(r"\\shortstack\[r\]\{(.*?)\}", r"\1", first[0]).replace(r"\\", " ").strip()
    assert header == (
        f"rank & rank range & ties & model & score \\% & gap to next (pp) & {interval} & verdict"
    )
    assert first[1] == r"\midrule"
    body = [line for line in first[2:] if line != r"\midrule"]
    assert len(body) == 7
    assert [line.split(" & ")[3] for line in body] == list(found.ranking.model)
    assert len(first) - 2 - len(body) == int(found.ranking.tier[-1]) - 1
    assert "models that share a letter do not differ significantly." in text
    assert r"\label{tab:audit}" in text
    full = render(found, "latex", level="full")
    assert "which is not evidence of equality" in full
    assert "step-down max-T" in full


def test_tier_lines_stand_between_the_tiers() -> None:
    found = audit(board(scores(2, models=7)))
    rows = lines(render(found, "latex"))[2:]
    starts = [
        sum(r != r"\midrule" for r in rows[:k]) for k, r in enumerate(rows) if r == r"\midrule"
    ]
    assert starts == (1 + np.flatnonzero(np.diff(found.ranking.tier))).tolist()


def test_one_table_with_a_caption_and_a_label() -> None:
    x = scores(4, models=2)
    found = compare(x[0], x[1], a="Ada 2", b="x_y")
    text = render(found, "latex")
    assert text.count(r"\begin{") == 2
    assert r"\label{tab:comparison-ada-2-x-y}" in text
    assert text.splitlines()[3].startswith(r"\caption{" + tex(found.headline.split(". ")[0]))
    assert "Assumptions" not in text
    assert "Assumptions" in render(found, "latex", level="full")
    assert render(found, "latex", paragraph=True).startswith(text)


def test_a_caution_stands_in_the_caption() -> None:
    found = audit(
        {"a": [1] * 300 + [0] * 100, "b": [1] * 250 + [0] * 150, "c": [None] * 50 + [0] * 350}
    )
    caption = next(line for line in render(found, "latex").splitlines() if "caption" in line)
    assert "Caution: c lacks" in caption


def test_without_letters_the_notes_say_why() -> None:
    found = audit(board(scores(2, models=7)))
    high = np.array([6, 7, 7, 7, 7, 7, 7])
    mixed = replace(found, ranking=replace(found.ranking, rank_low=np.full(7, 1), rank_high=high))
    text = render(mixed, "latex", level="full")
    assert (
        "There are no tie letters, because letters need every pair "
        "(pairs={\\char34}all{\\char34})." in text
    )
    assert lines(text)[0].count(" & ") == 6


def test_the_model_asked_about_is_bold_and_a_long_ranking_is_cut() -> None:
    found = audit(board(scores(2, models=220)))
    asked = found.ranking.model[150]
    text = render(found, "latex", where=asked)
    nasty.check_latex(text)
    assert rf"\textbf{{{asked}}}" in text
    assert any(r"\ldots{} 49 models" in line for line in lines(text))
    assert all(line.count(" & ") in (0, 6, 7) for line in lines(text))


def test_every_result_has_latex() -> None:
    x = scores(4, models=2)
    board_ = audit([board(scores(s, models=4), task=f"t{s}") for s in (1, 2)])
    for result in (
        board_,
        compare(x[0], x[1]),
        claim(0.8, 0.7, items=500),
        plan(Design(noise=PairedRho(baseline=0.7, rho=0.5)), delta=0.01),
        selfcheck(["lemma"]),
    ):
        text = render(result, "latex", paragraph=True)
        nasty.check_latex(text)
        assert text.startswith("% \\usepackage{booktabs")
        assert text.count(r"\begin{table}") == text.count(r"\end{table}")


def test_a_table_longer_than_a_page() -> None:
    grid = TextTable(title="Long", header=("task", "gap"), rows=(("x", "+1"),) * 60)
    text = render_latex(Document(headline="H", grids=(grid,)))
    nasty.check_latex(text)
    assert r"\usepackage{booktabs,longtable}" in text
    assert r"\begin{longtable}{lr}" in text


def test_words_left_numbers_right() -> None:
    rows = (("law", "−3", "–", "1–2", "x"), ("art", "∞", "<0.01", "", ""))
    grid = TextTable(title="T", header=tuple("abcde"), rows=rows)
    found = re.search(
        r"\\begin{tabular}{(\w+)}", render_latex(Document(headline="", grids=(grid,)))
    )
    assert found is not None
    assert found[1] == "lrrrl"
