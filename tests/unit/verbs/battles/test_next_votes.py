"""The next votes: draws, prompts, models without a rating; weights of chosen pairs."""

from dataclasses import replace

import numpy as np
import pytest

import nstar
from helpers.ballots import ballots, rated
from nstar._data.votes import Votes
from nstar._verbs.battles.chosen_pairs import as_if_random
from nstar._verbs.battles.next_votes import UNIFORM
from nstar.errors import ParameterError


def test_a_batch() -> None:
    votes = ballots()
    planned = rated(votes, next=400).next_votes
    assert planned is not None
    assert (planned.n_votes, planned.n_gaps, len(planned.votes)) == (400, 4, 400)
    assert planned.pairs.n_next.sum() == 400
    assert planned.n_connecting == 0
    assert (planned.pairs.probability >= UNIFORM / 10 - 1e-12).all()
    frequent = planned.pairs.n_next[0] / 400
    assert abs(frequent - planned.pairs.probability[0]) < 0.1
    assert planned.expected_decided >= planned.expected_decided_uniform
    again = rated(votes, next=400).next_votes
    assert again is not None
    assert again.votes.model_a == planned.votes.model_a
    other = rated(votes, next=400, seed=1).next_votes
    assert other is not None
    assert other.votes.model_a != planned.votes.model_a


def test_the_best_models() -> None:
    planned = rated(ballots(), next=200, top=2).next_votes
    assert planned is not None
    assert planned.n_gaps == 6
    first = {planned.pairs.model_a[0], planned.pairs.model_b[0]}
    assert first & {"m0", "m1"}
    with pytest.raises(ParameterError, match="must be less than 5"):
        rated(ballots(), next=200, top=5)


def test_prompts_are_new_to_their_pair_if_possible() -> None:
    votes = Votes.of(
        ["a", "b"] * 6, ["b", "a"] * 6, [1, 1, 0] * 4, groups={"prompt": list("ppqqrsrsrsrs")}
    )
    planned = rated(replace(votes, ordered=False), next=3).next_votes
    assert planned is not None
    assert planned.votes.prompt is not None
    assert sorted(planned.votes.prompt) == ["p", "q", "r"] or len(set(planned.votes.prompt)) == 3
    more = Votes.of(["a", "c"] * 20, ["b", "a"] * 20, [1, 0, 0] * 13 + [1])
    assert rated(more, next=3).next_votes.votes.prompt is None  # type: ignore[union-attr]


def test_models_without_a_rating_are_connected() -> None:
    votes = ballots()
    names = np.array(votes.models, object)
    first, second = names[votes.first].tolist(), names[votes.second].tolist()
    new = Votes.of([*first, "new", "new"], [*second, "m1", "m2"], [*votes.score, 1, 1])
    result = rated(new, next=100)
    assert [u.model for u in result.unrated] == ["new"]
    planned = result.next_votes
    assert planned is not None
    assert 3 <= planned.n_connecting <= 20
    pairs = [set(row) for row in zip(planned.votes.model_a, planned.votes.model_b, strict=True)]
    assert {"new", "m0"} in pairs  # against the strongest, because it won all
    assert sum("new" in pair for pair in pairs) == planned.n_connecting


def test_significant_gaps_leave_random_pairs() -> None:
    result = rated(ballots((3.0, 0.0, -3.0), votes=3000), next=90)
    planned = result.next_votes
    assert planned is not None
    assert planned.n_open == 0
    assert set(planned.pairs.probability.round(12)) == {round(1 / 3, 12)}
    assert "on random pairs" in result.headline


def test_weights_restore_random_pairs() -> None:
    votes = ballots()
    is_chosen = np.arange(len(votes)) >= 300
    weighted = as_if_random(votes, is_chosen)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    place = low * 5 + high
    others = np.bincount(place[~is_chosen], minlength=25)
    target = others + np.count_nonzero(is_chosen) / 10
    got = np.bincount(place, weights=weighted.weight, minlength=25)
    np.testing.assert_allclose(got[got > 0], target[got > 0])


def test_chosen_pairs_that_fit_are_not_weighted() -> None:
    votes = ballots(votes=900)
    known = np.where(np.arange(900) < 500, np.nan, 0.1)
    result = rated(replace(votes, probability=known))
    assert result.chosen_pairs is not None
    assert (result.chosen_pairs.n_votes, result.chosen_pairs.weighted_because) == (400, None)
    assert np.array_equal(result.ratings.rating, rated(votes).ratings.rating)
    assert "so votes are not weighted" in " ".join(result.render(level="full").split())


def test_chosen_pairs_that_do_not_fit_are_weighted() -> None:
    rng = np.random.default_rng(1)
    # a ring: each beats the next, and ratings depend on which pairs get votes
    ring = [("x", "y")] * 300 + [("y", "z")] * 300 + [("z", "x")] * 300 + [("x", "w")] * 200
    score = (rng.random(1100) < 0.8).astype(float)
    score[900:] = rng.random(200) < 0.5
    first, second = zip(*ring, strict=True)
    votes = Votes.of(first, second, score)
    chosen = np.where(np.arange(1100) % 3 == 0, np.nan, 0.3)
    result = rated(replace(votes, probability=chosen, ordered=False))
    assert result.chosen_pairs is not None
    assert result.chosen_pairs.weighted_because == "lack of fit"
    assert "votes on chosen pairs are weighted" in " ".join(result.headline.split())
    assert "because some pairs deviate" in " ".join(result.render(level="full").split())


def test_json_round_trip() -> None:
    result = rated(ballots(), next=50, top=1)
    assert nstar.Battles.from_json(result.to_json()) == result
