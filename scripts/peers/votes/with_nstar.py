"""nstar on votes.csv: as it comes, without the position, across prompts; Davidson's ties.

python with_nstar.py votes.csv > nstar.json
"""

import csv
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import nstar
from nstar import stats

VOTES = sys.argv[1]
SCORES = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}


def rated(**options: Any) -> dict[str, Any]:
    start = time.process_time()
    result = nstar.battles(VOTES, **options)
    seconds = time.process_time() - start
    table = result.ratings
    columns = {"rating": table.rating, "low": table.ci_low, "high": table.ci_high}
    ranks = {"rank_low": table.rank_low, "rank_high": table.rank_high}
    n_significant = sum(word != "inconclusive" for word in result.adjacent.verdict)
    return {
        "seconds": {"with intervals": seconds},
        **{name: dict(zip(table.model, v.tolist(), strict=True)) for name, v in columns.items()},
        **{name: dict(zip(table.model, v.tolist(), strict=True)) for name, v in ranks.items()},
        "neighbors": n_significant,
        "critical": result.critical_value,
        "position": None if result.position_effect is None else result.position_effect.elo,
        "variance": {"+".join(g.columns): g.design_effect for g in result.groupings},
    }


def information() -> float:
    """Median width of intervals from the information alone, over those of the sandwich."""
    with Path(VOTES).open(encoding="utf-8") as file:
        votes = list(csv.DictReader(file))
    names = sorted({vote[side] for vote in votes for side in ("model_a", "model_b")})
    first, second = ([names.index(v[side]) for v in votes] for side in ("model_a", "model_b"))
    rows = stats.vote_cells(stats.VoteRows.of(first, second, [SCORES[v["winner"]] for v in votes]))
    fit = stats.bradley_terry_fit(rows)
    inverse = stats.information_inverse(fit.information, models=rows.models)
    sandwich = stats.vote_covariance(rows, fit).matrix
    return float(np.median(np.sqrt(np.diag(inverse) / np.diag(sandwich))))


json.dump(
    {
        "plain": rated(position=False),
        "default": rated(),
        "prompts": rated(cluster="prompt"),
        "davidson": rated(position=False, ties="davidson"),
        "information": information(),
    },
    sys.stdout,
)
