"""Write sentences on a Gate of one model against a threshold."""

from collections.abc import Callable, Iterator, Sequence

from nstar._verbs.gate import Gate, TaskGate
from nstar.errors import arg
from nstar.report.documents import TextTable
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.gap import coverage, declared_gap, gap_decimals, points, score, unit
from nstar.report.prose.numbers import count, items, name, percent, pvalue

RARE = (
    "For graded or grouped scores, the tests allow for scores at either end of the scale that are "
    "too rare to be observed."
)


def directions(check: TaskGate) -> tuple[str, str]:
    """Return where a passing score lies, and where a failing one lies."""
    return ("below", "above") if check.comparison.lower_is_better else ("above", "below")


def common_direction(checks: Sequence[TaskGate]) -> tuple[str, str]:
    """Return where passing and failing scores of has_many_tasks tasks lie."""
    sides = {directions(check) for check in checks}
    return sides.pop() if len(sides) == 1 else ("better than", "worse than")


def passing_words(checks: Sequence[TaskGate]) -> str:
    """Return what a PASS of every task shows."""
    if not checks:
        return "better than the threshold"
    within = ""
    if checks[0].margin is not None and common_direction(checks)[0] == "better than":
        within = ", or worse by less than the margin"
        return f"better than the {threshold_words(checks[0])} threshold{within}"
    return f"{common_direction(checks)[0]} {target_words(checks[0])}"


def failing_words(gate: Gate) -> str:
    """Return what a REGRESSION shows."""
    if not gate.tasks:
        return "worse than the threshold"
    return f"{common_direction(gate.tasks)[1]} the {threshold_words(gate.tasks[0])} threshold"


def _score(check: TaskGate, value: float) -> str:
    """Return a score with the decimals of gaps, so that it is not rounded to the threshold."""
    if not points(check.comparison):
        return score(check.comparison, value)
    decimals = gap_decimals(check.comparison) or 1
    return percent(value, decimals)


def threshold_words(check: TaskGate) -> str:
    """Return the threshold with the digits that the user set."""
    value = check.comparison.threshold or 0.0
    return (
        f"{100 * value:.6g}%"
        if points(check.comparison)
        else f"{value:.6g}{unit(check.comparison)}"
    )


def target_words(check: TaskGate) -> str:
    """Return the score that a PASS must exceed, as a phrase."""
    words = f"the {threshold_words(check)} threshold"
    if check.margin is None:
        return words
    sign = "plus" if check.comparison.lower_is_better else "minus"
    return f"{words} {sign} the {declared_gap(check.comparison, check.margin)} margin"


def score_span(check: TaskGate) -> str:
    """Return the interval of the score."""
    threshold = check.comparison.threshold or 0.0
    low, high = (_score(check, float(end) + threshold) for end in check.evidence.ci)
    unit_of_low = "%" if points(check.comparison) else unit(check.comparison)
    return f"{low.removesuffix(unit_of_low)} to {high}"


def finding(gate: Gate, check: TaskGate) -> str:
    """Return the finding of one task, without its verdict."""
    passing, failing = directions(check)
    e, mean = check.evidence, _score(check, check.mean_candidate)
    p: float | None = e.pvalue_better if check.margin is None else e.pvalue_not_worse
    if check.verdict == "regression":
        claim, p = f"{failing} the {threshold_words(check)} threshold", check.pvalue_worse_adjusted
    elif check.is_harmless_loss:
        margin = declared_gap(check.comparison, check.margin)
        claim = f"{failing} the {threshold_words(check)} threshold, but within the {margin} margin"
    elif check.verdict == "pass":
        claim = f"{passing} {target_words(check)}"
    else:
        claim, p = f"not shown to be {passing} {target_words(check)}", None
        if check.margin is None:
            claim = f"not shown to be {passing} or {failing} {target_words(check)}"
    if check.missing_items_decide:
        missing = check.n_missing_candidate
        count_text = "1 missing item" if missing == 1 else f"{missing:,} missing items"
        claim = f"and the result depends on {count_text}"
    parts = [
        f"{coverage(e.confidence_level)} {_kind(gate)} {score_span(check)}",
        *([] if p is None else [f"one-sided {p_is(p)}"]),
        items(check.n_items),
    ]
    first = name(gate.candidate)
    if gate.pooled_evidence is not None:
        n = gate.pooled_evidence.n_evaluations
        over = "1 evaluation" if n == 1 else f"{n:,} evaluations"
        interval, *rest = parts
        p_text = f" ({rest[0]})" if len(rest) > 1 else ""
        return (
            f"over {over}, {first} is {claim.removeprefix('and ')}{p_text}. This evaluation: "
            f"{mean} ({interval}, {rest[-1]})."
        )
    comma = "" if claim.startswith("and") else ","
    return f"{first} scores {mean}{comma} {claim} ({', '.join(parts)})."


