"""Figures of docs/figures.md from real results of MMLU-Pro and votes of LLMFAO.

python scripts/figures.py            draw them
python scripts/figures.py --check    exit 1 if one is stale

It needs ``../shared/data/mmlu_pro.parquet``, and ``llmfao_battles.parquet`` beside it; without
them nothing is done.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import nstar
from _section import keep_figure_words, keep_page
from nstar._data.matrix import ScoreMatrix
from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate
from nstar._verbs.plan.board import BoardPilot, board_pilot, plan_pilot_board
from nstar.report.charts import Figure, figure
from nstar.report.charts.heat import heat
from nstar.report.charts.ladder import NARROW, ladder
from nstar.report.charts.win_matrix import win_matrix

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "figures"
DATA = ROOT.parent / "shared" / "data" / "mmlu_pro.parquet"
NEIGHBORS = ("Meta-Llama-3_1-70B-Instruct", "DeepSeek-Coder-V2")
VOTES = "llmfao_battles.parquet"
SCORES = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}
PILOT = 200
"""Items of a pilot."""
WATCHED = ("Qwen1.5-110B", "Qwen1.5-72B-Chat")


def board_figures(matrix: ScoreMatrix) -> Iterator[tuple[str, Figure]]:
    audit = nstar.audit(matrix, items="common", pairs="all")
    neighbors = nstar.audit(matrix, items="common")
    items = nstar.items(matrix, exclude="DeepSeek-Coder-V2", items="common")
    yield "heat", figure(items)
    yield "heat-narrow", heat(items, width=NARROW)
    yield "ladder", figure(audit, where="Qwen1.5-110B")
    yield "ladder-narrow", ladder(audit, where="Qwen1.5-110B", width=NARROW)
    yield "forest", figure(neighbors, "forest")
    clustered = nstar.audit(matrix, items="common", cluster="subject")
    yield "ladder-clusters", figure(clustered)
    yield "ladder-clusters-narrow", ladder(clustered, width=NARROW)
    yield "groups", figure(audit.compare(*NEIGHBORS), "groups")
    noise = nstar.PairedRho(baseline=0.7, rho=0.4)
    yield "power", figure(nstar.plan(noise, delta=0.02))
    yield "rates", figure(simulated())
    yield "evidence", figure(watched(matrix))
    yield "race", figure(raced(matrix))
    yield "gaps", figure(plan_pilot_board(pilot(matrix), models=20, items=800))


def drawn_of_votes(result: Battles) -> Iterator[tuple[str, Figure]]:
    yield "votes-ladder", figure(result)
    yield "votes-ladder-narrow", ladder(result, width=NARROW)
    yield "votes-matrix", figure(result, "matrix")
    yield "votes-matrix-narrow", win_matrix(result, width=NARROW)


def voted(path: Path) -> Battles:
    """What the crowd of LLMFAO said of 59 models."""
    votes = pq.read_table(path, filters=[("source", "=", "crowd")]).to_pydict()
    all_votes = Votes.of(
        votes["model_a"],
        votes["model_b"],
        [SCORES[winner] for winner in votes["winner"]],
        groups={"prompt": votes["question_id"], "judge": votes["judge"]},
    )
    return rate(all_votes, BattlesQuestion(), Execution())


def watched(matrix: ScoreMatrix) -> nstar.WatchResult:
    """Two models on their common items in random order, until it is decided."""
    a, b = (matrix.row(matrix.index(name)) for name in WATCHED)
    common = np.flatnonzero(~np.isnan(a) & ~np.isnan(b))
    watch = nstar.Watch(items=len(common), a=WATCHED[0], b=WATCHED[1])
    for item in watch.stream(np.random.default_rng(0).permutation(common)):
        watch.update(a[item], b[item])
    return watch.result


def complete(matrix: ScoreMatrix) -> np.ndarray:
    """Scores on the items that all models have, in random order, items × models."""
    scores = np.stack([matrix.row(name) for name in matrix.models], axis=1)
    complete_scores = scores[~np.isnan(scores).any(axis=1)]
    return complete_scores[np.random.default_rng(0).permutation(len(complete_scores))]


def pilot(matrix: ScoreMatrix) -> BoardPilot:
    """All models on a few items."""
    return board_pilot(complete(matrix)[:PILOT])


def raced(matrix: ScoreMatrix) -> nstar.RaceResult:
    """All models, until one is left; dropped ones are not asked any more."""
    scores = complete(matrix)
    race = nstar.Race(matrix.models, items=len(scores))
    at = {name: k for k, name in enumerate(matrix.models)}
    for item in race.stream(range(len(scores))):
        race.update({name: scores[item, at[name]] for name in race.running}, item=item)
    return race.result


def simulated() -> nstar.Simulation:
    return nstar.simulate(
        "beta",
        items=[50, 100, 200, 500, 1000],
        tests=["t", "wilcoxon"],
        delta=[0.0, 0.01, 0.02],
        rho=[0.5, 0.8, 0.95],
    )


def main() -> int:
    if not DATA.exists():
        print(f"{DATA} is absent; nothing to draw", file=sys.stderr)
        return 0
    matrix = replace(nstar.matrices(nstar.read(str(DATA)))[0], task="MMLU-Pro")
    votes = DATA.with_name(VOTES)
    of_votes = drawn_of_votes(voted(votes)) if votes.exists() else ()
    stale = [
        keep_page(FIGURES / f"{name}.svg", one.render(".svg").decode("utf-8"))
        for name, one in chain(board_figures(matrix), of_votes)
    ]
    return max(*stale, keep_figure_words())


if __name__ == "__main__":
    sys.exit(main())
