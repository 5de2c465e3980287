"""Rules for every task of a gate, such as "at least 4 of 5 runs pass", and flipped tasks.

Each task scores 1 if enough of its runs pass and 0 if not. The gap is then one of shares of tasks,
and the tests of the gate keep their error rates. Single lost tasks do not decide, because some are
always lost by chance; the runs show how many. If nothing changed, the runs of a task are
exchangeable between the two models, whatever its success rate.
"""

from dataclasses import dataclass, replace

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.gate.question import GateQuestion
from nstar._verbs.runs.rule import TaskRule, number_range
from nstar.errors import DataError, arg
from nstar.stats._hypergeometric import dealt, rule_scores

_CLOSE = 1e-6
_MORE_OFTEN = 0.5 - 1e-9
_SIDES = ("candidate", "baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedTask:
    """A task that meets the rule with one model only."""

    task: str
    """Name of the task."""
    is_lost: bool
    """Whether the baseline meets the rule and the candidate does not; False: the reverse."""
    candidate: tuple[int, int]
    """Passes and runs of the candidate."""
    baseline: tuple[int, int]
    """Passes and runs of the baseline."""
    pvalue: float
    """Probability of a difference this large or larger in this direction, if the runs of this task
    were assigned to the two models at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFlips:
    """Tasks that flipped under a rule, and the number expected by chance."""

    n_passes_needed: int
    """Number of runs that must pass."""
    n_runs: int
    """Number of runs that the rule names."""
    n_tasks: int
    """Number of tasks for which both models' runs determine the rule."""
    n_met_candidate: int
    """Number of tasks on which the candidate meets the rule; with extra runs, for most choices of
    that many runs."""
    n_met_baseline: int
    """Number of tasks on which the baseline meets the rule."""
    n_lost: int
    """Number of tasks on which only the baseline meets the rule."""
    n_gained: int
    """Number of tasks on which only the candidate meets the rule."""
    n_lost_by_chance: float
    """Expected number of lost tasks if runs were assigned to the two models at random."""
    n_lost_by_chance_range: tuple[int, int]
    """Range of this number, with the coverage of the interval of the gap."""
    any_lost_probability: float
    """Probability that at least one task is lost by chance: the error of a gate on single tasks.
    """
    n_gained_by_chance: float
    """Expected number of gained tasks if runs were assigned at random."""
    changed_tasks: tuple[FlippedTask, ...]
    """Flipped tasks, lost ones first, in ascending order of p-values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassCounts:
    """Passes and runs of one model by task, 0 of 0 if it has none."""

    passed: IntArray
    runs: IntArray

    def on(self, tasks: IntArray) -> "PassCounts":
        return PassCounts(passed=self.passed[tasks], runs=self.runs[tasks])

    def scores(self, rule: TaskRule) -> Array:
        """Return 1, 0, or a value between by the rule; NaN if undetermined or without runs."""
        rule_values = rule_scores(self.passed, self.runs, needed=rule.needed, of=rule.runs)
        return np.where(self.runs > 0, rule_values, np.nan)

    def meets(self, rule: TaskRule) -> BoolArray:
        """Return whether the rule is met; with extra runs, for more than half of the choices."""
        out: BoolArray = self.scores(rule) >= _MORE_OFTEN
        return out


def passes(mean: Array, runs: IntArray | None, within: Array | None) -> PassCounts | None:
    """Return the counts behind a model's means; None unless all its runs pass or fail."""
    present = ~np.isnan(mean)
    many = np.where(present, 1 if runs is None else runs, 0).astype(np.int64)
    score = np.where(present, mean, 0.0)
    passed = np.rint(score * many).astype(np.int64)
    off = np.abs(score * many - passed)
    if within is not None:
        exact = score * (1 - score) * many / np.maximum(many - 1, 1)
        off = np.maximum(off, np.where(many > 1, np.abs(within - exact), 0.0))
    if (off > _CLOSE).any() or ((passed < 0) | (passed > many)).any():
        return None
    return PassCounts(passed=passed, runs=many)


def _refuse_open(
    side_name: str,
    scores: Array,
    counts: PassCounts,
    rule: TaskRule,
    question: GateQuestion,
    where: str,
) -> None:
    """Raise DataError if too many tasks have too few runs for the rule."""
    has_runs = counts.runs > 0
    left = np.isnan(scores) & has_runs
    if left.sum() > question.missing * has_runs.sum():
        max_runs = int(counts.runs[left].max())
        msg = (
            f"{where}the {side_name} has at most {max_runs:,} run{'s' * (max_runs > 1)} on "
            f"{left.sum():,} of its {has_runs.sum():,} tasks, too few for {rule.needed:,} of "
            f"{rule.runs:,}. Run each task {rule.runs:,} times, or set {arg('at_least')} to fewer "
            f"runs. To count repeated logs as runs, set {arg('runs', 'all')}."
        )
        raise DataError(msg)


def by_rule(
    sample: PairedSample, rule: TaskRule, question: GateQuestion
) -> tuple[PairedSample, RuleFlips]:
    """Return the sample scored by the rule, and the changes of single tasks.

    Raise DataError if runs do not pass or fail, or there are too few of them.
    """
    where = f"{sample.task}: " if sample.task else ""
    a = passes(sample.a, sample.runs_a, sample.within_a)
    b = passes(sample.b, sample.runs_b, sample.within_b)
    if a is None or b is None or sample.lower_is_better:
        msg = (
            f"{where}{arg('at_least')} needs 0/1 scores where 1 is a pass. Remove it, or choose "
            f"such a metric with {arg('metric')}."
        )
        raise DataError(msg)
    scores = a.scores(rule), b.scores(rule)
    for counts, side_scores, side_name in zip((a, b), scores, _SIDES, strict=True):
        _refuse_open(side_name, side_scores, counts, rule, question, where)
    single = replace(sample, runs_a=None, runs_b=None, within_a=None, within_b=None)
    ruled = replace(single, a=scores[0], b=scores[1])
    in_both = np.flatnonzero(~np.isnan(scores[0] + scores[1]))
    names = [sample.items[k] if sample.items else str(k) for k in in_both.tolist()]
    return ruled, _flips(
        names, a.on(in_both), b.on(in_both), rule, 1 - 2 * question.criteria.alpha
    )


def _chance_probabilities(
    a: PassCounts, b: PassCounts, rule: TaskRule
) -> tuple[Array, Array, Array, Array]:
    """Return, by task, the probability of a loss, of a gain, and of each tail of the passes."""
    cells = np.stack([a.passed + b.passed, a.runs + b.runs, a.runs, a.passed], axis=1)
    unique_cells, place = np.unique(cells, axis=0, return_inverse=True)
    total, runs, own_runs, observed = unique_cells.T
    law = dealt(total, runs, own_runs)
    x = np.arange(law.shape[1])[None]
    met, other = (
        PassCounts(passed=passed.ravel(), runs=np.broadcast_to(of[:, None], law.shape).ravel())
        .meets(rule)
        .reshape(law.shape)
        for passed, of in (
            (np.minimum(x, own_runs[:, None]), own_runs),
            (np.clip(total[:, None] - x, 0, (runs - own_runs)[:, None]), runs - own_runs),
        )
    )
    at_most, many = law * (x <= observed[:, None]), law * (x >= observed[:, None])
    parts = (law * (other & ~met), law * (met & ~other), at_most, many)
    lost, gained, low, high = (p.sum(axis=1)[place.reshape(-1)] for p in parts)
    return lost, gained, low, high


def _flips(
    names: list[str], a: PassCounts, b: PassCounts, rule: TaskRule, conf: float
) -> RuleFlips:
    """Return the tasks that flipped, among those that both models ran."""
    met_a, met_b = a.meets(rule), b.meets(rule)
    lost, gained, low, high = _chance_probabilities(a, b, rule)
    flipped = [
        FlippedTask(
            task=names[k],
            is_lost=bool(met_b[k]),
            candidate=(int(a.passed[k]), int(a.runs[k])),
            baseline=(int(b.passed[k]), int(b.runs[k])),
            pvalue=float(low[k] if met_b[k] else high[k]),
        )
        for k in np.flatnonzero(met_a != met_b).tolist()
    ]
    return RuleFlips(
        n_passes_needed=rule.needed,
        n_runs=rule.runs,
        n_tasks=len(names),
        n_met_candidate=int(met_a.sum()),
        n_met_baseline=int(met_b.sum()),
        n_lost=int((met_b & ~met_a).sum()),
        n_gained=int((met_a & ~met_b).sum()),
        n_lost_by_chance=float(lost.sum()),
        n_lost_by_chance_range=number_range(lost, conf),
        any_lost_probability=float(1 - np.prod(1 - lost)),
        n_gained_by_chance=float(gained.sum()),
        changed_tasks=tuple(sorted(flipped, key=lambda t: (not t.is_lost, t.pvalue, t.task))),
    )
