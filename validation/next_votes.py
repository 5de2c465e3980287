"""Next votes: gaps decided and coverage after batches that are chosen, through ``battles``.

python -m validation.next_votes 60    print the table of docs/evidence/votes.md
"""

import sys
from dataclasses import replace

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate
from validation.votes import intervals_cover

MODELS, FIRST, BATCHES, BATCH, TIES, SPREAD, SEED = 10, 1000, 5, 300, 0.2, 0.48, 31
DEVIATIONS = (0.0, 0.15, 0.3)
"""Standard deviation of a pair's log odds around the difference of strengths."""


def _scored(rng: np.random.Generator, p: Array) -> Array:
    """Scores with these means, a fifth of them ties."""
    is_tied = rng.random(p.size) < TIES
    decisive = np.clip((p - TIES / 2) / (1 - TIES), 0, 1)
    return np.where(is_tied, 0.5, (rng.random(p.size) < decisive) * 1.0)


def _votes(first: Array, second: Array, score: Array) -> Votes:
    names = np.array([f"m{k:03}" for k in range(MODELS)])
    return Votes.of(names[first], names[second], score, ordered=False)


def board(run: int, deviation: float, aim: str) -> tuple[Battles, Battles, Array]:
    """Ratings after all batches, without and with weights; strengths of endless random votes."""
    rng = np.random.default_rng([SEED, run])
    strengths = np.sort(SPREAD * rng.standard_normal(MODELS))[::-1]
    pairs = np.triu_indices(MODELS, 1)
    off = np.zeros((MODELS, MODELS))
    off[pairs] = deviation * rng.standard_normal(len(pairs[0]))
    chance = special.expit(strengths[:, None] - strengths + off - off.T)
    truth = stats.bradley_terry_fit(stats.VoteRows.of(*pairs, chance[pairs])).strengths
    rng = np.random.default_rng([SEED + 1, run])
    first, second, score, known = (np.zeros(0, t) for t in (np.int64, np.int64, float, float))
    for batch in range(BATCHES + 1):
        n = BATCH if batch else FIRST
        if batch and aim != "random":
            top = 1 if aim == "top" else None
            question = BattlesQuestion(draws=400, seed=run, next=n, top=top)
            result = rate(_votes(first, second, score), question, Execution(workers=1))
            assert result.next_votes is not None  # noqa: S101
            table = result.next_votes.votes
            a, b = (np.array([int(x[1:]) for x in m]) for m in (table.model_a, table.model_b))
            probability = table.pair_probability
        else:
            a = rng.integers(0, MODELS, n)
            b = (a + rng.integers(1, MODELS, n)) % MODELS
            probability = np.full(n, np.nan)
        score = np.concatenate([score, _scored(rng, chance[a, b])])
        first, second = np.concatenate([first, a]), np.concatenate([second, b])
        known = np.concatenate([known, probability])
    votes = _votes(first, second, score)
    question, execution = BattlesQuestion(draws=1000, seed=run), Execution(workers=1)
    plain = rate(votes, question, execution)
    if aim == "random":
        return plain, plain, truth
    return plain, rate(replace(votes, probability=known), question, execution), truth


def _covered(result: Battles, truth: Array) -> float:
    order = np.array([int(name[1:]) for name in result.ratings.model])
    return float(intervals_cover(result, truth[order])[np.triu_indices(len(order), 1)].mean())


def cell(boards: int, deviation: float, aim: str) -> Array:
    """Gaps decided rightly, leaders proved, coverage, that without weights, boards weighted."""
    out = []
    for run in range(boards):
        plain, result, truth = board(run, deviation, aim)
        order = np.array([int(name[1:]) for name in result.ratings.model])
        right = truth[order][:-1] > truth[order][1:]
        decided = np.array([word == "significant" for word in result.adjacent.verdict])
        is_best = order[0] == truth.argmax() and result.ratings.rank_high[0] == 1
        chosen = result.chosen_pairs
        weighted = chosen is not None and chosen.weighted_because is not None
        covered = (_covered(result, truth), _covered(plain, truth))
        out.append((np.count_nonzero(right & decided), is_best, *covered, weighted))
    return np.asarray(out, dtype=np.float64).mean(axis=0)


if __name__ == "__main__":
    for sd in DEVIATIONS:
        for pairs_by, name in (("random", "random"), ("ranks", "`--next`"), ("top", "`--top 1`")):
            decided_gaps, *shares = cell(int(sys.argv[1]), sd, pairs_by)
            cells = " | ".join(f"{share:.1%}" for share in shares)
            sys.stdout.write(f"| {sd:g} | {name} | {decided_gaps:.2f} | {cells} |\n")
