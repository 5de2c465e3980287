"""Which models can be rated, what ties count as, and what votes are cleared of."""

from typing import Any

import numpy as np
import pytest

from helpers.ballots import ballots, columns, rated
from nstar import stats
from nstar._data.votes import Votes
from nstar._verbs.battles.result import ELO
from nstar.errors import DataError, InfeasibleError, ParameterError


def votes_of(*rows: tuple[str, str, float], **more: Any) -> Votes:
    first, second, score = zip(*rows, strict=True)
    return Votes.of(first, second, score, **more)


CORE = [("x", "y", 1.0), ("y", "x", 1.0), ("y", "z", 1.0), ("z", "y", 1.0), ("x", "z", 1.0)] * 3
ALONE = [("up", "x", 1.0), ("up", "top", 0.0), ("z", "down", 1.0), ("n1", "n2", 1.0)]


def test_models_without_a_finite_rating_are_named() -> None:
    found = rated(votes_of(*CORE, *ALONE))
    assert set(found.ratings.model) == {"x", "y", "z"}
    why = {u.model: (u.reason, u.n_votes) for u in found.unrated}
    assert why == {
        "top": ("won all", 1),
        "up": ("won all", 2),
        "down": ("lost all", 1),
        "n1": ("never met", 1),
        "n2": ("never met", 1),
    }
    assert (found.n_models, found.n_votes) == (8, len(CORE) + 4)
    assert found.ratings.n_votes.sum() == 2 * len(CORE)


def test_a_model_above_one_and_below_another_is_not_rated() -> None:
    """It beat what beat the rest, so that the rest sets it no upper limit."""
    found = rated(votes_of(*CORE, ("a", "b", 1.0), ("b", "x", 1.0)))
    assert {u.model: u.reason for u in found.unrated} == {"a": "won all", "b": "won all"}


def test_a_prior_rates_whoever_met_the_others() -> None:
    found = rated(votes_of(*CORE, *ALONE), prior=1.0)
    assert found.prior == pytest.approx(32**-0.5)  # as heavy as intervals allow for
    assert set(found.ratings.model) == {"x", "y", "z", "up", "top", "down"}
    assert found.ratings.model[0] == "top"
    assert found.ratings.model[-1] == "down"
    assert {u.model: u.reason for u in found.unrated} == {"n1": "never met", "n2": "never met"}
    assert np.isfinite(found.ratings.rating).all()


def test_a_prior_shrinks_gaps() -> None:
    votes = ballots()
    some, more = rated(votes), rated(votes, prior=5.0)
    assert np.ptp(more.ratings.rating) < np.ptp(some.ratings.rating)


def test_nobody_can_be_rated() -> None:
    with pytest.raises(DataError, match=r"No two models both win and lose.*prior"):
        rated(votes_of(("x", "y", 1.0), ("y", "z", 1.0)))
    with pytest.raises(DataError, match="All 2 votes are ties"):
        rated(votes_of(("x", "y", 0.5), ("y", "z", 0.5)))


def test_a_tie_counts_as_half_a_win() -> None:
    found = rated(votes_of(*[("x", "y", 1.0)] * 20, *[("x", "y", 0.5)] * 20))
    assert found.adjacent.elo == pytest.approx([ELO * np.log(3)])
    assert found.adjacent.expected_score == pytest.approx([0.75])
    assert (found.tie_share, found.elo_scale, found.ties) == (0.5, "score", "half")
    assert found.log_tie is None


def test_ties_left_out() -> None:
    rows = [("x", "y", 1.0)] * 20 + [("y", "x", 1.0)] * 10 + [("x", "y", 0.5)] * 20
    found = rated(votes_of(*rows), ties="drop")
    assert found.adjacent.elo == pytest.approx([ELO * np.log(2)])
    assert (found.elo_scale, found.tie_share, found.n_votes) == ("decisive", 0.4, 50)
    assert found.ratings.n_votes.tolist() == [30, 30]
    assert found.ratings.n_ties.tolist() == [0, 0]


