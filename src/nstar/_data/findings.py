"""Findings about the data, with their severity, which precede any statistics.

``docs/reference/messages.md`` lists all findings. It is generated from :data:`KINDS`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nstar._base.visible import escaped, look
from nstar.errors import DataError, ParameterError, arg, fill_parameters

Gravity: TypeAlias = Literal["fatal", "warning", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One observation about the data."""

    level: Gravity
    """``fatal``: no comparison is possible; ``warning``: the result may mislead; ``note``: for
    information.
    """
    code: str
    """Stable name, which ``allow`` accepts."""
    text: str
    """Observation with its numbers, and how to resolve it."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """One kind of finding."""

    level: Gravity
    """Severity of the finding."""
    meaning: str
    """Meaning of the finding, as a template for :func:`~nstar.errors.fill_parameters`."""
    mend: str
    """Resolution of the problem, as a template."""


UNREAD = "not read: "
"""Beginning of a note that names files that should have been read."""

LABELED = "model label: "
"""Beginning of a note that states the source of a model's label."""
PERCENTAGES = "scores look like percentages"
"""Beginning of a note about scores between 0 and 100."""
COMPARED = " is compared; "
"""Text between the selected metric and the option that selects another metric."""

KINDS = {
    "failed-run": FindingKind(
        "fatal",
        "The harness says that a run did not finish (error, cancelled, killed).",
        "Finish the run, or set {allow=failed-run} to compare the items it has.",
    ),
    "conflicting-rows": FindingKind(
        "fatal",
        "Rows give different scores to the same model, item, and run.",
        "Set the run column, or {duplicates=runs} for repeated runs, or "
        "{duplicates=first|last|mean} to choose the row that counts.",
    ),
    "ids-disagree": FindingKind(
        "fatal",
        "One item id stands for different questions, and some logs do not contain the "
        "questions, so items cannot be paired.",
        "Use logs that contain the question or its hash for every model.",
    ),
    "off-scale": FindingKind(
        "fatal",
        "Some scores are on a different scale from the rest: a code for a missing score "
        "(such as -1 or 999), one model whose scores are not 0/1, or percentages "
        "beside proportions.",
        "Correct the log. If these are codes, set {errors=missing|zero}; if they are "
        "scores, set {allow=off-scale}.",
    ),
    "contradicted-direction": FindingKind(
        "fatal",
        "The log says that higher scores are better, which contradicts {lower_is_better}.",
        "Remove {lower_is_better}, or choose another metric with {metric}.",
    ),
    "partial-run": FindingKind(
        "warning",
        "A run covers fewer items than its benchmark (a limit, a sample, a crash).",
        "Run the missing items. Until then, results are for the items that were run.",
    ),
    "stopped-early": FindingKind(
        "warning",
        "Early stopping ended a run, so its number of items may depend on its scores.",
        "Fixed-sample tests are not valid. Use `nstar watch`, or finish the run.",
    ),
    "paired-by-content": FindingKind(
        "warning",
        "Item ids stand for different questions in different logs, so items are paired "
        "by content.",
        "Check that both runs used the same version of the data.",
    ),
    "missing-items": FindingKind(
        "warning",
        "Some models have no scores on items that others answered.",
        "Check the bounds: the mean if all missing items fail, and if all pass.",
    ),
    "task-scales": FindingKind(
        "warning",
        "Scores vary much more on some tasks than on others, so few tasks decide the means.",
        "Set {rank_by=win-rate}, or put all tasks on one scale.",
    ),
    "rare-class": FindingKind(
        "warning",
        "Few items belong to one of the classes that a metric depends on.",
        "Use more items of that class. Intervals with fewer than 20 can be too short.",
    ),
    "one-cutoff": FindingKind(
        "warning",
        "The predictions take two values, so this AUROC is that of one cutoff.",
        "Use a column of scores, such as {columns=prediction=probability}.",
    ),
    "chosen-items": FindingKind(
        "warning",
        "The known models score differently on the sampled items than on the rest.",
        "Draw the items at random, or use `nstar shrink`. Results from hand-picked "
        "items are not valid.",
    ),
    "order-flips": FindingKind(
        "warning",
        "Two models rank differently by raw means than on their shared items.",
        "Use the comparison on shared items, not the raw means.",
    ),
    "errors": FindingKind(
        "warning",
        "Samples ended in an error and have no answer.",
        "Choose {errors=missing} or {errors=zero}; harnesses differ.",
    ),
    "mean-differs": FindingKind(
        "warning",
        "The mean of the rows differs from the mean that the harness reported.",
        "The log was edited or truncated, or nstar misreads this version of the "
        "format. In the second case, please report it.",
    ),
    "different-settings": FindingKind(
        "warning",
        "Runs differ in prompt, few-shot examples, template, filter, or task version.",
        "Repeat one run with the settings of the other; otherwise the gap mixes model "
        "and settings.",
    ),
    "group-differs": FindingKind(
        "warning",
        "An item belongs to different groups in different logs.",
        "The first group found counts. Check the data version.",
    ),
    "constant-scores": FindingKind(
        "warning",
        "A model has the same score on every item.",
        "Check some answers: the answer parser may be broken, or the output empty.",
    ),
    "identical-models": FindingKind(
        "warning",
        "Two models have identical scores on every item.",
        "Check whether one model was evaluated twice under two names.",
    ),
    "similar-names": FindingKind(
        "warning",
        "Model names differ only in spaces, capitals, or invisible characters.",
        "If this is one model, give it the same name in every row.",
    ),
    "sorted-scores": FindingKind(
        "warning",
        "A model's scores rise or fall with the order of the items.",
        "Check whether the scores were sorted separately from the items.",
    ),
    "repeated-rows": FindingKind(
        "warning",
        "Rows repeat the score of the same model, item, and run; repeats are ignored.",
        "If these are repeated runs, set {duplicates=runs}; if they are copies, "
        "{duplicates=first}.",
    ),
    "unequal-runs": FindingKind(
        "warning",
        "Cells have different numbers of runs.",
        "Items remain the unit, so the results are valid. Finish the runs for the best precision.",
    ),
    "lower-is-better": FindingKind(
        "warning",
        "Lower is better for this metric: a positive gap is a loss.",
        "Read the sign accordingly; verdicts already account for it.",
    ),
    "task-left-out": FindingKind(
        "warning",
        "A task has no shared items, or no scores that can be compared.",
        "Run both models on it, or exclude it with {tasks}.",
    ),
    "bad-rows": FindingKind(
        "warning",
        "Unreadable rows were skipped, as {skip_bad} allows.",
        "Correct the log.",
    ),
    "no-winner": FindingKind(
        "warning",
        "Votes without a winner, or games whose judge gave no verdict, are excluded.",
        "Check that there are few, and that they do not affect only some models.",
    ),
    "unverified-items": FindingKind(
        "note",
        "Some logs contain no question text or hash, so items are paired by id only.",
        "Log the prompts or their hashes.",
    ),
    "dropped": FindingKind(
        "note",
        "Part of a log was ignored, such as metrics that are lists.",
        "No action is needed.",
    ),
    "reader": FindingKind("note", "A note from the reader of this format.", "Read the note."),
    "runs-chosen": FindingKind(
        "note",
        "Several logs exist for one model and task; one of them is used.",
        "Set {runs=all} to keep them as repeated runs.",
    ),
    "metric-chosen": FindingKind(
        "note",
        "A task has several metrics; the first is compared.",
        "Choose another with {metric}.",
    ),
    "percentages": FindingKind(
        "note",
        "Scores lie between 0 and 100 and look like percentages.",
        "Differences are in these units. Divide by 100 to get proportions.",
    ),
    "model-labels": FindingKind(
        "note",
        "A log does not name its model, so the label comes from a file, folder, or setting.",
        "Label the model with `NAME=PATH`, or name it in the configuration of the run.",
    ),
    "unread-file": FindingKind(
        "warning",
        "A file with the name of a log is empty, or its contents do not match its name.",
        "Copy the file again, or finish its run. Until then, its model may be missing.",
    ),
    "self-battles": FindingKind(
        "note", "Votes of a model against itself are excluded.", "No action is needed."
    ),
    "repeated-votes": FindingKind(
        "note",
        "Some votes have the same models, prompt, judge, and pair of answers; all of them count.",
        "If they are copies, remove them. If the judge was asked again, declare the "
        "pair of answers as a cluster.",
    ),
    "newcomers": FindingKind(
        "warning",
        "Some models have fewer than ten votes.",
        "Collect more votes for these models before using their ratings.",
    ),
    "one-order": FindingKind(
        "note",
        "The position effect cannot be separated from the pairing of models, so it is "
        "not estimated.",
        "Show each pair of models in both orders.",
    ),
    "prior-reduced": FindingKind(
        "note",
        "The prior would bias ratings beyond their intervals, so its weight was reduced.",
        "No action is needed. A larger weight needs more votes per pair.",
    ),
    "votes-without-control": FindingKind(
        "warning",
        "Votes without a value of the control variable are excluded.",
        "Add the column for all votes.",
    ),
    "both-bad": FindingKind(
        "note", "Votes that called both answers bad count as ties.", "No action is needed."
    ),
    "weighted-items": FindingKind(
        "note",
        "Unequal item weights reduce the effective number of items.",
        "No action is needed. The more unequal the weights, the more items a gap needs.",
    ),
    "whole-benchmark": FindingKind(
        "note",
        "The items are a stratified sample of a benchmark, so the gap in the "
        "full-benchmark score is also estimated.",
        "Report it as the benchmark's score; the verdict is about similar questions.",
    ),
    "weighted-votes": FindingKind(
        "note",
        "Votes have weights, which count in the fit and in the standard errors.",
        "No action is needed.",
    ),
    "names-shown": FindingKind(
        "note",
        "Votes by people who saw the model names are excluded, as the arena does.",
        "No action is needed.",
    ),
    "repeated-prompts": FindingKind(
        "note",
        "Votes on repeated prompts that the arena sets aside are excluded.",
        "No action is needed.",
    ),
}
"""Every finding, most severe first."""

