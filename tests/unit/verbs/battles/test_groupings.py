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
from nstar.report import document
from nstar.stats._vote_corrections import adjusted_cluster_meat, cluster_df, pseudo_vote_meat
from nstar.stats._votes import definite
from nstar.stats.vote_errors import vote_sandwich
from validation.vote_generator import VoteGenerator


def errors_of(found: Battles) -> Array:
    assert found.covariance is not None
    return found.covariance


def test_every_grouping_found_is_shown() -> None:
    found = rated(ballots())
    assert [(g.columns, g.n_groups, g.is_declared) for g in found.groupings] == [
        (("prompt",), 30, False),
        (("judge",), 12, False),
    ]
    assert (found.cluster, found.df, found.caution) == ((), None, None)


def test_the_declared_one_is_marked() -> None:
    found = rated(ballots(), cluster=("prompt",))
    assert [(g.columns, g.is_declared) for g in found.groupings] == [
        (("prompt",), True),
        (("judge",), False),
    ]
    assert found.cluster == ("prompt",)
    assert found.df is not None
    assert 20 < found.df < 29  # prompts have unequal numbers of votes
    mine = found.groupings[0]
    assert mine.n_could_be_best == found.n_could_be_best
    assert mine.n_inconclusive == found.n_inconclusive


def test_two_at_once_have_a_row_of_their_own() -> None:
    found = rated(ballots(), cluster=("prompt", "judge"))
    assert [g.columns for g in found.groupings] == [("prompt",), ("judge",), ("prompt", "judge")]
    assert [g.is_declared for g in found.groupings] == [False, False, True]
    assert found.df is not None
    assert 8 < found.df <= 11  # the fewer groups decide
    assert found.groupings[2].n_groups == 12


@pytest.mark.parametrize("names", [("prompt",), ("judge",), ("prompt", "judge")])
def test_errors_are_those_of_the_kernel(names: tuple[str, ...]) -> None:
    votes = ballots()
    found = rated(votes, cluster=names, position=False)
    rows = stats.VoteRows.of(votes.first, votes.second, votes.score)
    fit = stats.bradley_terry_fit(rows)
    codes = [votes.groups[n].codes.astype(np.int64) for n in names]
    every = [*codes, codes[0] * 100 + codes[-1]] if len(codes) == 2 else codes
    floor = pseudo_vote_meat(rows, fit)
    meats = [adjusted_cluster_meat(rows, fit, code) + floor for code in every]
    parts = [vote_sandwich(fit.information, meat, models=5) for meat in meats]
    want = parts[0] if len(parts) == 1 else definite(parts[0] + parts[1] - parts[2])
    df = np.min([cluster_df(rows, fit, code, np.eye(5)) for code in codes], axis=0)
    order = np.argsort(-fit.strengths)
    assert found.covariance == pytest.approx(want[np.ix_(order, order)])
    assert found.ratings.df == pytest.approx(df[order])
    assert found.df == pytest.approx(np.median(df))
    half = stats.t_quantile(0.975, df[order]) * np.sqrt(np.diagonal(errors_of(found)))
    assert found.ratings.ci_high - found.ratings.rating == pytest.approx(ELO * half)
    gaps, fewer = found.adjacent, np.minimum(df[order][1:], df[order][:-1])
    se = np.sqrt(stats.resistance(errors_of(found), pairs=[[k, k + 1] for k in range(4)]))
    half = ELO * stats.t_quantile(0.975, fewer) * se
    assert gaps.ci_unadjusted_high - gaps.elo == pytest.approx(half)


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
    effect = {g.columns[0]: g.design_effect or 0.0 for g in found.groupings}
    assert effect["vote"] == pytest.approx(5, rel=0.05)
    assert effect["prompt"] > 3


