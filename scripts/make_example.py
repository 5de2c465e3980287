"""Write the tables of examples/: made-up models on made-up items, for the docs.

results.csv has three models on 800 items, agents.csv two agents with repeated runs of 60 tasks,
votes.csv 640 votes between seven models on 40 prompts, judged.csv two models on 1,000 questions
that a judge scored, 200 of them labeled by people too, judged_board.csv five on 800, 160 of
them labeled, judges.csv the judgments of three judges, newcomer.csv a model on 200 of the
items of results.csv.

python scripts/make_example.py            rewrite the files
python scripts/make_example.py --check    exit 1 if one is not what this script makes
"""

import sys
from pathlib import Path

import numpy as np

from _section import keep_page

FOLDER = Path(__file__).parents[1] / "examples"
SUBJECTS = ("algebra", "law", "medicine", "history")
ABILITY = {"alpha": 1.0, "beta": 0.85, "gamma": 0.3}
AGENTS = {"ada": (0.7, 5, 0.40), "bob": (0.0, 3, 0.15)}
"""Ability, runs of each task, mean cost of a run in dollars."""

RATED = {"heron": 0.75, "ibis": 0.6, "jay": 0.25, "kite": 0.0, "lark": -0.5, "merlin": -1.1}
"""Strength in log odds of a decisive vote."""
WORDS = {"heron": 5.7, "ibis": 5.2, "jay": 5.3, "kite": 5.25, "lark": 5.0, "merlin": 5.1}
"""Mean logarithm of the length of an answer, in characters."""


def results() -> str:
    """Two close models and a weaker one; gamma's last 60 items are missing."""
    rng = np.random.default_rng(20261115)
    difficulty = rng.normal(size=800)
    lines = ["model,item,subject,score"]
    for model, ability in ABILITY.items():
        right = ability + 0.7 * rng.normal(size=800) > difficulty
        last = 740 if model == "gamma" else 800
        lines += [f"{model},q{k:03d},{SUBJECTS[k % 4]},{int(right[k])}" for k in range(last)]
    return "\n".join(lines) + "\n"


def newcomer() -> str:
    """A model between beta and gamma that ran on a random quarter of their items."""
    difficulty = np.random.default_rng(20261115).normal(size=800)
    rng = np.random.default_rng(20261127)
    right = 0.6 + 0.7 * rng.normal(size=800) > difficulty
    sampled = np.sort(rng.permutation(800)[:200])
    rows = (f"delta,q{k:03d},{SUBJECTS[k % 4]},{int(right[k])}" for k in sampled)
    return "\n".join(["model,item,subject,score", *rows]) + "\n"


def agents() -> str:
    """Tasks from easy to hopeless, on which runs of one agent differ; hard tasks cost more."""
    rng = np.random.default_rng(20261116)
    difficulty = 2.5 * rng.normal(size=60)
    lines = ["model,item,run,score,cost"]
    for model, (ability, runs, money) in AGENTS.items():
        rate = 1 / (1 + np.exp(difficulty - ability - 0.8 * rng.normal(size=60)))
        for k in range(60):
            passed = rng.random(runs) < rate[k]
            cost = money * rng.gamma(4, 0.25, runs) * (1.2 - 0.4 * rate[k])
            lines += [
                f"{model},t{k + 1:02d},{r + 1},{int(passed[r])},{cost[r]:.3f}" for r in range(runs)
            ]
    return "\n".join(lines) + "\n"


