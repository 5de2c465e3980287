"""Ratings of votes against evalica, where both answer the same question.

Its Bradley–Terry counts a tie as half a win by default, and its Newman has ties as Davidson's with
ν = 2v; neither allows for the position. Both iterate until scores move by less than a tolerance.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nstar import stats
from nstar._base.types import Array

evalica: Any = pytest.importorskip("evalica")

HERE = Path(__file__).parent
REAL = HERE.parents[2] / "shared" / "data" / "llmfao_battles.parquet"
TIGHT = {"tolerance": 1e-13, "limit": 20_000}
WINNERS = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}


def small() -> stats.VoteRows:
    text = (HERE / "r" / "votes.json").read_text(encoding="utf-8")
    votes = json.loads(text)["tables"]["votes"]
    return stats.VoteRows.of(votes["first"], votes["second"], votes["score"])


def crowd() -> stats.VoteRows:
    """8,931 votes on 59 models (LLMFAO)."""
    if not REAL.exists():
        pytest.skip("data not present")
    import pyarrow.parquet as pq  # noqa: PLC0415 only with the data

    table = pq.read_table(REAL, filters=[("source", "=", "crowd")]).to_pydict()
    names = sorted({*table["model_a"], *table["model_b"]})
    place = {name: k for k, name in enumerate(names)}
    score = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}
    return stats.VoteRows.of(
        [place[name] for name in table["model_a"]],
        [place[name] for name in table["model_b"]],
        [score[winner] for winner in table["winner"]],
    )


def theirs(rows: stats.VoteRows) -> dict[str, Any]:
    winners = [WINNERS[float(y)] for y in rows.score]
    return {"xs": rows.first.tolist(), "ys": rows.second.tolist(), "winners": winners}


def strengths(rows: stats.VoteRows, found: Any) -> Array:
    """Logarithms of its scores in the order of models; only their gaps have a meaning."""
    beta = np.log(found.scores.reindex(range(rows.models)).to_numpy())
    return np.asarray(beta - beta.mean())


@pytest.mark.parametrize("votes", [small, crowd])
def test_bradley_terry_with_half_ties(votes: Any) -> None:
    rows = votes()
    found = evalica.bradley_terry(**theirs(rows), **TIGHT)
    ours = stats.bradley_terry_fit(stats.vote_cells(rows)).strengths
    np.testing.assert_allclose(ours, strengths(rows, found), atol=1e-10)


@pytest.mark.parametrize("votes", [small, crowd])
def test_bradley_terry_of_decisive_votes(votes: Any) -> None:
    rows = votes()
    found = evalica.bradley_terry(**theirs(rows), tie_weight=0.0, **TIGHT)
    decisive = rows.part(rows.score != 0.5)
    ours = stats.bradley_terry_fit(stats.vote_cells(decisive)).strengths
    np.testing.assert_allclose(ours, strengths(rows, found), atol=1e-10)


@pytest.mark.parametrize("votes", [small, crowd])
def test_weights(votes: Any) -> None:
    rows = votes()
    weight = np.random.default_rng(20240612).choice([0.5, 1.0, 3.0], len(rows))
    found = evalica.bradley_terry(**theirs(rows), weights=weight.tolist(), **TIGHT)
    weighted = stats.VoteRows.of(rows.first, rows.second, rows.score, weight=weight)
    ours = stats.bradley_terry_fit(stats.vote_cells(weighted)).strengths
    np.testing.assert_allclose(ours, strengths(rows, found), atol=1e-10)


@pytest.mark.parametrize("votes", [small, crowd])
def test_newman_is_davidson(votes: Any) -> None:
    rows = votes()
    found = evalica.newman(**theirs(rows), **TIGHT)
    ours = stats.davidson_fit(stats.vote_cells(rows))
    np.testing.assert_allclose(ours.strengths, strengths(rows, found), atol=1e-9)
    assert ours.log_tie == pytest.approx(np.log(2 * found.v), abs=1e-9)
