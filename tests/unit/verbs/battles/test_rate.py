"""Ratings, ranks and neighbors, against the kernel and plain loops; the same whoever works."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats as law

from helpers.ballots import ballots, columns, rated
from nstar import Battles, battles, stats
from nstar._data.votes import Votes
from nstar._engine import vote_sums as engine
from nstar._engine.work import Execution, Where
from nstar._verbs.battles.result import ELO
from nstar.errors import DataError
from nstar.report import render
from nstar.stats._vote_corrections import leverage_meat, pseudo_vote_meat
from nstar.stats.bradley_terry import prior_limit
from nstar.stats.vote_errors import vote_sandwich


def strength_of(found: Battles) -> dict[str, float]:
    return dict(zip(found.ratings.model, found.ratings.rating.tolist(), strict=True))


def test_ratings_are_those_of_the_kernel() -> None:
    votes = ballots()
    found = rated(votes, position=False)
    rows = stats.VoteRows.of(votes.first, votes.second, votes.score)
    fit = stats.bradley_terry_fit(rows)
    want = dict(zip(votes.models, 1000 + ELO * fit.strengths, strict=True))
    assert strength_of(found) == pytest.approx(want)
    assert found.ratings.rating.mean() == pytest.approx(1000)
    assert (np.diff(found.ratings.rating) <= 0).all()
    order = np.argsort(-fit.strengths)
    meat = leverage_meat(rows, fit) + pseudo_vote_meat(rows, fit)
    cov = vote_sandwich(fit.information, meat, models=5)[np.ix_(order, order)]
    assert found.covariance == pytest.approx(cov)
    half = 1.959963984540054 * ELO * np.sqrt(np.diagonal(cov))
    assert found.ratings.ci_high - found.ratings.rating == pytest.approx(half)
    assert found.ratings.ci_low + found.ratings.ci_high == pytest.approx(2 * found.ratings.rating)


def test_tallies() -> None:
    votes, found = ballots(), rated(ballots())
    for name, won, tied, lost, all_, foes in zip(
        found.ratings.model,
        found.ratings.n_wins,
        found.ratings.n_ties,
        found.ratings.n_losses,
        found.ratings.n_votes,
        found.ratings.n_opponents,
        strict=True,
    ):
        k = votes.models.index(name)
        mine = np.concatenate([votes.score[votes.first == k], 1 - votes.score[votes.second == k]])
        assert (won, tied, lost) == ((mine > 0.5).sum(), (mine == 0.5).sum(), (mine < 0.5).sum())
        assert all_ == mine.size
        assert foes == 4


@pytest.mark.parametrize("options", [{}, {"adjust": "holm"}, {"planned": 2000}], ids=str)
def test_adjusted_intervals_agree_with_verdicts(options: dict[str, Any]) -> None:
    for seed in range(4):
        strengths = tuple(np.linspace(1.2, -1.2, 8))
        gaps = rated(ballots(strengths, 1500, seed=seed), **options).adjacent
        apart = (gaps.ci_adjusted_low > 0) | (gaps.ci_adjusted_high < 0)
        assert apart.tolist() == [word == "significant" for word in gaps.verdict]
        assert (gaps.ci_adjusted_low <= gaps.ci_unadjusted_low + 1e-9).all()
        assert (gaps.ci_adjusted_high >= gaps.ci_unadjusted_high - 1e-9).all()


def test_neighbors() -> None:
    votes, found = ballots(), rated(ballots())
    gaps, at = found.adjacent, strength_of(found)
    assert list(zip(gaps.model_a, gaps.model_b, strict=True)) == list(
        pairwise(found.ratings.model)
    )
    assert gaps.elo == pytest.approx(
        [at[a] - at[b] for a, b in zip(gaps.model_a, gaps.model_b, strict=True)]
    )
    for a, b, met, score in zip(
        gaps.model_a, gaps.model_b, gaps.n_votes, gaps.observed_score, strict=True
    ):
        i, j = votes.models.index(a), votes.models.index(b)
        forth = votes.score[(votes.first == i) & (votes.second == j)]
        back = 1 - votes.score[(votes.first == j) & (votes.second == i)]
        assert met == forth.size + back.size
        assert score == pytest.approx(np.concatenate([forth, back]).mean())
    se = (gaps.ci_unadjusted_high - gaps.ci_unadjusted_low) / 2 / law.norm.ppf(0.975)
    assert gaps.pvalue == pytest.approx(2 * law.norm.sf(gaps.elo / se))
    assert (gaps.pvalue_adjusted >= gaps.pvalue - 0.05).all()  # draws have an error of their own
    assert gaps.expected_score == pytest.approx(1 / (1 + 10 ** (-gaps.elo / 400)))
    assert gaps.n_star == pytest.approx(600 / gaps.q, abs=1)
    assert gaps.mde == pytest.approx(gaps.elo / np.sqrt(gaps.q), rel=1e-3)


def test_words_count_all_pairs() -> None:
    found = rated(ballots())
    assert sum(found.verdict_counts.values()) == found.n_pairs == 10
    apart = sum(w != "inconclusive" for w in found.adjacent.verdict)
    assert found.n_inconclusive == 4 - apart
    assert found.n_could_be_best == (found.ratings.rank_low == 1).sum()


def test_direct_votes_would_settle_a_place() -> None:
    """As many votes more between two neighbors, scored as expected, reach the gap sought."""
    votes = ballots((0.5, 0.2), 400, ties=0.001)
    found = rated(votes, position=False, adjust="holm")
    gap, more = found.adjacent.elo[0] / ELO, found.adjacent.more_direct_votes[0]
    p = 1 / (1 + np.exp(-gap))
    reach = law.norm.ppf(0.975) + law.norm.ppf(0.8)
    assert (len(votes) + more) * p * (1 - p) == pytest.approx((reach / gap) ** 2, rel=0.05)


def test_two_models() -> None:
    found = rated(ballots((0.5, -0.5), 300))
    assert len(found) == 2
    assert found.adjacent.verdict == ("significant",)
    assert found.ratings.rank_low.tolist() == found.ratings.rank_high.tolist() == [1, 2]
    assert found.adjacent.pvalue_adjusted == pytest.approx(found.adjacent.pvalue, abs=0.001)
    assert found.resolvable_gap is not None
    assert found.resolvable_gap.low == found.resolvable_gap.high


def test_two_models_that_scored_the_same() -> None:
    even = Votes.of(["x", "y"] * 30, ["y", "x"] * 30, [1, 1] * 30)
    found = rated(even)
    assert found.adjacent.elo == pytest.approx([0], abs=1e-9)
    assert found.adjacent.verdict == ("inconclusive",)
    assert found.adjacent.more_direct_votes[0] > 1e9
    assert found.ratings.rank.tolist() == [1, 1]
    assert Battles.from_json(render(found, "json")) == found


def test_an_anchor_has_its_rating() -> None:
    votes = ballots()
    plain, found = rated(votes), rated(votes, anchor=("m2", 1200.0))
    k = found.ratings.model.index("m2")
    assert found.ratings.rating[k] == 1200
    assert found.ratings.ci_low[k] == found.ratings.ci_high[k] == 1200
    assert np.diff(found.ratings.rating) == pytest.approx(np.diff(plain.ratings.rating))
    assert found.anchor == ("m2", 1200.0)
    other = found.ratings.model.index("m4")
    assert found.ratings.ci_high[other] > found.ratings.ci_low[other]
    assert found.adjacent.verdict == plain.adjacent.verdict


def test_an_anchor_must_be_rated() -> None:
    with pytest.raises(DataError, match=r"anchor.*'m9'.*not a rated model"):
        rated(ballots(), anchor=("m9", 1000.0))


def test_weights_are_no_repeated_votes() -> None:
    """Doubled weights leave gaps and errors as they are; doubled votes do not."""
    given = columns()
    plain = rated(Votes.of(**given))
    heavy = rated(Votes.of(**given, weight=np.full(600, 2.0)))
    assert heavy.strengths == pytest.approx(plain.strengths)
    assert heavy.covariance == pytest.approx(plain.covariance)
    twice = rated(Votes.of(*(list(given[k]) * 2 for k in ("first", "second", "score"))))
    assert twice.strengths == pytest.approx(plain.strengths)
    assert plain.covariance is not None
    assert twice.covariance == pytest.approx(plain.covariance / 2, rel=0.05)


def test_unequal_weights_count() -> None:
    rows = [("x", "y", 1.0, 3.0)] * 20 + [("y", "x", 1.0, 1.0)] * 20
    first, second, score, weight = zip(*rows, strict=True)
    found = rated(Votes.of(first, second, score, weight=weight), position=False)
    assert found.adjacent.elo == pytest.approx([ELO * np.log(3)])
    assert "weighted-votes" in [f.code for f in found.findings]


def test_newcomers_are_told() -> None:
    given = columns()
    more = [("new", "m1", 1.0), ("m2", "new", 1.0), ("new", "m3", 0.5)]
    first, second, score = (
        [*given[k], *(row[i] for row in more)] for i, k in enumerate(("first", "second", "score"))
    )
    found = rated(Votes.of(first, second, score))
    said = {f.code: f.text for f in found.findings}
    assert said["newcomers"] == "1 of 6 models have fewer than 10 votes, such as new"


def test_a_newcomer_whose_votes_are_ties_has_an_error() -> None:
    given = columns(votes=1500)
    first, second, score = (list(given[k]) for k in ("first", "second", "score"))
    foes = ["m0", "m1", "m2", "m3"] * 3
    found = rated(Votes.of([*first, *["new"] * 12], [*second, *foes], [*score, *[0.5] * 12]))
    k = found.ratings.model.index("new")
    half = (found.ratings.ci_high - found.ratings.ci_low)[k] / 2
    assert half > 2 * ELO * (0.5 / 4) ** 0.5 * 4 / 12  # half a vote of variance 1/4


def test_a_prior_is_no_heavier_than_intervals_allow_for() -> None:
    votes = ballots(tuple(np.linspace(1, -1, 20)), 400)
    found = rated(votes, prior=1.0)
    assert found.prior == prior_limit(stats.VoteRows.of(votes.first, votes.second, votes.score))
    assert found.prior < 0.25
    said = {f.code: f.text for f in found.findings}
    assert said["prior-reduced"].startswith("the prior's weight of 1 was reduced to 0.")
    small = rated(votes, prior=0.01)
    assert small.prior == 0.01
    assert "prior-reduced" not in {f.code for f in small.findings}


def test_pairs_that_depart_from_the_ratings() -> None:
    """x beats y beats z beats x: three equal ratings, and three pairs that say otherwise."""
    score = [1.0] * 90 + [0.0] * 30
    found = rated(Votes.of(["x", "y", "z"] * 40, ["y", "z", "x"] * 40, score), position=False)
    assert (
        found.lack_of_fit.n_tested,
        found.lack_of_fit.n_significant,
        found.lack_of_fit.min_votes,
    ) == (3, 3, 20)
    worst = found.lack_of_fit.worst_pairs[0]
    assert worst.n_votes == 40
    assert worst.expected_score == pytest.approx(0.5)
    assert abs(worst.observed_score - 0.5) == pytest.approx(0.25)
    assert rated(ballots()).lack_of_fit.n_significant == 0


def test_few_votes_of_a_pair_are_not_tested() -> None:
    found = rated(ballots(votes=60))
    assert (
        found.lack_of_fit.n_tested,
        found.lack_of_fit.n_significant,
        found.lack_of_fit.worst_pairs,
    ) == (0, 0, ())


def test_adjustments() -> None:
    votes = ballots()
    draws, holm = rated(votes, draws=9999), rated(votes, adjust="holm")
    assert (draws.adjust, draws.n_draws, draws.adjust_reason) == ("maxt", 9999, None)
    assert (holm.adjust, holm.n_draws, holm.adjust_reason) == ("holm", None, None)
    assert (draws.adjacent.pvalue_adjusted <= holm.adjacent.pvalue_adjusted + 0.01).all()
    assert draws.critical_value is not None
    assert 1.96 < draws.critical_value < 2.73  # given those told apart; at first Tukey's for five


def test_more_models_than_draws_are_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.battles.contrasts.MOST_MODELS", 4)
    monkeypatch.setattr("nstar._verbs.battles.groupings.MOST_MODELS", 4)
    found = rated(ballots())
    assert found.adjust == "holm"
    assert found.adjust_reason == "more than 4 models"
    assert all(g.n_could_be_best is None and g.n_inconclusive is None for g in found.groupings)
    assert all(g.design_effect for g in found.groupings)


def test_draws_depend_on_the_seed_alone() -> None:
    votes = ballots()
    one, again, other = rated(votes, seed=1), rated(votes, seed=1), rated(votes, seed=2)
    assert one == again
    assert one.to_json() == again.to_json()
    assert one.adjacent.pvalue_adjusted.tolist() != other.adjacent.pvalue_adjusted.tolist()
    assert one.strengths == pytest.approx(other.strengths, abs=0)


QUESTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "davidson": {"ties": "davidson"},
    "clusters": {"cluster": ("prompt", "judge")},
    "length": {"control": ("length",), "cluster": ("prompt",)},
    "prior": {"control": ("length",), "prior": 0.5},
}


@pytest.mark.parametrize("which", QUESTIONS)
def test_numbers_do_not_depend_on_who_works(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PART", 50)
    votes, asked = ballots(), QUESTIONS[which]
    one = rated(votes, Execution(workers=1), **asked)
    assert rated(votes, Execution(workers=2), **asked).to_json() == one.to_json()
    monkeypatch.setattr(engine, "_PART", 1 << 18)
    whole = rated(votes, Execution(workers=1), **asked)
    assert whole.strengths == pytest.approx(one.strengths, abs=1e-9)
    assert whole.covariance == pytest.approx(one.covariance, rel=1e-6, abs=1e-12)


def test_numbers_do_not_depend_on_where_the_work_is_done(
    crew: Where, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PART", 50)
    votes, asked = ballots(), QUESTIONS["length"]
    found = rated(votes, Execution(executor=crew), **asked)
    assert found.to_json() == rated(votes, Execution(workers=1), **asked).to_json()


def test_the_order_of_votes_does_not_matter() -> None:
    given = columns()
    turned = np.random.default_rng(5).permutation(600)
    other = Votes.of(*(np.asarray(given[k])[turned] for k in ("first", "second", "score")))
    one = rated(Votes.of(given["first"], given["second"], given["score"]))
    assert rated(other).strengths == pytest.approx(one.strengths, abs=1e-10)


@pytest.mark.parametrize("which", QUESTIONS)
def test_json_reads_back(which: str) -> None:
    found = rated(ballots(), **QUESTIONS[which])
    again = Battles.from_json(found.to_json())
    assert again == found
    assert replace(again, seed=5) != found
    assert Battles.from_json(render(found, "json")) == found


def test_python_takes_rows_and_votes() -> None:
    given = columns()
    words = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}
    table = {
        "model_a": given["first"],
        "model_b": given["second"],
        "winner": [words[s] for s in given["score"].tolist()],
        "question_id": given["groups"]["prompt"],
        "judge": given["groups"]["judge"],
        "len_a": given["covariates"]["length"][0],
        "len_b": given["covariates"]["length"][1],
    }
    asked: dict[str, Any] = {"cluster": ["prompt"], "control": "length", "draws": 999}
    one, other = battles(table, **asked), battles(Votes.of(**given), **asked)
    assert one.strengths == pytest.approx(other.strengths)
    assert one.covariance == pytest.approx(other.covariance)


def test_at_every_look() -> None:
    votes = ballots(votes=900)
    once, always = rated(votes), rated(votes, planned=900)
    assert (always.adjust, always.n_votes_planned, always.n_draws) == ("anytime", 900, None)
    edge = float(stats.anytime_critical(0.05 / 10))
    assert always.critical_value == pytest.approx(edge)
    assert (always.adjacent.pvalue_adjusted >= once.adjacent.pvalue_adjusted).all()
    assert (always.ratings.ci_high - always.ratings.ci_low).min() > 0
    wider = np.ptp([always.ratings.ci_low, always.ratings.ci_high], axis=0)
    narrow = np.ptp([once.ratings.ci_low, once.ratings.ci_high], axis=0)
    assert wider / narrow == pytest.approx(float(stats.anytime_critical(0.05)) / 1.959964)
    assert (always.ratings.rank_low <= once.ratings.rank_low).all()
    late = rated(votes, planned=9000)
    assert late.critical_value is not None
    assert late.critical_value > edge


def test_looks_need_many_groups() -> None:
    with pytest.raises(DataError, match="needs at least 100 groups of votes; found 30"):
        rated(ballots(), planned=1000, cluster=("prompt",))
    found = rated(ballots(votes=2000, prompts=150), planned=2000, cluster=("prompt",))
    assert found.adjust == "anytime"
    by = {g.columns: g for g in found.groupings}
    assert by["prompt",].n_could_be_best is not None
    assert by["judge",].n_could_be_best is None  # twelve judges


def test_before_thirty_votes_nothing_is_known_at_every_look() -> None:
    with pytest.raises(DataError, match="needs at least 30 votes between rated models; found"):
        rated(ballots((0.3, -0.3), 24, ties=0.3), planned=100, position=False)
    assert rated(ballots((0.3, -0.3), 30, ties=0.3), planned=100).n_votes == 30
