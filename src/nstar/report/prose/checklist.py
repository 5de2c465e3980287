"""Checklist of reporting rules: which rules a report answers, and how to answer the others.

A rule is declared once, in :data:`RULES`. Its ``answer`` reads the attributes that the result and
its parts have, whatever the kind of result.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.version import __version__
from nstar._verbs.audit.tables import MedianRange
from nstar.errors import ParameterError, SeveralTasksError
from nstar.report._kinds import KINDS
from nstar.report.documents import Document, TextTable
from nstar.report.prose.gap import coverage, declared_gap
from nstar.report.prose.numbers import count, name, percent, pp

RuleState: TypeAlias = Literal["yes", "no", "does not apply"]

_COMMANDS = ("compare", "audit", "battles", "gate", "claim")
"""Commands whose results have a checklist."""
_NO_SCORES = ("gate aa", "gate plan")
"""Commands of these that report no evaluation of a model."""
_PARTS = ("average", "tasks", "columns", "comparison", "estimate", "adjacent", "ranking")
"""Attributes of a result whose attributes are facts as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRule:
    """A reporting rule, and what a report says about it."""

    rule: str
    """The rule."""
    source: str
    """Documents that state the rule."""
    state: RuleState
    """Whether the report answers the rule."""
    text: str
    """The answer, how to answer the rule, or why it does not apply."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Checklist(Result):
    """Reporting rules of the field, with the answers of one report."""

    kind: str
    """Kind of the result."""
    subject: str
    """First sentence of its report."""
    rows: tuple[CheckedRule, ...]
    """Rules, with the answers."""

    @derived
    def n_answered(self) -> int:
        """Return the number of rules that the report answers."""
        return sum(row.state == "yes" for row in self.rows)

    @derived
    def n_open(self) -> int:
        """Return the number of rules that apply and that the report does not answer."""
        return sum(row.state == "no" for row in self.rows)


class _Facts:
    """Attributes of a result and of its parts, by name."""

    def __init__(self, result: Any) -> None:
        self.kind = type(result).__name__
        self.parts = tuple(_parts_of(result))

    def all(self, *names: str) -> list[Any]:
        """Return the values of these attributes, as far as there are any."""
        pairs = ((part, n) for n in names for part in self.parts)
        return [v for part, n in pairs if (v := _value(part, n)) is not None]

    def get(self, *names: str) -> Any:
        """Return the first of these values; None without one."""
        return next(iter(self.all(*names)), None)

    def numbers(self, *names: str) -> list[float]:
        """Return the numbers among these values and the ends of their ranges, sorted."""
        unique: set[float] = set()
        for value in self.all(*names):
            is_range = isinstance(value, MedianRange)
            ends = (value.low, value.high) if is_range else value
            candidates = ends if isinstance(ends, tuple) else (ends,)
            unique |= {x for x in candidates if isinstance(x, float | int)}
        return sorted(unique)

    @property
    def is_board(self) -> bool:
        """Return whether the result ranks models."""
        return self.kind in ("Audit", "Battles")

    @property
    def is_paired(self) -> bool:
        """Return whether two models can have scores on the same items."""
        return self.kind not in ("Battles", "UnpairedClaim") and self.get("threshold") is None

    @property
    def has_scores(self) -> bool:
        """Return whether the result rests on single scores, not on a published table."""
        return self.get("estimate", "adjacent", "comparison") is not None

    @property
    def n_tasks(self) -> int:
        """Return the number of tasks."""
        parts = self.get("tasks", "columns")
        return len(parts) if isinstance(parts, tuple) else 1

    def gap(self, value: float) -> str:
        """Return a gap in its unit."""
        if self.kind == "Battles":
            return f"{value:.0f} Elo"
        scale = next((p for p in self.parts if hasattr(p, "lower_is_better")), None)
        if scale is None:
            return pp(value)
        return declared_gap(scale, value)


def _value(part: Any, attribute: str) -> Any:
    try:
        return getattr(part, attribute, None)
    except SeveralTasksError:
        return None


def _parts_of(result: Any) -> Iterator[Any]:
    yield result
    for attribute in _PARTS:
        part = _value(result, attribute)
        for one in part if isinstance(part, tuple) else (part,):
            if is_dataclass(one):
                yield from _parts_of(one)


class Scope(NamedTuple):
    """Results that a rule applies to."""

    includes: Callable[[_Facts], bool]
    """Whether the rule applies to a result."""
    otherwise: str
    """Why it does not apply to the others."""


class Rule(NamedTuple):
    """A reporting rule: where it comes from, its answer in a result, and how to answer it."""

    rule: str
    source: str
    answer: Callable[[_Facts], str | None]
    """The answer; None if the result does not answer the rule."""
    how: str = ""
    """How to answer the rule; empty if every result answers it."""
    scope: Scope | None = None
    """Results that the rule applies to; None for all."""

    def check(self, facts: _Facts) -> CheckedRule:
        """Return what the facts say about this rule."""
        state: RuleState = "does not apply"
        text = self.scope.otherwise if self.scope else ""
        if self.scope is None or self.scope.includes(facts):
            answer = self.answer(facts)
            state, text = ("no", self.how) if answer is None else ("yes", answer)
        return CheckedRule(rule=self.rule, source=self.source, state=state, text=text)


def _ends(numbers: Sequence[float], text: Callable[[float], str]) -> str:
    """Return the smallest and the largest number as text, or the only one."""
    return " to ".join(dict.fromkeys(text(x) for x in (numbers[0], numbers[-1])))


def _sizes(f: _Facts) -> str | None:
    votes, items = f.numbers("n_votes"), f.numbers("n_items", "n_items_a", "n_items_b")
    if votes:
        return f"{count(votes[0])} votes"
    return f"{_ends(items, count)} items" if items else None


def _interval(f: _Facts) -> str | None:
    if f.has_scores:
        level = coverage(f.get("confidence_level"))
        return f"{level} CI of each gap{' and score' if f.is_board else ''}"
    is_printed = f.get("ci_check", "pm_is") is not None
    return "The reported CI or ± is checked" if is_printed else None


def _test(f: _Facts) -> str | None:
    if f.is_board:
        return "Tests of all pairs; see the assumptions"
    method = f.get("pvalue_method")
    if method is not None:
        return str(method)
    return "The reported p-value is checked" if f.get("pvalue_check") is not None else None


def _adjusted(f: _Facts) -> str | None:
    adjust = f.get("adjust")
    if f.kind == "TableClaim":
        adjust = "bonferroni"
    return None if adjust in (None, "none") else f"Verdicts are adjusted ({adjust})"


def _rho(f: _Facts) -> str | None:
    rho = f.numbers("rho")
    return f"rho = {_ends(rho, '{:.2f}'.format)}" if rho else None


def _mde(f: _Facts) -> str | None:
    mde = f.numbers("resolvable_gap" if f.is_board else "mde")
    return f"{_ends(mde, f.gap)} at {percent(f.get('criteria').power)} power" if mde else None


def _needed(f: _Facts) -> str | None:
    if f.is_board:
        return "Resolution ratio q of every adjacent pair, in --full"
    n = f.numbers("n_star")
    return f"N* = {_ends(n, count)}" if n else None


def _declared(f: _Facts) -> str | None:
    labels = ((label, f.numbers(label)) for label in ("delta", "margin"))
    return next((f"{label} = {_ends(x, f.gap)}, as declared" for label, x in labels if x), None)


def _groups(f: _Facts) -> str | None:
    design = next((d for d in f.all("design") if isinstance(d, str)), "")
    cluster = f.get("cluster")
    if design.startswith(("cluster", "strata")):
        return name(design.replace(":", " by "))
    return f"clusters by {name(' and '.join(cluster))}" if cluster else None


def _missing(f: _Facts) -> str | None:
    attrition = f.all("missing_items")
    if attrition:
        n = sum(a.n_only_a + a.n_only_b for a in attrition)
        return f"{count(n)} scores of one model only" if n else "Both models have every item"
    complete = f.get("is_complete")
    if complete is None:
        return None
    return "Every model has every item" if complete else "Named in the notes of the report"


def _stopping(f: _Facts) -> str | None:
    monitoring, planned = f.get("monitoring"), f.get("n_votes_planned")
    if monitoring in ("sequential", "history"):
        return "Valid at every interim look"
    return None if planned is None else f"Valid at every look up to {count(planned)} votes"


def _runs(f: _Facts) -> str | None:
    if f.get("run_variance") is None:
        return None
    return "Run-to-run variance is part of the standard error"


def _exaggerated(f: _Facts) -> str | None:
    factor = f.numbers("exaggeration")
    if not factor:
        return "Marked as underpowered"
    return f"Significant gaps of this size are {factor[-1]:.2f}× too large on average"


def _underpowered(f: _Facts) -> bool:
    return any(np.any(value) for value in f.all("is_underpowered"))


def _ranks(f: _Facts) -> str | None:
    tiers = f.get("n_tiers")
    ranges = "rank ranges hold simultaneously"
    return f"{count(tiers)} tiers; {ranges}" if tiers is not None else ranges.capitalize()


_PAIRED = Scope(lambda f: f.is_paired, "The data are not paired by item.")
_BOARD = Scope(lambda f: f.is_board, "No ranking.")
_SCORES = Scope(lambda f: f.kind != "Battles", "Each vote is on one pair of answers.")
_UNDERPOWERED = Scope(_underpowered, "No gap is both significant and underpowered.")
_FAMILY = Scope(
    lambda f: f.is_board or f.n_tasks > 1,
    "One comparison. If it was chosen among several, audit all of them.",
)
RULES: tuple[Rule, ...] = (
    Rule(
        "number of items",
        "Miller 2024, 2604.01075",
        _sizes,
        "State the number of items behind each score.",
    ),
    Rule(
        "error bars",
        "Miller 2024, NeurIPS 7, 2604.01075",
        _interval,
        "Give each gap a CI: run nstar compare on item scores.",
    ),
    Rule(
        "named test, p above 0",
        "NeurIPS 7, 216 tasks",
        _test,
        "Name the test, and report its exact p-value.",
    ),
    Rule(
        "paired comparison",
        "Miller 2024, 2605.30315",
        lambda f: "On the same items" if f.has_scores else None,
        "Publish the score of each item, and compare on shared items.",
        _PAIRED,
    ),
    Rule(
        "correlation of the models",
        "2604.01075, 2604.01974",
        _rho,
        "Report rho: nstar compare computes it from item scores.",
        _PAIRED,
    ),
    Rule(
        "detectable gap (MDE)",
        "Miller 2024, 2604.01974, 216 tasks",
        _mde,
        "Report the MDE: nstar plan --items N --rho R.",
    ),
    Rule(
        "items needed (N*, q)", "2605.30315", _needed, "Report N*: nstar plan --delta GAP --rho R."
    ),
    Rule(
        "smallest gap that matters",
        "Miller 2024, agents",
        _declared,
        "Set it before the evaluation, and run nstar plan.",
    ),
    Rule(
        "inconclusive is not equal",
        "216 tasks, agents",
        lambda _: 'Gaps that are not significant are "inconclusive" or "depends"',
    ),
    Rule("underpowered gaps", "2604.01075", _exaggerated, scope=_UNDERPOWERED),
    Rule(
        "multiple comparisons",
        "2605.30315, agents",
        _adjusted,
        "Adjust the verdicts for all comparisons, such as with Holm's method.",
        _FAMILY,
    ),
    Rule("ranks with uncertainty", "2604.01075", _ranks, scope=_BOARD),
    Rule(
        "related items",
        "Miller 2024, 2605.30315, agents",
        _groups,
        "Declare clusters of items with a common source, or say there are none.",
    ),
    Rule(
        "run-to-run variance",
        "Miller 2024, NeurIPS 7, agents",
        _runs,
        "State runs per item and temperature, or use nstar runs.",
        _SCORES,
    ),
    Rule(
        "missing scores",
        "NeurIPS 7",
        _missing,
        "State how many items failed, and how they were counted.",
        _SCORES,
    ),
    Rule(
        "when the size was fixed",
        "2605.30315",
        _stopping,
        "State that it was fixed before the first look, or use nstar watch.",
    ),
    Rule("assumptions", "NeurIPS 7", lambda _: "Last section of the report"),
    Rule(
        "software",
        "NeurIPS 4 and 5",
        lambda f: f"nstar {__version__}{''.join(f', seed {x}' for x in f.numbers('seed'))}",
    ),
    Rule(
        "models and prompts",
        "NeurIPS 4 and 6",
        lambda _: None,
        "State versions, prompts, decoding settings, harness, and dates.",
    ),
)
"""The rules, in the order of the checklist."""


def checklist(result: Result) -> Checklist:
    """Return the reporting rules with the answers of a result."""
    kind = type(result).__name__
    command = KINDS[kind].printed_by if kind in KINDS else ""
    if command in _NO_SCORES or command.split(" ")[0] not in _COMMANDS:
        msg = f"A {kind} has no checklist. {', '.join(_COMMANDS)} have one."
        raise ParameterError(msg)
    facts = _Facts(result)
    return Checklist(
        kind=command,
        subject=result.headline,
        rows=tuple(rule.check(facts) for rule in RULES),
    )


_SOURCES = (
    "Sources: Miller 2024 is arXiv 2411.00640; NeurIPS is the paper checklist, by item; numbers "
    'are papers on clawRxiv and arXiv; "216 tasks" and "agents" are articles. See the page "From '
    'the papers to nstar".'
)


def document(result: Checklist) -> Document:
    """Return the checklist as a table."""
    applies = result.n_answered + result.n_open
    head = f"This report meets {result.n_answered} of {applies} reporting rules."
    order: tuple[RuleState, ...] = ("no", "yes", "does not apply")
    rows = sorted(result.rows, key=lambda row: order.index(row.state))
    lines = [k for k in range(1, len(rows)) if rows[k].state != rows[k - 1].state]
    grid = TextTable(
        title=f"Reporting checklist of nstar {result.kind}",
        header=("rule", "met", "evidence, or how to meet the rule"),
        rows=tuple((row.rule, row.state, row.text) for row in rows),
        lines=tuple(lines),
    )
    sources = TextTable(
        title="Sources of the rules",
        header=("rule", "source"),
        rows=tuple((row.rule, row.source) for row in result.rows),
    )
    return Document(
        headline=head,
        opening=head,
        grids=(grid, sources),
        notes=(f"Report: {result.subject}", _SOURCES),
        basis="the rules concern statistics, not the validity of a benchmark.",
    )
