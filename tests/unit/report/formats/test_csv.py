"""CSV: the main table of each result, at full precision, safe to open in a sheet."""

import csv
import json
from io import StringIO
from typing import Any

import pytest

from helpers import nasty
from helpers.boards import board, scores, with_task
from nstar import audit, claim, compare, coverage, plan, selfcheck
from nstar._verbs.audit.tables import NO_PAIRS
from nstar._verbs.plan import Design, PairedRho
from nstar.errors import ParameterError
from nstar.report import render
from nstar.report.formats.csv import _cell


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def rows(result: Any) -> list[dict[str, str]]:
    return nasty.check_csv(render(result, "csv"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (float("nan"), ""),
        (float("inf"), ""),
        (True, "true"),
        (1 / 3, "0.3333333333333333"),
        (-0.25, "-0.25"),
        (12, "12"),
        ("-5", "-5"),
        ("+1.5e3", "+1.5e3"),
        ("-x", "'-x"),
        ("=1+1", "'=1+1"),
        ("@me", "'@me"),
        ("  +1+1", "  '+1+1"),
        ("a;=1", "a;'=1"),
        ("\t=1", "?=1"),
        ("a-b", "a-b"),
        ("", ""),
    ],
)
def test_cells(value: Any, expected: str) -> None:
    assert _cell(value) == expected


def test_the_models_of_an_audit() -> None:
    found = audit(board(scores(2, models=5)))
    told = rows(found)
    assert [row["model"] for row in told] == list(found.ranking.model)
    assert [float(row["mean"]) for row in told] == found.ranking.mean.tolist()
    assert [float(row["next_gap"]) for row in told[:-1]] == found.adjacent.gap.tolist()
    assert [row["next"] for row in told] == [*found.ranking.model[1:], ""]
    assert told[-1]["next_verdict"] == ""
    assert {"rank", "rank_low", "rank_high", "tier", "letters"} <= told[0].keys()
    for kind in ("ci_adjusted_low", "ci_unadjusted_high"):
        want = getattr(found.adjacent, kind).tolist()
        assert [float(row[f"next_{kind}"]) for row in told[:-1]] == want


def test_the_pairs_of_an_audit_if_asked_for() -> None:
    found = audit(board(scores(2, models=5)), pairs="all")
    told = rows(found)
    assert len(told) == 10
    assert [float(row["pvalue_adjusted"]) for row in told] == found.pairs.pvalue_adjusted.tolist()
    assert told[0]["is_resolved"] in ("true", "false")
    with pytest.raises(ParameterError, match="--out DIR"):
        render(with_task(found, pairs=NO_PAIRS), "csv")
    assert len(rows(audit(board(scores(2, models=2)), pairs="all"))) == 1


def test_an_average_of_tasks() -> None:
    found = audit([board(scores(s, models=4), task=f"t{s}") for s in (1, 2)])
    assert [row["model"] for row in rows(found)] == list(found.ranking.model)


def test_a_row_per_task() -> None:
    two = [board(scores(s, models=2), task=f"t{s}") for s in (1, 2)]
    found = compare(two, a="m0", b="m1")
    told = rows(found)
    assert [row["task"] for row in told] == ["t1", "t2"]
    same = json.loads(render(found, "json"))["tasks"]
    for row, task in zip(told, same, strict=True):
        assert (row["model_a"], row["model_b"]) == ("m0", "m1")
        assert float(row["ci_low"]) == task["ci"]["low"]
        assert float(row["pvalue_adjusted"]) == task["pvalue_adjusted"]
        assert row["design"] == "independent"


def test_columns_do_not_depend_on_what_is_absent() -> None:
    x = scores(4, models=2)
    plain, equal = compare(x[0], x[1]), compare(x[0], x[0])
    margin = compare(x[0], x[1], margin=0.05)
    headers = {render(c, "csv").splitlines()[0] for c in (plain, equal, margin)}
    assert len(headers) == 1
    assert rows(margin)[0]["is_equivalent"] in ("true", "false")
    assert rows(plain)[0]["is_equivalent"] == ""


def test_other_results() -> None:
    one = board(scores(2, models=3, missing=0.1), task="t")
    assert [row["task"] for row in rows(coverage([one]))] == ["t"] * 3
    assert rows(claim(0.8, 0.7, items=500))[0].keys() >= {"rho", "mde", "n_star"}
    made = plan(Design(noise=PairedRho(baseline=0.7, rho=0.5)), delta=0.01)
    assert len(rows(made)) == len(made.scenarios)
    assert all(row["n_agree"] == row["n_values"] for row in rows(selfcheck(["lemma"])))


def test_quotes_commas_and_lines_by_rfc_4180() -> None:
    named = board(scores(2, models=2), models=['say "hi", you', "b"])
    text = render(audit(named), "csv")
    assert '"say ""hi"", you"' in text
    assert text.endswith("\r\n")
    assert len(list(csv.reader(StringIO(text, newline="")))) == 3
