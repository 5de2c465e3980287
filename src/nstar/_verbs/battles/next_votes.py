"""Choose the next votes: shares of pairs, random draws of pairs and prompts, and votes saved."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._data.votes import VoteGrouping, Votes
from nstar._verbs.battles.contrasts import Contrasts
from nstar._verbs.battles.next_result import NextPairTable, NextVotes, NextVoteTable
from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.result import UnratedModel
from nstar.errors import ParameterError, arg
from nstar.stats._next_votes import between, block_shares, sandwich_ratio

UNIFORM = 0.2
"""Share of a batch on uniformly random pairs. Every pair then has a known, positive probability,
and unexpected results can appear anywhere."""
_CONNECTING = 10
"""Number of votes that connect a model without a rating to the others."""
_OPPONENT_SHARE = 0.25
"""Share of the rated models that are opponents of a model that won or lost every vote."""
_SIMULATIONS = 1_000
_MOST_TIMES = 20
"""Largest number of votes on uniformly random pairs, as a multiple of the batch."""
_MAX_SIMULATED_GAPS = 1 << 20
"""Number of simulated gaps in memory."""
_STEPS = 8
"""Bisections for this number, to 1%."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteState:
    """Fitted ratings, from best to worst, and their precision."""

    models: tuple[str, ...]
    strengths: Array
    """Log odds, (M,)."""
    inverse: Array
    """Inverse information of the strengths, (M, M)."""
    cov: Array
    """Covariance of the strengths, (M, M)."""
    log_tie: float | None
    """log ν of Davidson's model; None for other models."""
    met: IntArray
    """Votes between models, (M, M)."""


def score_variance(gap: Array, log_tie: float | None) -> Array:
    """Return the variance of the score of one vote."""
    if log_tie is None:
        p = special.expit(gap)
        return np.asarray(p * (1 - p))
    win, tie, loss = stats.davidson_probabilities(gap, log_tie)
    return win + tie / 4 - np.square((1 + win - loss) / 2)


def next_votes(
    votes: Votes,
    state: VoteState,
    unrated: tuple[UnratedModel, ...],
    pair_contrasts: Contrasts,
    question: BattlesQuestion,
) -> NextVotes:
    """Choose the next votes, and estimate how many they save."""
    n, top, m = question.next or 0, question.top, len(state.models)
    if top is not None and top >= m:
        msg = f"{arg('top')} must be less than {m}, the number of rated models; got {top}"
        raise ParameterError(msg)
    contrasts = _contrasts(m, top)
    information = score_variance(state.strengths[:, None] - state.strengths, state.log_tie)
    ratio = sandwich_ratio(state.cov, state.inverse)
    shares, open_now = block_shares(
        state.strengths,
        state.inverse,
        contrasts,
        information=information,
        ratio=ratio,
        critical=pair_contrasts.critical,
        votes=n,
        criterion="decisions" if top is None else "variance",
    )
    uniform = np.triu(np.full((m, m), 2 / (m * (m - 1))), 1)
    chosen = (1 - UNIFORM) * shares + UNIFORM * uniform if shares.any() else uniform
    simulation, draws = np.random.default_rng(question.seed).spawn(2)
    decided = _DecisionForecast(
        state=state,
        top=top,
        information=information,
        ratio=ratio,
        critical=pair_contrasts.critical,
        precision=stats.information_inverse(state.inverse, models=m),
        normals=simulation.standard_normal((_SIMULATIONS, m)),
    )
    expected, by_uniform = decided(n * chosen), decided(n * uniform)
    batch, n_connecting = _draw(draws, state, unrated, chosen, n)
    table, pairs = _tables(draws, votes, state, batch)
    return NextVotes(
        n_votes=n,
        top=top,
        n_gaps=len(contrasts),
        n_open=int(np.count_nonzero(open_now)),
        n_connecting=n_connecting,
        expected_decided=expected,
        expected_decided_uniform=by_uniform,
        n_votes_uniform=_same_decisions(lambda k: decided(k * uniform), expected, n),
        pairs=pairs,
        votes=table,
    )


