"""Evidence over evaluations: weights, products, altered files, changed questions."""

import json
import math

import numpy as np
import pytest

from helpers.comparisons import cells
from nstar import Gate, ScoreMatrix, gate_looks
from nstar._verbs.gate import GateQuestion, History, LogEValues, RecordedEvaluation
from nstar._verbs.gate import history as history_module
from nstar._verbs.gate.history import item_digests
from nstar.errors import DataError, ParameterError


def night(value: float, scores: str, items: tuple[str, ...] | None = None) -> RecordedEvaluation:
    return RecordedEvaluation(log_e=(LogEValues(value, value, value),), scores=scores, items=items)


def after(history: History, table: tuple[int, int, int, int], margin: float = 0.01) -> Gate:
    return gate_looks(*cells(*table), margin=margin, a="new", b="old", history=history)


def kept(result: Gate) -> History:
    assert result.history is not None
    return result.history


def test_weights_sum_to_one() -> None:
    """The same e-value every night is worth K / (K + 1) of it."""
    history = History(nights=tuple(night(3.0, str(k)) for k in range(9)))
    expected = 3.0 + math.log(9 / 10)
    assert history.gathered()[0].worse == pytest.approx(expected)


def test_fresh_items_multiply() -> None:
    nights = tuple(night(1.5, str(k), (f"i{k}",)) for k in range(4))
    assert History(fresh=True, nights=nights).gathered()[0].not_worse == pytest.approx(6.0)


def test_gathered_never_falls_where_items_repeat() -> None:
    history, seen = History(), []
    for losses in (70, 60, 90, 50):
        result = after(history, (1200, 60, losses, 700))
        history = kept(result)
        assert result.pooled_evidence is not None
        seen.append(result.pooled_evidence.log_e_values[0].worse)
    assert seen == sorted(seen)


def test_answers_gather() -> None:
    one = after(History(), (1200, 40, 66, 700))
    assert one.verdict == "inconclusive"
    more = after(kept(one), (1200, 30, 80, 700))
    assert more.verdict == "regression"
    assert more.pooled_evidence is not None
    assert (more.pooled_evidence.n_evaluations, more.pooled_evidence.is_repeated) == (2, False)


def test_same_evaluation_counts_once() -> None:
    one = after(History(), (1200, 40, 66, 700))
    again = after(kept(one), (1200, 40, 66, 700))
    assert again.pooled_evidence is not None
    assert (again.pooled_evidence.n_evaluations, again.pooled_evidence.is_repeated) == (1, True)
    assert kept(again) == kept(one)


def test_old_evidence_does_not_carry_a_worse_model() -> None:
    good = after(History(), (9000, 100, 100, 800), margin=0.02)
    assert good.verdict == "pass"
    assert after(kept(good), (9000, 100, 700, 200), margin=0.02).verdict == "regression"


def test_a_loss_that_was_shown_is_not_run_away() -> None:
    """A label that stood for a worse model first gets no PASS by what comes after."""
    history = kept(after(History(), (9000, 100, 700, 200), margin=0.02))
    for extra in range(3):
        result = after(history, (9000, 101 + extra, 100, 800), margin=0.02)
        history = kept(result)
        check = result.tasks[0]
        assert (result.verdict, check.evidence.evaluations_conflict) == ("inconclusive", True)
    said = " ".join(str(result).split())
    assert "the evidence of 4 evaluations conflicts: it shows a loss (p < 0.001)" in said
    assert "One label may stand for two models. This evaluation: gap +0.03 pp" in said


def test_a_harmless_loss_passes_by_itself() -> None:
    result = after(History(), (60000, 100, 400, 4000), margin=0.02)
    assert (result.verdict, result.tasks[0].is_harmless_loss) == ("pass", True)
    again = after(kept(result), (60000, 101, 400, 4000), margin=0.02)
    assert (again.verdict, again.tasks[0].evidence.evaluations_conflict) == ("pass", False)


def test_a_headline_tells_gathered_evidence_from_the_gap_of_tonight() -> None:
    history = kept(after(History(), (9000, 100, 700, 200), margin=0.001))
    result = after(history, (9000, 100, 110, 790), margin=0.001)
    assert result.verdict == "regression"
    said = " ".join(str(result).split())
    assert "new is worse than old over 2 evaluations (p < 0.001). The loss is not shown" in said
    assert "to be within the 0.1 pp margin. This evaluation: gap −0.10 pp" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"alpha": 0.01}, "alpha was 0.05 and is 0.01"),
        ({"psi": 0.1}, "psi was 0.2 and is 0.1"),
        ({"margin": None, "superiority": True}, "the goal was non-inferiority and is super"),
        ({"b": "older"}, "the baseline was old and is older"),
    ],
)
def test_what_differs_is_told_in_words(more: dict[str, object], said: str) -> None:
    history = kept(after(History(), (900, 40, 66, 70)))
    options = {"margin": 0.01, "a": "new", "b": "old", "history": history} | more
    other = gate_looks(*cells(900, 41, 66, 70), **options)  # type: ignore[arg-type]
    assert said in str(other.invalid_reason)


def test_text_round_trip() -> None:
    history = kept(after(kept(after(History(), (900, 40, 66, 70))), (900, 41, 66, 70)))
    assert History.parse(history.text()) == history
    assert history.text().count("\n") == 3


