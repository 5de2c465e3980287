"""A/A test: false alarms of a gate between runs of the same model."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from nstar import stats
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Interval
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import from_matrix
from nstar._verbs.gate.decide import judged
from nstar._verbs.gate.question import GateQuestion
from nstar._verbs.gate.task_gate import look
from nstar._verbs.verdict import GateVerdict, judge_tasks
from nstar.errors import DataError

_CONF = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCounts:
    """Verdicts of a gate over some pairs of runs."""

    n_pass: int
    """Number of PASS verdicts."""
    n_regression: int
    """Number of REGRESSION verdicts: false alarms, because nothing changed."""
    n_inconclusive: int
    """Number of INCONCLUSIVE verdicts."""
    n_invalid_data: int
    """Number of INVALID DATA verdicts."""

    @derived
    def n_pairs(self) -> int:
        """Return the number of pairs judged."""
        return self.n_pass + self.n_regression + self.n_inconclusive + self.n_invalid_data


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class FalseAlarms(Result):
    """Verdicts of a gate on repeated runs of one model."""

    runs: tuple[str, ...]
    """Names of the runs."""
    tasks: tuple[str, ...]
    """Names of the tasks."""
    n_items: int
    """Number of items of all tasks."""
    question: GateQuestion
    """Question of the gate."""
    ordered_pairs: AnswerCounts
    """Verdicts for every ordered pair of runs as candidate and baseline. These pairs share runs.
    """
    disjoint_pairs: AnswerCounts
    """Verdicts for pairs that share no run: the first two, the next two, and so on."""
    ci: Interval | None
    """Exact 95% interval of the false-alarm rate, from the disjoint pairs alone."""
    confidence_level: float
    """Coverage of ``ci``."""
    example_alarm: tuple[str, str] | None
    """An ordered pair that raised an alarm; None if none did."""
    settings_file: str | None = None
    """Settings file that set parts of the question; None without one."""


def _tally(words: Iterable[GateVerdict]) -> AnswerCounts:
    counts = Counter(words)
    return AnswerCounts(
        n_pass=counts["pass"],
        n_regression=counts["regression"],
        n_inconclusive=counts["inconclusive"],
        n_invalid_data=counts["invalid_data"],
    )


def _answer(
    matrices: Sequence[ScoreMatrix], names: tuple[str, str], question: GateQuestion
) -> GateVerdict:
    try:
        looks = [look(from_matrix(m, names), question) for m in matrices]
    except DataError:
        return "invalid_data"
    return judge_tasks(c.verdict for c in judged(looks, question))


def false_alarms(matrices: Sequence[ScoreMatrix], question: GateQuestion) -> FalseAlarms:
    """Judge every ordered pair of runs of one model as candidate and baseline.

    There is one matrix per task, whose rows are the runs.

    >>> import numpy as np
    >>> scores = np.random.default_rng(1).integers(0, 2, (4, 400))
    >>> matrix = ScoreMatrix.from_arrays(scores, models=["r1", "r2", "r3", "r4"])
    >>> alarms = false_alarms([matrix], GateQuestion(margin=0.2))
    >>> (
    ...     alarms.ordered_pairs.n_pairs,
    ...     alarms.ordered_pairs.n_regression,
    ...     alarms.disjoint_pairs.n_pairs,
    ... )
    (12, 0, 2)
    """
    names = tuple(matrices[0].models)
    if len(names) < 2:
        msg = f"A false-alarm rate needs at least 2 runs of one model; found {len(names)}."
        raise DataError(msg)
    answers = {pair: _answer(matrices, pair, question) for pair in permutations(names, 2)}
    disjoint_answers = [answers[names[k], names[k + 1]] for k in range(0, len(names) - 1, 2)]
    disjoint = _tally(disjoint_answers)
    judged_pairs = disjoint.n_pairs - disjoint.n_invalid_data
    interval = None
    if judged_pairs:
        low, high = stats.clopper_pearson_interval(disjoint.n_regression, judged_pairs, conf=_CONF)
        interval = Interval(float(low), float(high))
    return FalseAlarms(
        runs=names,
        tasks=tuple(m.task for m in matrices),
        n_items=sum(len(m.items) for m in matrices),
        question=question,
        ordered_pairs=_tally(answers.values()),
        disjoint_pairs=disjoint,
        ci=interval,
        confidence_level=_CONF,
        example_alarm=next((pair for pair, word in answers.items() if word == "regression"), None),
    )
