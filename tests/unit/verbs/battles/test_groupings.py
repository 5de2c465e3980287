"""Votes that belong together: declared, or shown beside the answer."""

from typing import Any

import numpy as np
import pytest

from helpers.ballots import ballots, columns, rated
from nstar import Battles, stats
from nstar._base.types import Array
from nstar._data.votes import Votes
from nstar._verbs.battles.result import ELO
from nstar.errors import DataError


def errors_of(found: Battles) -> Array:
    assert found.covariance is not None
    return found.covariance


def test_every_grouping_found_is_shown() -> None:
    found = rated(ballots())
    assert [(g.column, g.groups, g.declared) for g in found.groupings] == [
        (("prompt",), 30, False),
        (("judge",), 12, False),
    ]
    assert (found.cluster, found.df, found.caution) == ((), None, None)


def test_the_declared_one_is_marked() -> None:
    found = rated(ballots(), cluster=("prompt",))
    assert [(g.column, g.declared) for g in found.groupings] == [
        (("prompt",), True),
        (("judge",), False),
    ]
    assert (found.cluster, found.df) == (("prompt",), 29)
    mine = found.groupings[0]
    assert mine.candidates == found.candidates
    assert mine.undecided == found.undecided


def test_two_at_once_have_a_row_of_their_own() -> None:
    found = rated(ballots(), cluster=("prompt", "judge"))
    assert [g.column for g in found.groupings] == [("prompt",), ("judge",), ("prompt", "judge")]
    assert [g.declared for g in found.groupings] == [False, False, True]
    assert found.df == 11  # the fewer groups decide
    assert found.groupings[2].groups == 12


@pytest.mark.parametrize("names", [("prompt",), ("judge",), ("prompt", "judge")])
def test_errors_are_those_of_the_kernel(names: tuple[str, ...]) -> None:
    votes = ballots()
    found = rated(votes, cluster=names, position=False)
    rows = stats.VoteRows.of(votes.first, votes.second, votes.score)
    fit = stats.bradley_terry_fit(rows)
    want = stats.vote_covariance(rows, fit, clusters=tuple(votes.groups[n].codes for n in names))
    order = np.argsort(-fit.strengths)
    assert found.covariance == pytest.approx(want.matrix[np.ix_(order, order)])
    assert found.df == want.df
    half = stats.t_quantile(0.975, want.df) * np.sqrt(np.diagonal(errors_of(found)))
    assert found.ratings.ci_high - found.ratings.rating == pytest.approx(ELO * half)


def test_design_effects_are_medians_over_pairs() -> None:
    votes = ballots()
    single, prompt = rated(votes), rated(votes, cluster=("prompt",))
    i, j = np.triu_indices(5, 1)
    pairs = np.stack([i, j], axis=1)
    ratio = [stats.resistance(errors_of(r), pairs=pairs) for r in (prompt, single)]
    assert single.groupings[0].design_effect == pytest.approx(np.median(ratio[0] / ratio[1]))


def test_votes_alike_on_a_prompt_widen_the_errors() -> None:
    given = columns(votes=200, prompts=40)
    many: dict[str, Any] = {k: list(given[k]) * 5 for k in ("first", "second", "score")}
    prompts = {"prompt": given["groups"]["prompt"] * 5, "vote": list(range(200)) * 5}
    votes = Votes.of(**many, groups=prompts)
    found = rated(votes)
    effect = {g.column[0]: g.design_effect or 0.0 for g in found.groupings}
    assert effect["vote"] == pytest.approx(5 * 200 / 199)
    assert effect["prompt"] > 3


def test_unknown_groupings_are_refused_with_those_there_are() -> None:
    with pytest.raises(DataError, match=r"no grouping 'worker'.*there are: prompt, judge"):
        rated(ballots(), cluster=("worker",))
    bare = Votes.of(**columns() | {"groups": {}})
    with pytest.raises(DataError, match="there are: none"):
        rated(bare, cluster=("prompt",))


def test_too_few_groups_have_no_error() -> None:
    votes = ballots(judges=4)
    with pytest.raises(DataError, match=r"judge.* has 4 groups; at least 5"):
        rated(votes, cluster=("judge",))
    with pytest.raises(DataError, match=r"judge.* has 4 groups"):
        rated(votes, cluster=("prompt", "judge"))
    beside = rated(votes).groupings[1]
    assert beside.design_effect is None
    assert (beside.groups, beside.candidates, beside.undecided) == (4, None, None)


@pytest.mark.parametrize(("judges", "said"), [(5, True), (9, True), (10, False)])
def test_few_groups_are_a_rough_guide(judges: int, said: bool) -> None:
    found = rated(ballots(judges=judges), cluster=("judge",))
    assert found.df == judges - 1
    assert (found.caution is not None) == said


@pytest.mark.parametrize(("prompts", "method"), [(99, "holm"), (100, "maxt")])
def test_few_groups_are_ranked_by_holm(prompts: int, method: str) -> None:
    """So few do not know how gaps move together."""
    given = columns(votes=1000)
    given["groups"] = {"prompt": [k % prompts for k in range(1000)]}
    found = rated(Votes.of(**given), cluster=("prompt",))
    assert found.adjust == method
    why = "fewer than 100 groups of votes" if method == "holm" else None
    assert found.adjust_why == why


def test_holm_that_was_asked_for_has_no_excuse() -> None:
    assert rated(ballots(), cluster=("prompt",), adjust="holm").adjust_why is None


def test_a_vote_of_an_unknown_group_stands_alone() -> None:
    given = columns()
    some = given["groups"]["prompt"]
    lost = {"prompt": [None if k < 100 else p for k, p in enumerate(some)]}
    own = {"prompt": [f"own {k}" if k < 100 else p for k, p in enumerate(map(str, some))]}
    one, other = (
        rated(Votes.of(**given | {"groups": g}), cluster=("prompt",)) for g in (lost, own)
    )
    assert one.covariance == pytest.approx(other.covariance)
    assert one.df == other.df


def test_groups_of_one_vote_say_nothing() -> None:
    given = columns()
    given["groups"] = {"prompt": list(range(600)), "site": ["here"] * 600}
    assert rated(Votes.of(**given)).groupings == ()
