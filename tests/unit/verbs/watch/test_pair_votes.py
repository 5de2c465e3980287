"""Votes between two models as a watch takes them."""

import numpy as np
import pytest

from helpers.ballots import ballots
from nstar._data.votes import Votes
from nstar._verbs.watch import ItemPair, Watch, WatchQuestion
from nstar._verbs.watch.pair_votes import PairVotes
from nstar.errors import DataError, ParameterError


def test_many_votes_at_once_are_one_vote_at_a_time() -> None:
    """Items without a name are counted together as those with one are."""
    found = PairVotes.of(ballots((0.6, 0.0, 0.2), 900), "m0", "m1")
    assert 200 < len(found) < 400
    question = WatchQuestion(items=500, unit="votes", margin=0.1)
    one, many = Watch.asking(question), Watch.asking(question)
    for pair in found.pairs():
        one.update(pair.a, pair.b)
    many.extend(found.pairs())
    assert many.result == one.result
    assert many.to_dict() == one.to_dict()
    assert Watch.from_dict(many.to_dict(), question=question).result == one.result
    assert many.order.sorted is None
    assert (many.question.planned_psi, many.question.method) == (0.65, "e-process")


def test_the_other_side_is_the_other_sign() -> None:
    votes = ballots((0.6, 0.0, 0.2), 600)
    a, b = PairVotes.of(votes, "m0", "m1"), PairVotes.of(votes, "m1", "m0")
    assert (a.score + b.score == 1).all()
    assert a.shown_first is not None
    assert b.shown_first is not None
    assert a.shown_first + b.shown_first == len(a)
    assert not a.unbalanced
    assert len(PairVotes.of(votes, "m0", "nobody")) == 0


def test_only_new_votes_of_the_same_table() -> None:
    early = PairVotes.of(ballots((0.0, 0.0), 100), "m0", "m1")
    score = np.append(early.score, [1.0] * 40)
    late = PairVotes.of(Votes.of(["m0"] * 140, ["m1"] * 140, score), "m0", "m1")
    assert [p.a for p in late.new_since(early)] == [1.0] * 40
    assert late.new_since(early, cost=2.0)[0].cost == 2.0
    assert late.shown_first is None  # one model on one side hides what the side does
    with pytest.raises(
        DataError,
        match="The first 140 votes between the two differ from the votes counted earlier",
    ):
        early.new_since(late)


def test_names_are_still_told_apart() -> None:
    watch = Watch(items=10)
    nameless = ItemPair(item=None, a=1.0, b=0.0, group=None, cost=None)
    named = ItemPair(item="None", a=1.0, b=0.0, group=None, cost=None)
    watch.extend([named, nameless, nameless])
    assert watch.n_items == 3
    assert list(watch.items) == ["None"]
    with pytest.raises(DataError, match="was already counted"):
        watch.extend([nameless, named])


def test_unit_is_items_or_votes() -> None:
    with pytest.raises(ParameterError, match="unit"):
        WatchQuestion(items=10, unit="prompts")  # type: ignore[arg-type]
