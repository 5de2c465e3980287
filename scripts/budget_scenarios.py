"""Three budgets of a published article, recomputed: writes their part of docs/evidence/budgets.md.

python scripts/budget_scenarios.py            rewrite the part between the markers
python scripts/budget_scenarios.py --check    exit 1 if it is stale
"""

import sys

from _section import keep
from nstar import stats
from nstar._verbs.budget import RunDesign, TaskVariances, plan_runs

BASELINE, RHO = 0.7, 0.5
FLIPS = (0.1, 0.2, 0.3)
QUARTER = 50_000
WEEKS = 13


def points(gap: float) -> str:
    return f"{100 * gap:.1f} pp"


def spread(flip: float) -> TaskVariances:
    return TaskVariances.of_rates(BASELINE, flip, RHO)


def design(budget: float, flip: float, tasks: int | None, runs: int | None = None) -> RunDesign:
    best_design = plan_runs(
        spread(flip), budget=budget, tasks_available=tasks, runs=runs
    ).best_design
    assert best_design is not None
    return best_design


def split(designs: list[RunDesign]) -> str:
    def runs(d: RunDesign) -> str:
        return f"{d.n_runs_a}" if d.n_runs_a == d.n_runs_b else f"({d.n_runs_a}, {d.n_runs_b})"

    return " or ".join(dict.fromkeys(f"{d.n_tasks:,} × {runs(d)}" for d in designs))


def row(name: str, budget: float, tasks: int | None, runs: int | None = None) -> str:
    designs = [design(budget, flip, tasks, runs) for flip in FLIPS]
    limit = "any number" if tasks is None else f"{tasks:,}"
    origin = "as given" if runs else "best"
    gaps = " | ".join(points(d.mde) for d in designs)
    return f"| {name} | {budget:,.0f} | {limit} | {origin} | {split(designs)} | {gaps} |"


def table() -> list[str]:
    head = " | ".join(f"{100 * f:.0f}% flips" for f in FLIPS)
    deep, weekly = 0.4 * QUARTER, 0.6 * QUARTER / WEEKS
    return [
        f"| scenario | budget | tasks available | split | tasks × runs | {head} |",
        "|---|---:|---:|---|---:|" + "---:|" * len(FLIPS),
        row("startup", 500, 50, 5),
        row("startup", 500, 50),
        row("startup", 500, None),
        row("mid-size team", 5_000, 100, 25),
        row("mid-size team", 5_000, None),
        row("production, one deep study", deep, 100),
        row("production, one deep study", deep, 1_000),
        row("production, one deep study", deep, None),
        row("production, a check every week", weekly, 100),
        row("production, a check every week", weekly, None),
    ]


def implied() -> tuple[float, float, float]:
    """Variance that each printed gap implies for one task, and that of runs that both imply."""
    k2 = float(stats.k_factor()) ** 2
    first, second = 50 * 0.25**2 / k2, 100 * 0.12**2 / k2
    return first, second, (first - second) / (1 / 5 - 1 / 25)


def text() -> str:
    first, second, within = implied()
    assert within > 0.5
    return "\n".join(
        [
            *table(),
            "",
            "The article states 25 pp for 50 tasks × 5 runs and 12 pp for 100 × 25. The first "
            f"value implies a variance of {first:.3f} for the difference on one task, and the "
            f"second implies {second:.3f}. Together, they imply run-to-run variances with a sum "
            f"of {within:.2f}, but two 0/1 scores have at most 0.5. Therefore, the two values "
            "cannot both be right. The first value corresponds to different tasks for each agent "
            "and ignores the five runs.",
        ]
    )


def main() -> int:
    return keep("evidence/budgets.md", "scenarios", text())


if __name__ == "__main__":
    sys.exit(main())
