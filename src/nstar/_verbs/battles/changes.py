"""Compare the ratings of two sets of votes, by replaying the boards between them.

The steps of the replay are the older votes, without the models that are no longer rated, with the
new votes on the same models, and with the newly rated models. Votes on a newly rated model also
change the gaps between others, so no change is due to the number of models alone.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from nstar._base.types import IntArray
from nstar._data.votes import Votes, n_differing
from nstar._engine.work import Execution
from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.rate import adjusted_interval, rate
from nstar._verbs.battles.result import ELO, Battles
from nstar._verbs.board_changes import BoardChanges, ReplayStep
from nstar._verbs.board_replay import HOLM_OF_NEWER, BoardState, PairRow, changes_between
from nstar._verbs.verdict import BoardVerdict
from nstar.errors import DataError, InfeasibleError


def state_of(result: Battles, step: ReplayStep | None = None) -> BoardState:
    """Return ratings as a board of a replay."""
    ranks, contrasts = result.ratings, result.contrasts
    verdicts = None
    if contrasts is not None:
        verdicts = contrasts.better(len(ranks))
        verdicts = verdicts | verdicts.T
    return BoardState(
        step=step,
        models=ranks.model,
        ranges=np.stack([ranks.rank_low, ranks.rank_high], axis=1),
        rows=partial(_pair_rows, result),
        n_units=result.n_votes,
        method=result.adjust,
        critical_value=result.critical_value,
        verdicts=verdicts,
    )


def _pair_rows(result: Battles, ranks: IntArray) -> Iterable[PairRow]:
    """Yield pairs by the ranks of their models or, without all pairs, the adjacent ones."""
    contrasts, models = result.contrasts, result.ratings.model
    if contrasts is None:
        t = result.adjacent
        ends = (t.ci_adjusted_low.tolist(), t.ci_adjusted_high.tolist())
        yield from zip(t.model_a, t.model_b, t.elo.tolist(), *ends, t.verdict, strict=True)
        return
    place = np.zeros((len(models), len(models)), np.int64)
    place[tuple(contrasts.pairs.T)] = np.arange(len(contrasts.pairs))
    at = place[tuple(ranks.T)]
    low, high = adjusted_interval(contrasts, at)
    columns = (ELO * np.stack([contrasts.gap[at], low, high], axis=1)).tolist()
    for (a, b), row, is_significant in zip(
        ranks.tolist(), columns, contrasts.significant[at].tolist(), strict=True
    ):
        verdict: BoardVerdict = "significant" if is_significant else "inconclusive"
        yield (models[a], models[b], *row, verdict)


def _among(votes: Votes, models: set[str]) -> Votes:
    """Return the votes between two of these models."""
    known = np.array([name in models for name in votes.models])
    return votes.select(known[votes.first] & known[votes.second])


def vote_changes(
    old: Votes,
    new: Votes,
    result: Battles,
    question: BattlesQuestion,
    execution: Execution,
    *,
    since: str,
) -> BoardChanges:
    """Return what changed between two sets of votes, with reasons.

    ``result`` has the ratings of the newer votes. If it uses Holm's method, all boards do, so that
    no change is due to the method. There are no reasons if the votes on the models of both sets
    cannot rate all of them.
    """
    plain = replace(
        question,
        ranks_only=True,
        use_max_t=result.adjust != "holm",
        anchor=None,
        next=None,
        top=None,
    )
    first = rate(old, plain, execution)
    shared = set(first.ratings.model) & set(result.ratings.model)
    is_rated = True
    boards = [state_of(first)]
    steps: list[tuple[ReplayStep, Votes]] = []
    if len(shared) > 1:
        before, now = _among(old, shared), _among(new, shared)
        if len(shared) < len(first):
            steps.append(("removed_models", before))
        if len(before) != len(now) or any(n_differing(before, now)):
            steps.append(("votes", now))
    if len(shared) < len(result):
        steps.append(("new_models", new))
    for step, votes in steps[:-1]:
        try:
            board = state_of(rate(votes, plain, execution), step)
        except (DataError, InfeasibleError):
            is_rated = False
            continue
        is_rated = is_rated and shared <= set(board.models)
        boards.append(board)
    boards = [
        *(boards if is_rated else boards[:1]),
        *(state_of(result, step) for step, _ in steps[-1:]),
    ]
    n_removed, n_added = n_differing(old, new)
    return changes_between(
        boards,
        has_reasons=len(shared) > 1 and is_rated,
        old_method="maxt" if first.adjust_reason == HOLM_OF_NEWER else first.adjust,
        since=since,
        n_units_old=len(old),
        n_units=len(new),
        n_added=n_added,
        n_removed=n_removed,
    )