def test_ties_as_an_outcome() -> None:
    """As the kernel has it; gaps are wider than those of half ties by the scale alone."""
    votes = ballots(votes=2000, ties=0.4)
    half, own = rated(votes, position=False), rated(votes, ties="davidson", position=False)
    rows = stats.VoteRows.of(votes.first, votes.second, votes.score)
    fit = stats.davidson_fit(rows)
    assert own.log_tie == pytest.approx(fit.log_tie)
    assert own.strengths == pytest.approx(np.sort(fit.strengths)[::-1])
    assert own.elo_scale == "decisive"
    assert own.ratings.model == half.ratings.model
    assert (own.adjacent.elo > 1.4 * half.adjacent.elo).all()
    assert own.adjacent.expected_score == pytest.approx(half.adjacent.expected_score, abs=0.01)
    assert own.adjacent.more_direct_votes == pytest.approx(
        half.adjacent.more_direct_votes, rel=0.1
    )


def test_ties_that_cannot_be_an_outcome() -> None:
    with pytest.raises(DataError, match="no ties"):
        rated(votes_of(*CORE), ties="davidson")
    graded = votes_of(*CORE, ("x", "y", 0.7), ("x", "y", 0.5))
    with pytest.raises(DataError, match="graded preferences"):
        rated(graded, ties="davidson")
    assert rated(graded).ratings.n_wins.sum() == len(CORE) + 1


@pytest.mark.parametrize("first", [0.0, 0.6])
def test_the_first_answer_may_gain(first: float) -> None:
    votes = ballots(votes=3000, first=first, ties=0.01)
    found, plain = rated(votes), rated(votes, position=False)
    assert found.position_effect is not None
    assert plain.position_effect is None
    assert found.position_effect.covariate_sd is None
    assert found.position_effect.ci_low < ELO * first < found.position_effect.ci_high
    assert (found.position_effect.pvalue < 0.001) == bool(first)


def test_who_is_called_first_does_not_matter() -> None:
    """Turned around, a vote says the same: ratings stay, the advantage changes its sign."""
    given = columns(first=0.4, longer=0.5)
    long, short = given["covariates"]["length"]
    turned = given | {
        "first": given["second"],
        "second": given["first"],
        "score": 1 - given["score"],
        "covariates": {"length": (short, long)},
    }
    one, other = (rated(Votes.of(**g), control=("length",)) for g in (given, turned))
    assert one.strengths == pytest.approx(other.strengths)
    assert one.covariance == pytest.approx(other.covariance)
    assert one.position_effect is not None
    assert other.position_effect is not None
    assert one.position_effect.elo == pytest.approx(-other.position_effect.elo)
    assert one.control_effects[0].elo == pytest.approx(other.control_effects[0].elo)


def test_an_unknown_order_has_no_position() -> None:
    given = columns()
    assert rated(Votes.of(**given, ordered=False)).position_effect is None
    assert rated(Votes.of(**given, ordered=False), position=True).position_effect is not None


def test_every_pair_in_one_order() -> None:
    given = columns()
    swap = [a > b for a, b in zip(given["first"], given["second"], strict=True)]
    first = [b if s else a for a, b, s in zip(given["first"], given["second"], swap, strict=True)]
    second = [a if s else b for a, b, s in zip(given["first"], given["second"], swap, strict=True)]
    score = np.where(swap, 1 - given["score"], given["score"])
    two = [k for k, pair in enumerate(zip(first, second, strict=True)) if pair == ("m0", "m1")]
    few = Votes.of(["m0"] * len(two), ["m1"] * len(two), score[two])
    assert rated(few).position_effect is None  # nothing was to be told: one model on each side
    ring = [k for k in range(len(score)) if {first[k], second[k]} != {"m0", "m2"}]
    tree = {("m0", "m1"), ("m1", "m2"), ("m2", "m3"), ("m3", "m4")}
    path = [k for k in ring if (first[k], second[k]) in tree]
    found = rated(Votes.of([first[k] for k in path], [second[k] for k in path], score[path]))
    assert found.position_effect is None
    assert "one-order" in [f.code for f in found.findings]