def votes() -> str:
    """Prompts favor models, voters the first and the longer answer; wren won all its votes."""
    rng = np.random.default_rng(20261124)
    name, strength = np.array(list(RATED)), np.array(list(RATED.values()))
    prompt = rng.integers(0, 40, 636)
    judge = rng.integers(0, 60, 636)
    a = rng.integers(0, 6, 636)
    b = (a + rng.integers(1, 6, 636)) % 6
    length = np.exp(np.array(list(WORDS.values())) + rng.normal(0, 0.4, (636, 6))).round()
    preference = rng.normal(0, 1.0, (40, 6))[prompt] + strength
    long, k = length - length.mean(axis=1, keepdims=True), np.arange(636)
    gap = (preference + long / 150)[k, a] - (preference + long / 150)[k, b] + 0.4
    won, tied = np.exp(gap / 2), rng.random(636) < 0.25
    first = rng.random(636) < won / (won + 1 / won)
    lines = ["model_a,model_b,winner,prompt,judge,length_a,length_b"]
    for i in range(636):
        winner = "tie" if tied[i] else "model_a" if first[i] else "model_b"
        match_text = (
            f"{name[a[i]]},{name[b[i]]},{winner},p{prompt[i] + 1:02d},judge{judge[i] + 1:02d}"
        )
        lines.append(f"{match_text},{length[i, a[i]]:.0f},{length[i, b[i]]:.0f}")
    new = [("wren", "kite"), ("lark", "wren"), ("wren", "merlin"), ("kite", "wren")]
    lines += [
        f"{x},{y},model_{'ab'[y == 'wren']},p{k + 1:02d},judge01,190,180"
        for k, (x, y) in enumerate(new)
    ]
    return "\n".join(lines) + "\n"


def _judged(seed: int, items: int, models: dict[str, tuple[float, float]]) -> str:
    """Models by their ability and the share of mistakes that pass; a random fifth is labeled."""
    rng = np.random.default_rng(seed)
    difficulty, lines = rng.normal(size=items), ["model,question_id,topic,verdict,human"]
    labeled = np.isin(np.arange(items), rng.permutation(items)[: items // 5])
    for model, (ability, lenient) in models.items():
        right = ability + 0.7 * rng.normal(size=items) > difficulty
        luck = rng.random(items)
        passed = np.where(right, luck >= 0.1, luck < lenient)
        for k in range(items):
            human = int(right[k]) if labeled[k] else ""
            lines.append(f"{model},q{k:04d},{SUBJECTS[k % 4]},{int(passed[k])},{human}")
    return "\n".join(lines) + "\n"


def judged() -> str:
    """A judge that lets more of beta's mistakes pass."""
    return _judged(20261125, 1000, {"alpha": (1.0, 0.10), "beta": (0.55, 0.35)})


def judged_board() -> str:
    """Five models; a judge that lets most of gamma's mistakes pass."""
    models = {"alpha": (1.1, 0.1), "beta": (0.9, 0.1), "gamma": (0.2, 0.6), "delta": (0.5, 0.1)}
    return _judged(20261126, 800, {**models, "epsilon": (-0.3, 0.1)})


def judges() -> str:
    """Three judges, each asked twice, of two models on 300 questions, half of them labeled."""
    rng = np.random.default_rng(20261126)
    difficulty, lines = rng.normal(size=300), ["model,question_id,judge,repeat,score,human"]
    labeled = np.isin(np.arange(300), rng.permutation(300)[:150])
    errors = {"large": (0.06, 0.08, 0.10), "medium": (0.12, 0.20, 0.20), "small": (0.2, 0.3, 0.55)}
    for model, ability in {"alpha": 1.0, "beta": 0.6}.items():
        right = ability + 0.7 * rng.normal(size=300) > difficulty
        for judge, (miss, *let) in errors.items():
            wrong = np.where(right, miss, let[model == "beta"])
            opinion = rng.random(300) < wrong
            for repeat in (1, 2):
                slip = rng.random(300) < 0.04
                judgments = right ^ opinion ^ slip
                for k in range(300):
                    human = int(right[k]) if labeled[k] else ""
                    lines.append(f"{model},q{k:03d},{judge},{repeat},{int(judgments[k])},{human}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    makers = (results, agents, votes, judged, judged_board, judges, newcomer)
    sys.exit(max(keep_page(FOLDER / f"{make.__name__}.csv", make()) for make in makers))