def test_unknown_groupings_are_refused_with_those_there_are() -> None:
    with pytest.raises(DataError, match=r"No group 'worker'.*Available: prompt, judge"):
        rated(ballots(), cluster=("worker",))
    bare = Votes.of(**columns() | {"groups": {}})
    with pytest.raises(DataError, match="Available: none"):
        rated(bare, cluster=("prompt",))


def test_too_few_groups_have_no_error() -> None:
    votes = ballots(judges=4)
    with pytest.raises(DataError, match=r"judge.* has 4 groups; at least 5"):
        rated(votes, cluster=("judge",))
    with pytest.raises(DataError, match=r"judge.* has 4 groups"):
        rated(votes, cluster=("prompt", "judge"))
    beside = rated(votes).groupings[1]
    assert beside.design_effect is None
    assert (beside.n_groups, beside.n_could_be_best, beside.n_inconclusive) == (4, None, None)


@pytest.mark.parametrize(("judges", "said"), [(5, True), (9, True), (10, False)])
def test_few_groups_are_a_rough_guide(judges: int, said: bool) -> None:
    found = rated(ballots(judges=judges), cluster=("judge",))
    assert found.df == pytest.approx(judges - 1, rel=0.2)
    assert (found.caution is not None) == said


@pytest.mark.parametrize(("prompts", "method"), [(99, "holm"), (100, "maxt")])
def test_few_groups_are_ranked_by_holm(prompts: int, method: str) -> None:
    """So few do not know how gaps move together."""
    given = columns(votes=1000)
    given["groups"] = {"prompt": [k % prompts for k in range(1000)]}
    found = rated(Votes.of(**given), cluster=("prompt",))
    assert found.adjust == method
    why = "fewer than 100 groups of votes" if method == "holm" else None
    assert found.adjust_reason == why


def test_holm_that_was_asked_for_has_no_excuse() -> None:
    assert rated(ballots(), cluster=("prompt",), adjust="holm").adjust_reason is None


def test_a_vote_of_an_unknown_group_stands_alone() -> None:
    given = columns()
    some = given["groups"]["prompt"]
    lost = {"prompt": [None if k < 100 else p for k, p in enumerate(some)]}
    own = {"prompt": [f"own {k}" if k < 100 else p for k, p in enumerate(map(str, some))]}
    one, other = (
        rated(Votes.of(**given | {"groups": g}), cluster=("prompt",)) for g in (lost, own)
    )
    assert one.covariance == pytest.approx(other.covariance)
    assert one.df == pytest.approx(other.df)


def test_groups_of_one_vote_say_nothing() -> None:
    given = columns()
    given["groups"] = {"prompt": list(range(600)), "site": ["here"] * 600}
    assert rated(Votes.of(**given)).groupings == ()


def dominated(share: float, *, judges: int = 20, votes: int = 1500) -> Votes:
    """Votes of which one judge casts a share, each judge with a taste of its own."""
    rng = np.random.default_rng(4)
    judge = np.where(rng.random(votes) < share, 0, rng.integers(1, judges, votes))
    taste = rng.normal(0, 0.4, (judges, 6))
    a = rng.integers(0, 6, votes)
    b = (a + 1 + rng.integers(0, 5, votes)) % 6
    won = rng.random(votes) < 1 / (1 + np.exp(taste[judge, b] - taste[judge, a]))
    names = np.array([f"m{k}" for k in range(6)])
    return Votes.of(names[a], names[b], won.astype(float), groups={"judge": judge.tolist()})


def test_one_judge_with_half_of_the_votes_leaves_few_degrees_of_freedom() -> None:
    found = rated(dominated(0.5), cluster=("judge",))
    assert found.ratings.df is not None
    assert np.median(found.ratings.df) < 4
    assert found.caution is not None
    assert "5 of 6 models are a rough guide" in found.caution
    assert found.verdict_counts["inconclusive"] == found.n_pairs
    even = rated(dominated(0.05), cluster=("judge",))
    assert even.caution is None
    assert even.df == pytest.approx(18, abs=2)