_ORDER = {code: k for k, code in enumerate(KINDS)}


def find(code: str, text: str) -> Finding:
    """Return a finding of a known kind.

    >>> find("missing-items", "b lacks 3 of 40 items").level
    'warning'
    """
    return Finding(level=KINDS[code].level, code=code, text=text)


def similar(names: Iterable[str]) -> Iterator[Finding]:
    """Return names that a reader could confuse.

    >>> [f.text for f in similar(["m1", "m2", "m1 "])]
    ["'m1', 'm1 ' differ only in spaces or capitals"]
    """
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(look(name), []).append(name)
    for same in (s for s in alike.values() if len(s) > 1):
        names_text = abbreviate([escaped(repr(name)) for name in same], 5)
        plain = len({" ".join(name.split()).casefold() for name in same}) == 1
        difference = "spaces or capitals" if plain else "spaces, capitals, or invisible characters"
        yield find("similar-names", f"{names_text} differ only in {difference}")


def contradicting_rows(count: int) -> str:
    """Return the number of contradictory rows with a verb, for use in a sentence.

    >>> contradicting_rows(1), contradicting_rows(1200)
    ('1 row conflicts', '1,200 rows conflict')
    """
    return "1 row conflicts" if count == 1 else f"{count:,} rows conflict"


def abbreviate(names: Sequence[str], max_names: int, *, between: str = ", ") -> str:
    """Join the first of many names, with an ellipsis if there are more.

    >>> abbreviate(["a", "b", "c"], 2)
    'a, b …'
    """
    return between.join(names[:max_names]) + (" …" if len(names) > max_names else "")


