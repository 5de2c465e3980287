"""Write a table of docs/evidence/judges.md: two judges compared with a crowd.

python scripts/judges_table.py            rewrite the page
python scripts/judges_table.py --check    exit 1 if it is stale

It needs ../shared/data/llmfao_battles.parquet, votes and judgments of LLMFAO; without them the
table stays as it is.
"""

import sys
from collections import defaultdict

import numpy as np

from _section import DOCS, keep
from nstar import stats
from nstar._base.types import Array

DATA = DOCS.parents[1] / "shared" / "data" / "llmfao_battles.parquet"
PAGE = "evidence/judges.md"
SCORES = {"model_a": 1.0, "tie": 0.0, "model_b": -1.0}
JUDGES = {"gpt4": "GPT-4", "gpt3": "GPT-3"}


def battles() -> tuple[dict[str, tuple[str, str]], dict[str, dict[str, float]], dict[str, float]]:
    """Models of each pair of answers; its score by the crowd's mean and by each judge; ties."""
    import pyarrow.parquet as pq  # noqa: PLC0415 only with the data

    table = pq.read_table(DATA).to_pydict()
    models: dict[str, tuple[str, str]] = {}
    votes: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    columns = (table[name] for name in ("source", "pair_id", "model_a", "model_b", "winner"))
    for source, pair, first, second, winner in zip(*columns, strict=True):
        models[pair] = (first, second)
        votes[source][pair].append(SCORES[winner])
    means = {s: {p: float(np.mean(v)) for p, v in of.items()} for s, of in votes.items()}
    ties = {s: float(np.mean([x == 0 for v in of.values() for x in v])) for s, of in votes.items()}
    return models, means, ties


def by_model(
    models: dict[str, tuple[str, str]], people: dict[str, float], judge: dict[str, float]
) -> dict[str, stats.JudgedMean]:
    """Each model's mean score against its opponents, by the crowd and by the judge."""
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for pair, (first, second) in models.items():
        score_pair = (people[pair], judge[pair])
        rows[first].append(score_pair)
        rows[second].append((-score_pair[0], -score_pair[1]))
    return {name: stats.judge_corrected(*np.array(v).T) for name, v in sorted(rows.items())}


def ranks(values: Array) -> Array:
    """From 1, equal values share the mean of their places."""
    below = (values[:, None] > values).sum(axis=1)
    same = (values[:, None] == values).sum(axis=1)
    return np.asarray(below + (same + 1) / 2)


def _shares(estimates: list[stats.JudgedMean]) -> tuple[float, float]:
    """Models whose mean the judge has wrong: by Student's t, and by 1.96 standard errors."""
    errors = np.array([abs(x.bias) / x.bias_se for x in estimates])
    limits = np.array([float(stats.t_quantile(0.975, x.labels - 1)) for x in estimates])
    return float((errors > limits).mean()), float((errors > 1.96).mean())


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def crowd() -> str:
    """A row for each judge."""
    models, means, ties = battles()
    rows = [
        "| judge | ties | correlation with people | judge is worth "
        "| models with a significant bias | range of biases | rank correlation of models |",
        "|---" * 7 + "|",
    ]
    for source, judge in JUDGES.items():
        estimates = list(by_model(models, means["crowd"], means[source]).values())
        r = np.nan_to_num([x.r for x in estimates])
        gain = float(stats.judge_gain(np.sqrt(np.median(r * r)), labels=1, judged=np.inf))
        by_t, by_z = _shares(estimates)
        crowd_ranks = ranks(np.array([x.label_mean for x in estimates]))
        theirs = ranks(np.array([x.judge_mean for x in estimates]))
        bias = [x.bias for x in estimates]
        rows.append(
            f"| {judge} | {100 * ties[source]:.0f}% | {np.median(r):.2f} | {gain:.2f} × "
            f"| {100 * by_t:.0f}% ({100 * by_z:.0f}% by 1.96 standard errors) "
            f"| {_signed(min(bias))} to {_signed(max(bias))} "
            f"| {np.corrcoef(crowd_ranks, theirs)[0, 1]:.2f} |"
        )
    label_counts = sorted(x.labels for x in estimates)
    return "\n".join(
        [
            *rows,
            "",
            f"{len(estimates)} models, {len(models):,} pairs of answers, {label_counts[0]} "
            f"to {label_counts[-1]} of "
            f"them for a model (median {int(np.median(label_counts))}); of the crowd's votes "
            f"{100 * ties['crowd']:.0f}% are ties.",
        ]
    )


if __name__ == "__main__":
    sys.exit(keep(PAGE, "judges-crowd", crowd()) if DATA.exists() else 0)