def test_altered_lines_are_refused() -> None:
    text = kept(after(kept(after(History(), (900, 40, 66, 70))), (900, 41, 66, 70))).text()
    lines = text.splitlines()
    for k, line in enumerate(lines):
        body = json.loads(line)
        body["night" if k else "fresh"] = 7
        broken = [*lines[:k], json.dumps(body), *lines[k + 1 :]]
        with pytest.raises(DataError, match=f"line {k + 1} has been damaged or edited"):
            History.parse("\n".join(broken))
    with pytest.raises(DataError, match="line 2"):
        History.parse("\n".join([lines[0], lines[2]]))
    for bad in ("", "[]", "{}", text[:-40]):
        with pytest.raises(DataError):
            History.parse(bad)


@pytest.mark.parametrize(
    "change",
    [
        {"log_e": []},
        {"log_e": [[None, None, 0.0]]},
        {"log_e": [[1.0, 2.0]]},
        {"log_e": "much"},
        {"items": 3},
        {"log_e": [[10**400, 0.0, 0.0]]},
        {"log_e": [[0.0, 0.0, -(10**400)]]},
        {"log_e": [["1" * 5000, 0.0, 0.0]]},
        {"night": 10**400, "log_e": [[10**309, 0.0, 0.0]]},
    ],
)
def test_lines_with_a_new_checksum_are_read_with_care(change: dict[str, object]) -> None:
    lines = kept(after(History(), (900, 40, 66, 70))).text().splitlines()
    head, body = json.loads(lines[0]), json.loads(lines[1]) | change
    body.pop("check")
    line, _ = history_module._sealed(body, head["check"])
    with pytest.raises(DataError):
        History.parse(f"{lines[0]}\n{line}\n")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, " " * (17 << 20)]
)
def test_lines_that_are_no_json_are_refused(text: str) -> None:
    with pytest.raises(DataError, match="History line 1 has been damaged or edited"):
        History.parse(text)


def test_changed_question_is_refused() -> None:
    history = kept(after(History(), (900, 40, 66, 70)))
    changed = after(history, (900, 41, 66, 70), margin=0.02)
    assert changed.verdict == "invalid_data"
    assert "a different question (the margin was 0.01 and is 0.02)." in str(changed.invalid_reason)
    other = gate_looks(*cells(900, 41, 66, 70), margin=0.01, a="newer", b="old", history=history)
    assert "the candidate was new and is newer)" in str(other.invalid_reason)


def matrix(seed: int, start: int) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    items = [f"q{k}" for k in range(start, start + 200)]
    return ScoreMatrix.from_arrays(
        rng.integers(0, 2, (2, 200)), models=["new", "old"], items=items
    )


def test_fresh_items_must_be_new() -> None:
    names = ("new", "old")
    first = gate_looks(
        matrix(1, 0), margin=0.1, a=names[0], b=names[1], history=History(fresh=True)
    )
    second = gate_looks(matrix(2, 200), margin=0.1, a=names[0], b=names[1], history=kept(first))
    assert second.pooled_evidence is not None
    assert second.pooled_evidence.n_evaluations == 2
    third = gate_looks(matrix(3, 399), margin=0.1, a=names[0], b=names[1], history=kept(second))
    assert third.verdict == "invalid_data"
    assert "1 item was already used" in str(third.invalid_reason)
    with pytest.raises(ParameterError, match="names"):
        gate_looks(*cells(900, 41, 66, 70), margin=0.01, history=History(fresh=True))


def test_fresh_items_need_bets() -> None:
    fresh, names = History(fresh=True), ("new", "old")
    scores = np.random.default_rng(5).random((2, 200))
    graded = ScoreMatrix.from_arrays(scores, models=list(names))
    assert (
        gate_looks(graded, margin=0.1, a=names[0], b=names[1], history=fresh).verdict
        != "invalid_data"
    )
    wide = ScoreMatrix.from_arrays(10 * scores, models=list(names))
    refused = gate_looks(wide, margin=0.1, a=names[0], b=names[1], history=fresh)
    assert refused.verdict == "invalid_data"
    assert "Remove it for other scores, strata, or clusters" in str(refused.invalid_reason)


def test_planned_items_are_part_of_the_question() -> None:
    scores = cells(900, 40, 66, 70)
    first = gate_looks(*scores, margin=0.01, history=History(), items=2000)
    other = gate_looks(*cells(900, 41, 66, 70), margin=0.01, history=kept(first), items=3000)
    assert "items was 2,000 and is 3,000" in str(other.invalid_reason)
    unsaid = gate_looks(*cells(900, 41, 66, 70), margin=0.01, history=kept(first))
    assert "items was 2,000 and is not set)" in str(unsaid.invalid_reason)


def test_items_of_different_tasks_differ() -> None:
    one, two = (item_digests([(task, ["q1"])]) for task in ("a", "b"))
    assert one != two


def test_missing_items_count_against_the_claim() -> None:
    a, b = cells(1200, 30, 80, 700)
    whole = gate_looks(a, b, margin=0.01, history=History())
    a[1230:1250] = np.nan
    some = gate_looks(a, b, margin=0.01, history=History())
    assert whole.pooled_evidence is not None
    assert some.pooled_evidence is not None
    assert some.pooled_evidence.log_e_values[0].worse < whole.pooled_evidence.log_e_values[0].worse


def test_question_names_every_task() -> None:
    ask = GateQuestion(margin=0.01, guardrails={"b": 0.1})
    asked = History().asked(("x", "y"), [("a", "m", False), ("b", "m", False)], ask)
    assert asked.question is not None
    assert [t["margin"] for t in asked.question["tasks"]] == [0.01, 0.1]
