"""A race: who is dropped, by whom, when; ends; answers in any order; what is refused."""

import numpy as np
import pytest

import nstar
from nstar._verbs.race import RaceQuestion
from nstar._verbs.race.race import Race
from nstar.errors import DataError, ParameterError
from nstar.stats import betting_log_e
from nstar.stats.racing import lead_log_e
from validation.races import RaceCell, left_of

NAMES = ("wren", "heron", "ibis", "kite")


def drawn(n: int, chances: tuple[float, ...], seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((n, len(chances))) < chances).astype(float)


def raced(scores: np.ndarray, **how: object) -> Race:
    race = Race(NAMES[: scores.shape[1]], items=len(scores), **how)  # type: ignore[arg-type]
    for k, row in enumerate(scores.tolist()):
        race.update(dict(zip(NAMES, row, strict=False)), item=f"q{k * 3701 % 10007}")
    return race


def test_a_winner_and_who_dropped_whom() -> None:
    race = raced(drawn(500, (0.9, 0.7, 0.5, 0.4)))
    found = race.result
    assert found.verdict == "winner"
    assert found.leader == "wren"
    assert {d.model for d in found.eliminated_models} == {"heron", "ibis", "kite"}
    assert found.eliminated_models[0].n_items == found.n_items  # the last one ends it
    for fall in found.eliminated_models:
        assert fall.gap < 0
        assert fall.pvalue <= 0.05
        assert fall.log_e_value >= found.question.log_e_value_threshold - 1e-9
        assert fall.n_answers == 500  # all came, though not all were needed
    assert found.n_answers == 2000
    assert found.n_answers_used == sum(d.n_items for d in found.eliminated_models) + found.n_items
    assert found.n_answers_saved == 0


def test_evidence_is_that_of_the_pair() -> None:
    scores = drawn(300, (0.8, 0.5))
    race = raced(scores)
    (fall,) = race.result.eliminated_models
    first, second = scores[: fall.n_items].T > 0
    log_e = float(lead_log_e((first & ~second).sum(), (second & ~first).sum()))
    assert fall.log_e_value == pytest.approx(log_e)
    assert fall.gap == pytest.approx(float(second.mean() - first.mean()))


@pytest.mark.parametrize("kind", ["random order", "by subject"])
def test_it_is_the_simulated_one(kind: str) -> None:
    """The vectors of ``validate`` and the class drop the same models."""
    cell = RaceCell(kind=kind, models=4, best=1, items=400)  # type: ignore[arg-type]
    scores = cell.scores(np.random.default_rng(3), 8)
    left = left_of(scores)
    for one, kept in zip(scores, left, strict=True):
        running = raced(one).running
        assert running == tuple(n for n, k in zip(NAMES, kept, strict=True) if k)


def test_graded_bets_are_those_of_the_kernel() -> None:
    rng = np.random.default_rng(2)
    scores = np.clip(rng.normal((0.7, 0.5, 0.45), 0.2, (200, 3)), 0, 1)
    found = raced(scores, scale="graded").result
    assert found.verdict == "winner"
    for fall in found.eliminated_models:
        d = (
            scores[: fall.n_items, NAMES.index(fall.beaten_by)]
            - scores[: fall.n_items, NAMES.index(fall.model)]
        )
        alpha = float(np.exp(-found.question.log_e_value_threshold))
        whole = float(betting_log_e(d, alpha=alpha)[-1])
        assert fall.log_e_value == pytest.approx(whole + np.log(2))
    cell = RaceCell(kind="graded", models=3, best=1, items=200)
    many = cell.scores(np.random.default_rng(5), 4)
    kept = left_of(many, graded=True)
    for one, left in zip(many, kept, strict=True):
        running = raced(one, scale="graded").running
        assert running == tuple(n for n, k in zip(NAMES, left, strict=False) if k)


def test_items_out() -> None:
    found = raced(drawn(100, (0.7, 0.7, 0.7))).result
    assert found.verdict == "tied"
    assert found.n_items_left == 0
    assert (
        "Inconclusive after all 100 items: heron, ibis, and wren remain (of 3 models)."
        in " ".join(str(found).split())
    )


def test_within_a_margin() -> None:
    found = raced(drawn(3000, (0.7, 0.7, 0.3), seed=2), margin=0.15).result
    assert found.verdict == "within"
    assert {r.model for r in found.active_models} == {"wren", "heron"}
    assert 100 < found.n_items < 3000
    assert "choose either." in " ".join(str(found).split())
    behind = found.active_models[1]
    assert behind.confidence_sequence is not None
    assert -0.15 <= behind.confidence_sequence.low <= behind.confidence_sequence.high <= 0.15


