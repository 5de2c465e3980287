"""What is worth saying about a set of results before any statistics, and how grave it is.

The table of all findings stands in ``docs/reference/messages.md``, made from :data:`KINDS`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nstar._base.record import record
from nstar._base.visible import escaped, look
from nstar.errors import DataError, ParameterError, arg, fill_parameters

Gravity: TypeAlias = Literal["fatal", "warning", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One observation about the data."""

    level: Gravity
    """``fatal``: nothing is compared; ``warning``: the answer may mislead; ``note``: to know."""
    code: str
    """Stable name, by which it can be allowed."""
    text: str
    """What was seen, with the numbers, and what to do."""


@record(kw_only=False)
class FindingKind:
    """One kind of finding."""

    level: Gravity
    """How grave."""
    meaning: str
    """What it says about the data, as a template for :func:`~nstar.errors.fill_parameters`."""
    mend: str
    """What to do, likewise."""


UNREAD = "not read: "
"""How a note begins that names files which should have been read."""

LABELED = "model label: "
"""How a note of a reader begins that says where the label of a model without a name is from."""
PERCENTAGES = "scores look like percentages"
"""How a note of a reader begins on scores between 0 and 100."""
COMPARED = " is compared; "
"""Between the metric that was chosen and the option that chooses another."""