def list_tasks(tasks: Iterable[str], max_names: int = 8) -> str:
    """Join the different tasks for a sentence, with an ellipsis if there are more.

    Examples
    --------
    >>> list_tasks(["math", "", "math"]), list_tasks([])
    ('math, (no task)', 'none')
    """
    return abbreviate([t or "(no task)" for t in dict.fromkeys(tasks)], max_names) or "none"


def list_task_metrics(task_metrics: Iterable[tuple[str, str]]) -> str:
    """Join tasks with their metrics for a sentence, as :func:`list_tasks` does."""
    return list_tasks(f"{task or '(no task)'} [{metric}]" for task, metric in task_metrics)


def allow(findings: Iterable[Finding], codes: Iterable[str]) -> tuple[Finding, ...]:
    """Return findings, most severe first, with those that the user allows lowered to warnings."""
    allowed = set(codes)
    for code in allowed - set(KINDS):
        fatal = ", ".join(c for c, kind in KINDS.items() if kind.level == "fatal")
        msg = f"No finding has the code {code!r}. Codes that can be allowed: {fatal}."
        raise ParameterError(msg)
    lowered = (
        replace(f, level="warning") if f.level == "fatal" and f.code in allowed else f
        for f in findings
    )
    levels = ("fatal", "warning", "note")
    return tuple(sorted(lowered, key=lambda f: (levels.index(f.level), _ORDER.get(f.code, 99))))


def refuse_fatal(findings: Iterable[Finding]) -> None:
    """Raise DataError if a finding is fatal."""
    fatal = [f for f in findings if f.level == "fatal"]
    if fatal:
        mends = dict.fromkeys(
            fill_parameters(KINDS[f.code].mend) for f in fatal if f.code in KINDS
        )
        msg = " ".join([*(f.text + "." for f in fatal[:5]), *mends])
        raise DataError(msg)


def refuse_stopped(findings: Iterable[Finding], allowed: Iterable[str]) -> None:
    """Raise DataError for a run that was stopped by its scores, unless the user allows it.

    The code is ``stopped-early``. On such a run, tests for a fixed number of items have too many
    false positives.
    """
    stopped = [f.text for f in findings if f.code == "stopped-early"]
    if stopped and "stopped-early" not in allowed:
        msg = (
            f"{stopped[0]}: fixed-sample tests are not valid. Run nstar watch on both logs to "
            "reproduce the decision of the run, finish the run, or set "
            f"{arg('allow', 'stopped-early')} to compare without a valid p-value."
        )
        raise DataError(msg)