def _kind(gate: Gate) -> str:
    return "CI" if gate.monitoring == "fixed" else "confidence sequence"


def outcome(check: TaskGate) -> str:
    """Return the score, its interval, and what it must exceed, without names."""
    mean, interval = _score(check, check.mean_candidate), score_span(check)
    limits = f"{coverage(check.evidence.confidence_level)} CI {interval}"
    return f"score {mean} ({limits}), to be {directions(check)[0]} {target_words(check)}"


def titles(gate: Gate, check: TaskGate) -> Iterator[str]:
    """Yield the finding as a title: with the name, and without."""
    passing, failing = directions(check)
    threshold = f"the {threshold_words(check)} threshold"
    if check.verdict == "regression":
        text = f"{failing} {threshold}"
    elif check.verdict == "pass":
        text = f"{passing} {target_words(check)}"
    elif check.missing_items_decide:
        text = "the verdict depends on missing items"
    else:
        text = f"not shown to be {passing} {target_words(check)}"
    if check.verdict in ("pass", "regression"):
        yield f"{name(gate.candidate)} is {text}"
    yield text


def too_few(check: TaskGate, clusters: str) -> Iterator[str]:
    """Yield why even perfect scores cannot pass."""
    if check.min_items_to_pass is not None and not check.identical_scores_pass:
        yield f"Even perfect scores need {items(check.min_items_to_pass)} to pass."
    if check.max_threshold is None:
        return
    passing, _ = directions(check)
    threshold = check.comparison.threshold or 0.0
    down = check.comparison.lower_is_better
    target = threshold + (check.margin or 0.0) * (1 if down else -1)
    if (target <= check.max_threshold) if down else (target >= check.max_threshold):
        yield (
            f"{clusters} cannot show a score {passing} {_score(check, check.max_threshold)}, "
            "because a cluster outside the sample may fail entirely. With "
            f"{arg('loss', 'item')}, only individual items may fail."
        )


def table(gate: Gate, verdict_text: Callable[[str], str]) -> TextTable:
    """Return a table of the score of each task, its interval, and the p-value of each claim."""
    has_many_tasks = len(gate.tasks) > 1
    conf = coverage(gate.tasks[0].evidence.confidence_level)
    passing, failing = (side.split()[0] for side in common_direction(gate.tasks))
    has_margin = gate.margin is not None
    header = (
        *(("task",) if has_many_tasks else ()),
        "items",
        name(gate.candidate, limit=20),
        f"{conf} {_kind(gate)}",
        "threshold",
        *(("margin",) if has_margin else ()),
        f"p ({passing})",
        f"p ({failing}{', Holm' if has_many_tasks else ''})",
        *(("verdict",) if has_many_tasks else ()),
    )
    return TextTable(title=_table_title(gate), header=header, rows=_rows(gate, verdict_text))


def _table_title(gate: Gate) -> str:
    metrics = {check.metric for check in gate.tasks}
    metric = f" [{name(metrics.pop())}]" if len(metrics) == 1 else ""
    return f"Score and threshold{metric}"


def _rows(gate: Gate, verdict_text: Callable[[str], str]) -> tuple[tuple[str, ...], ...]:
    has_many_tasks = len(gate.tasks) > 1
    rows = []
    for check in gate.tasks:
        e = check.evidence
        p_pass = e.pvalue_better if e.pvalue_not_worse is None else e.pvalue_not_worse
        level = (1 - e.confidence_level) / 2
        margin = check.margin
        rows.append(
            (
                *((name(check.task, limit=32),) if has_many_tasks else ()),
                count(check.n_items),
                _score(check, check.mean_candidate),
                score_span(check),
                threshold_words(check),
                *(() if margin is None else (declared_gap(check.comparison, margin),)),
                pvalue(p_pass, level=level),
                pvalue(check.pvalue_worse_adjusted, level=level),
                *((verdict_text(check.verdict),) if has_many_tasks else ()),
            )
        )
    return tuple(rows)