def test_less_is_better() -> None:
    found = raced(drawn(300, (0.2, 0.7)), lower_is_better=True).result
    assert found.leader == "wren"
    assert found.eliminated_models[0].gap > 0
    assert "A lower score is better." in " ".join(str(found).split())


def test_answers_one_by_one_are_items_in_the_order_they_are_complete() -> None:
    scores = drawn(300, (0.9, 0.6, 0.4))
    one = Race(NAMES[:3], items=300)
    rng = np.random.default_rng(1)
    for k, row in enumerate(scores.tolist()):
        for m in rng.permutation(3).tolist():
            one.add(NAMES[m], k, row[m])
    whole = Race(NAMES[:3], items=300)
    for k, row in enumerate(scores.tolist()):
        whole.update(dict(zip(NAMES, row, strict=False)), item=k)
    assert one.result == whole.result


def test_an_item_counts_when_the_model_that_it_waits_for_is_dropped() -> None:
    race = Race(NAMES[:3], items=400)
    late = "late"
    race.add("wren", late, 1)
    race.add("heron", late, 1)
    assert race.result.n_items_waiting == 1
    for k in range(60):
        for name, score in zip(NAMES, (1, 1, 0), strict=False):
            if race.wants(name):
                race.add(name, f"q{k * 7 % 61}", score)
    assert race.running == ("wren", "heron")
    assert race.result.n_items_waiting == 0
    assert race.n_items == 61
    assert race.result.n_answers_used == 2 * 61 + race.result.eliminated_models[0].n_items
    assert race.result.n_answers_saved == 400 - race.result.eliminated_models[0].n_items


def test_answers_without_a_score_say_nothing() -> None:
    race = Race(NAMES[:3], items=50)
    for k in range(20):
        race.update({"wren": 1, "heron": None, "ibis": float("nan")}, item=k)
    assert race.running == NAMES[:3]
    assert race.result.n_answers_unscored == 40
    assert "40 answers without a score" in " ".join(str(race).split())


def test_costs_and_stream() -> None:
    race = Race(NAMES[:2], items=100)
    for k in race.stream(range(100)):
        race.update({"wren": 1, "heron": 0}, item=k * 7 % 101, cost=0.5)
    found = race.result
    assert found.n_answers_saved == 200 - 2 * found.n_items
    assert found.cost_saved == pytest.approx(0.5 * found.n_answers_saved)


def test_two_models_share_the_level() -> None:
    assert RaceQuestion(models=("a", "b"), items=9).log_e_value_threshold == pytest.approx(
        np.log(40)
    )
    assert RaceQuestion(models=tuple("abc"), items=9).log_e_value_threshold == pytest.approx(
        np.log(40)
    )
    assert RaceQuestion(models=tuple("abcde"), items=9).log_e_value_threshold == pytest.approx(
        np.log(80)
    )


def test_what_is_refused() -> None:
    race = Race(NAMES[:3], items=10)
    with pytest.raises(DataError, match="The remaining model 'ibis' has no answer"):
        race.update({"wren": 1, "heron": 0})
    with pytest.raises(ParameterError, match="No model 'stork' in the race"):
        race.add("stork", "q", 1)
    with pytest.raises(DataError, match=r"score of wren for item 'q' must be 0 or 1; got 0\.5"):
        race.add("wren", "q", 0.5)
    assert race.result.n_answers == 0
    race.update({"wren": 1, "heron": 0, "ibis": 1}, item="q")
    with pytest.raises(DataError, match="already counted"):
        race.update({"wren": 1, "heron": 0, "ibis": 1}, item="q")
    race.add("wren", "q", 0)
    assert race.n_answers_repeated == 1
    for models in ("wren", ["wren"], ["wren", "wren"], [1, 2]):
        with pytest.raises(ParameterError, match="models"):
            Race(models, items=10)  # type: ignore[arg-type]
    for wrong in ({"items": 1}, {"items": 9, "margin": 0}, {"items": 9, "alpha": 1}):
        with pytest.raises(ParameterError):
            Race(NAMES, **wrong)  # type: ignore[arg-type]


def test_back_from_json() -> None:
    found = raced(drawn(60, (0.9, 0.2, 0.5))).result
    assert nstar.RaceResult.from_json(found.to_json()) == found


@pytest.mark.slow
@pytest.mark.parametrize("best", [1, 2, 5])
def test_the_best_is_seldom_dropped(best: int) -> None:
    cell = RaceCell(kind="random order", models=5, best=best)
    left = left_of(cell.scores(np.random.default_rng(0), 2000))
    assert (~left[:, 0]).mean() < 0.05