KINDS = {
    "failed-run": FindingKind(
        "fatal",
        "The harness says that a run did not finish (error, cancelled, killed).",
        "Finish the run, or {allow=failed-run} to compare what there is.",
    ),
    "conflicting-rows": FindingKind(
        "fatal",
        "Rows give different scores to the same model, item and run.",
        "Name the run column, or say what the rows are: {duplicates=runs} for repeated "
        "runs, `first|last|mean` for the row that counts.",
    ),
    "ids-disagree": FindingKind(
        "fatal",
        "One item id stands for different questions, and some logs lack the questions to pair by.",
        "Use logs that hold the question or its hash for every model.",
    ),
    "off-scale": FindingKind(
        "fatal",
        "Scores lie off the scale of all others: a code for no score such as -1 or 999, the "
        "scores of one model alone where all others are 0 or 1, or percentages beside "
        "proportions.",
        "Correct the log; {errors=missing|zero} says what codes count as, "
        "{allow=off-scale} "
        "takes all for scores.",
    ),
    "contradicted-direction": FindingKind(
        "fatal",
        "The log says that a higher score is better, and {lower_is_better} says the opposite.",
        "Omit {lower_is_better}, or choose another metric with {metric}.",
    ),
    "partial-run": FindingKind(
        "warning",
        "A run has fewer items than its benchmark (a limit, a sample, a crash).",
        "Run the rest; until then the answer holds for these items only.",
    ),
    "stopped-early": FindingKind(
        "warning",
        "Early stopping ended a run: how many items it has may depend on its scores.",
        "Tests for a fixed number do not hold: use `nstar watch`, or run the rest.",
    ),
    "paired-by-content": FindingKind(
        "warning",
        "Item ids stand for different questions in different logs; items were paired by content.",
        "Check that both runs used the same version of the data.",
    ),
    "missing-items": FindingKind(
        "warning",
        "Some models have no score on items that others have.",
        "Look at the bounds: what the mean would be if the missing items all failed or passed.",
    ),
    "chosen-items": FindingKind(
        "warning",
        "Known scores have another mean or spread on the sampled items than on the rest.",
        "Draw the items at random, or by `nstar shrink`; an answer from chosen ones is not valid.",
    ),
    "order-flips": FindingKind(
        "warning",
        "Raw means rank two models the other way round than their common items do.",
        "Compare on common items, as nstar does; never by raw means.",
    ),
    "errors": FindingKind(
        "warning",
        "Samples ended in an error and have no answer.",
        "Choose {errors=missing} or {errors=zero}; harnesses differ.",
    ),
    "mean-differs": FindingKind(
        "warning",
        "The mean of the rows is not what the harness printed.",
        "The log was edited or cut, or this version of the format is not understood: report it.",
    ),
    "different-settings": FindingKind(
        "warning",
        "Runs differ in prompt, few-shot examples, template, filter or task version.",
        "Repeat one run with the settings of the other; the gap mixes model and settings.",
    ),
    "group-differs": FindingKind(
        "warning",
        "One item lies in different groups in different logs.",
        "The group seen first counts; check the data version.",
    ),
    "constant-scores": FindingKind(
        "warning",
        "A model has the same score on every item.",
        "Often a broken answer parser or an empty output; look at some answers.",
    ),
    "identical-models": FindingKind(
        "warning",
        "Two models have the same score on every item.",
        "Often one model evaluated twice under two names.",
    ),
    "similar-names": FindingKind(
        "warning",
        "Names of models differ only in spaces, capitals or invisible characters.",
        "Often one model under two names; name it alike in every row.",
    ),
    "sorted-scores": FindingKind(
        "warning",
        "A model's scores rise or fall with the order of the items.",
        "Scores that were sorted on their own no longer belong to their items.",
    ),
    "repeated-rows": FindingKind(
        "warning",
        "Rows give the same score to the same model, item and run, so that they count once.",
        "If they are repeated runs, {duplicates=runs}; if copies, {duplicates=first}.",
    ),
    "unequal-runs": FindingKind(
        "warning",
        "Cells have different numbers of runs.",
        "Items stay the unit, so the answer is valid; finish the runs for the best precision.",
    ),
    "lower-is-better": FindingKind(
        "warning",
        "Less is better in this metric: a positive gap is a loss.",
        "Read the sign accordingly; verdicts already do.",
    ),
    "task-left-out": FindingKind(
        "warning",
        "A task has no item that both models have, or no score that can be compared.",
        "Run both models on it, or leave it out with {tasks}.",
    ),
    "bad-rows": FindingKind(
        "warning",
        "Rows that could not be read were skipped, as {skip_bad} allowed.",
        "Mend the log.",
    ),
    "no-winner": FindingKind(
        "warning",
        "Votes without a winner, or games whose judge gave no verdict, were left out.",
        "Check that they are few, and not of some models only.",
    ),
    "unverified-items": FindingKind(
        "note",
        "Some logs hold no question text or hash, so pairing rests on item ids alone.",
        "Keep prompts or hashes in the log.",
    ),
    "dropped": FindingKind(
        "note", "Part of a log was left out, such as metrics that are lists.", "Nothing to do."
    ),
    "reader": FindingKind("note", "Something that the reader of the format noticed.", "Read it."),
    "runs-chosen": FindingKind(
        "note",
        "Of several logs of one model and task, one is used.",
        "{runs=all} keeps repeated runs.",
    ),
    "metric-chosen": FindingKind(
        "note",
        "A task has several metrics, and the first is compared.",
        "{metric} chooses another.",
    ),
    "percentages": FindingKind(
        "note",
        "Scores lie between 0 and 100 and look like percentages.",
        "Differences are in these units; divide by 100 for proportions.",
    ),
    "model-labels": FindingKind(
        "note",
        "A log does not name its model, so a file, folder or setting does.",
        "Label the model with `NAME=PATH`, or name it in the run's configuration.",
    ),
    "unread-file": FindingKind(
        "warning",
        "A file in a folder is a log by its name but is empty, or not what its name says.",
        "Copy it again or finish its run; until then its model may be missing.",
    ),
    "self-battles": FindingKind(
        "note", "Votes of a model with itself say nothing and were left out.", "Nothing to do."
    ),
    "repeated-votes": FindingKind(
        "note",
        "Votes on the same models, prompt, judge and pair of answers; all count.",
        "If they are copies, remove them; if the judge was asked again, declare the pair of "
        "answers as a cluster.",
    ),
    "newcomers": FindingKind(
        "warning",
        "Some models have fewer than ten votes.",
        "Collect more votes on them before their ratings are read.",
    ),
    "one-order": FindingKind(
        "note",
        "Who was shown first cannot be told from who met whom: no position is estimated.",
        "Show each pair in both orders.",
    ),
    "prior-reduced": FindingKind(
        "note",
        "The prior would bias ratings by more than their intervals allow for, so its weight was "
        "reduced.",
        "No action is needed. A larger weight needs more votes for each pair.",
    ),
    "votes-without-control": FindingKind(
        "warning",
        "Votes lack the length, or whatever else ratings are to be cleared of, and were left out.",
        "Add the column for all votes.",
    ),
    "both-bad": FindingKind(
        "note", "Votes that called both answers bad count as ties.", "Nothing to do."
    ),
    "weighted-items": FindingKind(
        "note",
        "Items count as their weights say, and are worth fewer of equal weight.",
        "Nothing to do; the more unequal the weights, the more items a gap needs.",
    ),
    "whole-benchmark": FindingKind(
        "note",
        "The items were drawn by strata from a benchmark; the gap in its own score is estimated.",
        "Quote it as the benchmark's score; the verdict is about questions like these.",
    ),
    "weighted-votes": FindingKind(
        "note", "Votes have weights, which count in the fit and in its errors.", "Nothing to do."
    ),
    "names-shown": FindingKind(
        "note",
        "Votes by people who saw the models' names were left out, as the arena does.",
        "Nothing to do.",
    ),
    "repeated-prompts": FindingKind(
        "note",
        "Votes on repeated prompts that the arena itself sets aside were left out.",
        "Nothing to do.",
    ),
}
"""Every finding, gravest first."""

