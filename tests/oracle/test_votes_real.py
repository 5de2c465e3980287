"""LLMFAO: 8,931 votes of a crowd on 59 models, against values obtained by other means."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from nstar import stats

HERE = Path(__file__).parent
FILE = HERE.parents[2] / "shared" / "data" / "llmfao_battles.parquet"
SCORES = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}


def crowd() -> dict[str, Any]:
    if not FILE.exists():
        pytest.skip("data not present")
    table = pq.read_table(FILE).to_pydict()
    kept = [k for k, source in enumerate(table["source"]) if source == "crowd"]
    return {name: [values[k] for k in kept] for name, values in table.items()}


def test_strengths_of_llmfao() -> None:
    item = next(
        i
        for i in json.loads((HERE / "golden_next.json").read_text(encoding="utf-8"))["items"]
        if i["id"] == "battles.llmfao"
    )
    want, votes = item["expected"], crowd()
    names = sorted({*votes["model_a"], *votes["model_b"]})
    a, b = (np.array([names.index(m) for m in votes[side]]) for side in ("model_a", "model_b"))
    rows = stats.VoteRows.of(a, b, [SCORES[w] for w in votes["winner"]], models=len(names))
    fit = stats.bradley_terry_fit(stats.vote_cells(rows))
    order = np.argsort(-fit.strengths)[:5]
    assert len(rows) == want["votes"]
    assert len(names) == want["models"]
    assert int((rows.score == 0.5).sum()) == want["ties"]
    assert [names[k] for k in order] == want["top"]
    assert fit.strengths[order] == pytest.approx(want["beta_sum_zero"], abs=item["tol"])
    pair = [order[:2]]
    single = stats.vote_covariance(stats.vote_cells(rows), fit).matrix
    assert stats.resistance(single, pairs=pair) ** 0.5 == pytest.approx(
        want["se_gap_iid"], abs=item["tol"]
    )
    groups = np.unique(votes["pair_id"], return_inverse=True)[1]
    paired = stats.vote_covariance(rows, fit, clusters=(groups,)).matrix
    assert stats.resistance(paired, pairs=pair) ** 0.5 == pytest.approx(
        want["se_gap_pair_cluster"], abs=item["tol"]
    )
    assert len(stats.strong_components(rows)[1]) == want["strong_components"]