def test_winners_that_are_always_named_first() -> None:
    """Ratings come from who won; the order, which says the same, is told and left aside."""
    rows = [("x", "y", 1.0)] * 20 + [("y", "x", 1.0)] * 10
    found = rated(votes_of(*rows))
    assert found.position_effect is None
    assert found.adjacent.elo == pytest.approx([ELO * np.log(2)])
    (told,) = found.findings
    assert told.code == "one-order"
    assert "as if the winner was always named first" in told.text
    with pytest.raises(InfeasibleError, match="a covariate predicts every vote"):
        rated(votes_of(*rows), position=True)


def test_length_is_controlled_for() -> None:
    votes = ballots(votes=4000, longer=0.7, ties=0.01)
    found = rated(votes, control=("length",))
    (effect,) = found.control_effects
    assert effect.name == "length"
    assert effect.ci_low < ELO * 0.7 < effect.ci_high
    both = votes.covariates["length"]
    share = (both[:, 0] - both[:, 1]) / both.sum(axis=1)
    assert effect.covariate_sd == pytest.approx(share.std())
    assert found.ratings.uncontrolled_rating is not None
    assert found.ratings.uncontrolled_rank is not None
    plain = rated(votes)
    order = [plain.ratings.model.index(n) for n in found.ratings.model]
    assert found.ratings.uncontrolled_rating == pytest.approx(plain.ratings.rating[order])
    assert np.ptp(found.ratings.rating) > np.ptp(found.ratings.uncontrolled_rating)


def test_any_covariate_is_a_difference() -> None:
    given = columns(votes=1000)
    rng = np.random.default_rng(1)
    tone = (rng.normal(size=1000), rng.normal(size=1000))
    found = rated(
        Votes.of(**given | {"covariates": {"tone_a:tone_b": tone}}), control=("tone_a:tone_b",)
    )
    assert found.control_effects[0].covariate_sd == pytest.approx(np.std(tone[0] - tone[1]))
    assert found.control_effects[0].pvalue > 0.01


def test_votes_without_the_control_are_left_out() -> None:
    given = columns()
    long, short = given["covariates"]["length"]
    long[:40] = np.nan
    found = rated(
        Votes.of(**given | {"covariates": {"length": (long, short)}}), control=("length",)
    )
    assert found.n_votes == 600
    assert found.ratings.n_votes.sum() == 2 * 560
    said = {f.code: f.text for f in found.findings}
    assert said["votes-without-control"].startswith("40 of 600 votes lack length")


def test_controls_that_say_nothing() -> None:
    given = columns()
    with pytest.raises(DataError, match=r"No values of 'tone'.*Available: length"):
        rated(Votes.of(**given), control=("tone",))
    with pytest.raises(DataError, match="Available: none"):
        rated(Votes.of(**given | {"covariates": {}}), control=("length",))
    same = np.full(600, 7.0)
    with pytest.raises(DataError, match=r"length.* has the same value in every vote"):
        rated(Votes.of(**given | {"covariates": {"length": (same, same)}}), control=("length",))
    with pytest.raises(DataError, match="No vote has all values"):
        rated(
            Votes.of(**given | {"covariates": {"length": (same * np.nan, same)}}),
            control=("length",),
        )
    size = [float(name[1:]) for name in (*given["first"], *given["second"])]
    tied = {"size": (np.array(size[:600]), np.array(size[600:]))}
    with pytest.raises(DataError, match="is determined by the pairing of models"):
        rated(Votes.of(**given | {"covariates": tied}), control=("size",))


def test_questions_that_cannot_be_meant() -> None:
    votes = ballots()
    for asked in (
        {"ties": "rao"},
        {"adjust": "bonferroni"},
        {"prior": -1},
        {"cluster": ("a", "b", "c")},
        {"cluster": ("prompt", "prompt")},
        {"control": ("length", "length")},
        {"anchor": ("m0", np.nan)},
        {"draws": 3},
    ):
        with pytest.raises(ParameterError):
            rated(votes, **asked)