_ORDER = {code: k for k, code in enumerate(KINDS)}


def find(code: str, text: str) -> Finding:
    """A finding of a known kind.

    Examples
    --------
    >>> find("missing-items", "b lacks 3 of 40 items").level
    'warning'
    """
    return Finding(level=KINDS[code].level, code=code, text=text)


def similar(names: Iterable[str]) -> Iterator[Finding]:
    """Names that a reader would take for one.

    Examples
    --------
    >>> [f.text for f in similar(["m1", "m2", "m1 "])]
    ["'m1', 'm1 ' differ only in spaces or capitals"]
    """
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(look(name), []).append(name)
    for same in (s for s in alike.values() if len(s) > 1):
        told = abbreviate([escaped(repr(name)) for name in same], 5)
        plain = len({" ".join(name.split()).casefold() for name in same}) == 1
        how = "spaces or capitals" if plain else "spaces, capitals or invisible characters"
        yield find("similar-names", f"{told} differ only in {how}")


def contradicting_rows(count: int) -> str:
    """Rows that contradict another one, with their verb.

    Examples
    --------
    >>> contradicting_rows(1), contradicting_rows(1200)
    ('1 row contradicts', '1,200 rows contradict')
    """
    return "1 row contradicts" if count == 1 else f"{count:,} rows contradict"


def abbreviate(names: Sequence[str], most: int, *, between: str = ", ") -> str:
    """The first of many names, with a sign that there are more.

    Examples
    --------
    >>> abbreviate(["a", "b", "c"], 2)
    'a, b …'
    """
    return between.join(names[:most]) + (" …" if len(names) > most else "")


def allow(findings: Iterable[Finding], codes: Iterable[str]) -> tuple[Finding, ...]:
    """The findings, gravest first, with those that the user allows lowered to warnings."""
    allowed = set(codes)
    for code in allowed - set(KINDS):
        fatal = ", ".join(c for c, kind in KINDS.items() if kind.level == "fatal")
        msg = f"no finding is called {code!r}; those that can be allowed are {fatal}"
        raise ParameterError(msg)
    lowered = (
        replace(f, level="warning") if f.level == "fatal" and f.code in allowed else f
        for f in findings
    )
    levels = ("fatal", "warning", "note")
    return tuple(sorted(lowered, key=lambda f: (levels.index(f.level), _ORDER.get(f.code, 99))))


def refuse_fatal(findings: Iterable[Finding]) -> None:
    """Raise when the data can't be compared."""
    fatal = [f for f in findings if f.level == "fatal"]
    if fatal:
        mends = dict.fromkeys(
            fill_parameters(KINDS[f.code].mend) for f in fatal if f.code in KINDS
        )
        msg = " ".join([*(f.text + "." for f in fatal[:5]), *mends])
        raise DataError(msg)


def refuse_stopped(findings: Iterable[Finding], allowed: Iterable[str]) -> None:
    """Raise for a run that ended because of its scores, unless ``stopped-early`` is allowed.

    Tests for a fixed number of items have too many false positives on such a run.
    """
    stopped = [f.text for f in findings if f.code == "stopped-early"]
    if stopped and "stopped-early" not in allowed:
        msg = (
            f"{stopped[0]}, so tests for a fixed number of items are not valid. The log has the "
            "decision and its evidence, and nstar watch of both logs reproduces them; "
            f"{arg('allow', 'stopped-early')} compares without a valid p-value"
        )
        raise DataError(msg)