def _contrasts(models: int, top: int | None) -> IntArray:
    """Return adjacent models, or each of the best ones with each of the others, (K, 2)."""
    k = np.arange(models)
    if top is None:
        return np.stack([k[:-1], k[1:]], axis=1)
    return np.stack([np.repeat(k[:top], models - top), np.tile(k[top:], top)], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _DecisionForecast:
    """Expected number of significant gaps after more votes.

    Given the votes so far, new ratings are normal with the present ones as their mean. Their
    covariance is what the variance loses. True strengths are thus drawn, not taken as fitted.
    """

    state: VoteState
    top: int | None
    information: Array
    ratio: float
    critical: float
    precision: Array
    """Information of the strengths, (M, M)."""
    normals: Array

    def __call__(self, votes: Array) -> float:
        """Return the expected number after so many votes on each pair, (M, M)."""
        now, m = self.state.inverse, len(self.state.models)
        added = votes * self.information
        added = added + added.T
        after = stats.information_inverse(
            self.precision + np.diag(added.sum(axis=1)) - added, models=m
        )
        values, vectors = np.linalg.eigh(self.ratio * (now - after))
        moves = self.normals @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        strengths = self.state.strengths + moves
        order = np.argsort(-strengths, axis=1)
        se = np.sqrt(self.ratio * np.maximum(between(after), 0.0))
        ranked = np.take_along_axis(strengths, order, axis=1)
        i, j = _contrasts(m, self.top).T
        n_decided = 0
        for part in np.array_split(
            np.arange(len(order)), 1 + len(i) * len(order) // _MAX_SIMULATED_GAPS
        ):
            gap = ranked[part][:, i] - ranked[part][:, j]
            limit = self.critical * se[order[part][:, i], order[part][:, j]]
            n_decided += int(np.count_nonzero(gap > limit))
        return n_decided / len(order)


def _same_decisions(by_uniform: Callable[[int], float], target: float, n: int) -> int | None:
    """Return the votes on random pairs that decide as many gaps, at least those of the batch."""
    low, high = float(n), float(_MOST_TIMES * n)
    if by_uniform(n) >= target:
        return n
    if by_uniform(round(high)) < target:
        return None
    for _ in range(_STEPS):
        midpoint = (low * high) ** 0.5
        low, high = (low, midpoint) if by_uniform(round(midpoint)) >= target else (midpoint, high)
    return round(high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Batch:
    """Drawn pairs of models, by index; models without a rating come after the others."""

    names: tuple[str, ...]
    first: IntArray
    second: IntArray
    probability: Array


def _draw(
    rng: np.random.Generator,
    state: VoteState,
    unrated: tuple[UnratedModel, ...],
    chosen: Array,
    n: int,
) -> tuple[_Batch, int]:
    """Draw the votes of a batch, and return how many connect models without a rating."""
    m, names = len(state.models), (*state.models, *(u.model for u in unrated))
    share = min(1.0, _CONNECTING * len(unrated) / n)
    everything = np.zeros((len(names), len(names)))
    everything[:m, :m] = (1 - share) * chosen
    n_opponents = max(1, round(_OPPONENT_SHARE * m))
    opponents = {"won all": slice(0, n_opponents), "lost all": slice(m - n_opponents, m)}
    for k, model in enumerate(unrated):
        against = opponents.get(model.reason, slice(0, m))
        count = len(range(m)[against])
        everything[against, m + k] = share / len(unrated) / count
    cells = rng.choice(everything.size, n, p=everything.ravel() / everything.sum())
    first, second = np.divmod(cells, len(names))
    batch = _Batch(names=names, first=first, second=second, probability=everything.ravel()[cells])
    return batch, int(np.count_nonzero(second >= m))


def _tables(
    rng: np.random.Generator, votes: Votes, state: VoteState, batch: _Batch
) -> tuple[NextVoteTable, NextPairTable]:
    """Return the votes in a random order of answers, and the pairs."""
    m, names, n = len(state.models), batch.names, batch.first.size
    is_swapped = rng.random(n) < 0.5
    first = np.where(is_swapped, batch.second, batch.first)
    second = np.where(is_swapped, batch.first, batch.second)
    prompt = votes.groups.get("prompt")
    table = NextVoteTable(
        model_a=tuple(names[k] for k in first),
        model_b=tuple(names[k] for k in second),
        prompt=None if prompt is None or prompt.is_hashed else _prompts(rng, votes, prompt, batch),
        pair_probability=batch.probability,
    )
    key = batch.first * len(names) + batch.second
    _, at, count = np.unique(key, return_index=True, return_counts=True)
    order = np.argsort(-count, kind="stable")
    at, count = at[order], count[order]
    i, j = batch.first[at], batch.second[at]
    met = np.zeros((len(names), len(names)), np.int64)
    met[:m, :m] = state.met
    place = np.array([names.index(model) for model in votes.models])
    new = place >= m
    known = new[votes.first] | new[votes.second]
    np.add.at(met, (place[votes.first[known]], place[votes.second[known]]), 1)
    np.add.at(met, (place[votes.second[known]], place[votes.first[known]]), 1)
    pairs = NextPairTable(
        model_a=tuple(names[k] for k in i),
        model_b=tuple(names[k] for k in j),
        n_votes=met[i, j],
        n_next=count,
        probability=batch.probability[at],
    )
    return table, pairs


def _prompts(
    rng: np.random.Generator, votes: Votes, prompt: VoteGrouping, batch: _Batch
) -> tuple[str, ...]:
    """Return a prompt for each vote, at random among those with the fewest votes on its pair."""
    place = {name: k for k, name in enumerate(votes.models)}
    at = np.array([place[name] for name in batch.names])
    size = len(votes.models)

    def keys(first: Any, second: Any) -> IntArray:
        low, high = np.minimum(first, second), np.maximum(first, second)
        return np.asarray(low.astype(np.int64) * size + high)

    needed = keys(at[batch.first], at[batch.second])
    key = keys(votes.first, votes.second)
    rows_of_pairs = np.flatnonzero(np.isin(key, needed) & (prompt.codes >= 0))
    rows_of_pairs = rows_of_pairs[np.argsort(key[rows_of_pairs], kind="stable")]
    out = np.empty(needed.size, np.int64)
    for pair in np.unique(needed):
        rows = np.flatnonzero(needed == pair)
        begin, end = np.searchsorted(key[rows_of_pairs], [pair, pair + 1])
        codes: IntArray = prompt.codes[rows_of_pairs[begin:end]].astype(np.int64)
        used, times = np.unique(codes, return_counts=True)
        new = rng.choice(prompt.count, min(prompt.count, used.size + rows.size), replace=False)
        new = new[~np.isin(new, used)]
        old = rng.permutation(used.size)
        old = used[old[np.argsort(times[old], kind="stable")]]
        out[rows] = np.resize(np.concatenate([new, old]), rows.size)
    return tuple(prompt.label(int(k)) for k in out)