def test_a_model_that_one_judge_decides_is_left_unrated() -> None:
    given = columns(judges=40)
    first, second, score = (list(given[k]) for k in ("first", "second", "score"))
    judge = list(map(str, given["groups"]["judge"]))
    first += ["new"] * 10
    second += ["m1", "m2"] * 5
    score += [1.0, 0.0] * 5
    votes = Votes.of(first, second, score, groups={"judge": [*judge, *["ann"] * 7, *"xyz"]})
    assert "new" in rated(votes).ratings.model
    found = rated(votes, cluster=("judge",))
    assert [(u.model, u.n_votes, u.reason) for u in found.unrated] == [("new", 10, "one group")]
    assert "60% of the votes" in " ".join(document(found).notes)
    assert found.n_models == 6 == len(found) + 1


def test_a_model_with_votes_from_two_groups_has_no_error() -> None:
    given = columns(judges=40)
    first, second, score = (list(given[k]) for k in ("first", "second", "score"))
    judge = [*map(str, given["groups"]["judge"]), *["ann", "bob"] * 4]
    votes = Votes.of(
        [*first, *["new"] * 8],
        [*second, *["m1", "m1", "m2", "m2"] * 2],
        [*score, *[1.0, 0.0, 0.0, 1.0] * 2],
        groups={"judge": judge},
    )
    found = rated(votes, cluster=("judge",))
    assert [(u.model, u.reason) for u in found.unrated] == [("new", "few groups")]


def test_boards_that_one_group_decides_are_refused() -> None:
    with pytest.raises(DataError, match=r"one group of .*cluster.* has more than 60%"):
        rated(dominated(0.8), cluster=("judge",))


def test_unequal_groups_beside_the_answer_say_nothing() -> None:
    """As unequal as fewer than five: they have no row of numbers and no place in the headline."""
    found = rated(dominated(0.5))
    assert found.groupings[0].n_groups == 20
    assert (found.groupings[0].design_effect, found.groupings[0].n_could_be_best) == (None, None)


def test_groups_without_an_estimate_are_in_the_notes() -> None:
    """The answer assumed independent votes without a word about the prompts."""
    given = columns()
    for k in range(4):
        given["first"].append("new")
        given["second"].append(f"m{k}")
        given["groups"]["prompt"].append(k)
        given["groups"]["judge"].append(0)
    given["score"] = np.append(given["score"], np.ones(4))
    del given["covariates"]
    found = rated(Votes.of(**given), prior=0.1)
    assert [g.design_effect for g in found.groupings] == [None, None]
    said = [note for note in document(found).notes if "cannot be estimated" in note]
    assert said == [
        "The votes share 30 prompts and 12 judges. Most votes of some models come from a few "
        "groups, so the effect on standard errors cannot be estimated. Ranks assume independent "
        "votes."
    ]


def test_few_groups_for_each_model_are_ranked_by_holm() -> None:
    strengths = tuple(np.linspace(0.5, -0.5, 30))
    found = rated(ballots(strengths, 3000, prompts=120), cluster=("prompt",))
    assert (found.adjust, found.adjust_reason) == (
        "holm",
        "fewer than 5 groups of votes per model",
    )


def test_planned_looks_name_a_grouping_that_is_too_small() -> None:
    """13 prompts that widen most are named, and not 150 judges that have enough groups."""
    kind = VoteGenerator(strengths=np.zeros(5), votes=3000, prompts=13, judges=150, spread=0.8)
    votes = kind.drawn(np.random.default_rng(1))
    found = rated(votes, planned=4000)
    assert [g.n_could_be_best is None for g in found.groupings] == [True, False]
    said = document(found)
    assert "Caution: 13 prompts are too few to generalize to new prompts" in said.headline
    assert "judges" not in said.headline
    assert any("13 prompts are too few for more than one look" in note for note in said.notes)
