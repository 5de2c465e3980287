"""``compare``: compare two models on one or several tasks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nstar import stats
from nstar._data.findings import Finding, find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.pair import compare_sample, with_verdict
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.result import Comparison
from nstar._verbs.compare.sample import PairedSample, from_matrix
from nstar._verbs.compare.task_comparison import TaskComparison
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError


def _adjusted(pairs: list[TaskComparison], criteria: Criteria) -> tuple[TaskComparison, ...]:
    """Apply Holm's adjustment over the tasks, which determines each verdict."""
    if len(pairs) == 1:
        return tuple(pairs)
    adjusted = stats.holm([pair.pvalue for pair in pairs]).tolist()
    return tuple(with_verdict(pair, criteria, p) for pair, p in zip(pairs, adjusted, strict=True))


def _named(sample: PairedSample, question: CompareQuestion) -> TaskComparison:
    """Compare on one task. Errors name the task."""
    try:
        return compare_sample(sample, question)
    except DataError as error:
        if not sample.task:
            raise
        raise error.within(sample.task) from error


def compare_samples(
    samples: Sequence[PairedSample],
    names: tuple[str, str],
    question: CompareQuestion,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """Compare on each task, with p-values adjusted over tasks.

    :func:`compare_board` adds the average.
    """
    pairs = [_named(sample, question) for sample in samples]
    return Comparison(
        models=names,
        criteria=question.criteria,
        tasks=_adjusted(pairs, question.criteria),
        adjust="holm" if len(pairs) > 1 else None,
        test=question.test,
        seed=question.seed,
        findings=tuple(findings),
        samples=tuple(samples),
        question=question,
    )


def _with_average(
    result: Comparison, matrices: Sequence[ScoreMatrix], question: CompareQuestion
) -> Comparison:
    """Add the average over the tasks, or why there is none."""
    if len(matrices) == 1:
        return result
    if question.quantile is not None:
        return replace(result, no_average="quantiles are compared by task")
    from nstar._verbs.compare.average import average_gap  # noqa: PLC0415 loads the engine

    average = average_gap(matrices, result.models, question, result.tasks)
    if isinstance(average, str):
        return replace(result, no_average=average)
    return replace(result, average=average)


def compared_again(result: Comparison, criteria: Criteria) -> Comparison:
    """Return the same comparison under other criteria."""
    if result.question is None:
        msg = "This comparison does not contain the scores. Run it again from the scores."
        raise DataError(msg)
    question = replace(result.question, criteria=criteria)
    rejudged = compare_samples(result.samples, result.models, question, result.findings)
    if result.average is None:
        return replace(rejudged, no_average=result.no_average)
    from nstar._verbs.compare.average import judged_average  # noqa: PLC0415 loads the engine

    return replace(rejudged, average=judged_average(result.average, question, rejudged.tasks))


def compare_board(
    matrices: Sequence[ScoreMatrix],
    names: tuple[str, str],
    question: CompareQuestion,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """Compare two models of one matrix per task. Raise DataError without shared items.

    >>> m = [
    ...     ScoreMatrix.from_arrays([[1] * 9 + [0], [0] * 8 + [1, 1]], models=["a", "b"], task=t)
    ...     for t in ("one", "two")
    ... ]
    >>> [
    ...     round(p.pvalue_adjusted, 4)
    ...     for p in compare_board(m, ("a", "b"), CompareQuestion()).tasks
    ... ]
    [0.0781, 0.0781]
    """
    samples, shared, left_out = [], [], []
    for matrix in matrices:
        has_both = set(names) <= set(matrix.models)
        sample = from_matrix(matrix, names) if has_both else None
        if sample is not None and sample.common:
            samples.append(sample)
            shared.append(matrix)
        else:
            left_out.append(matrix.task or "a task without a name")
    if not samples:
        tasks = "" if len(matrices) == 1 else f" on any of {len(matrices)} tasks"
        msg = (
            f"{names[0]} and {names[1]} share no items{tasks}. Check the model names, and that "
            f"both ran the same tasks.{_items_of(matrices, names)}"
        )
        if any(m.alignment.by_content for m in matrices):
            msg += " Items were paired by content, so the prompts may differ."
        raise DataError(msg)
    result = compare_samples(samples, names, question, [*findings, *_left_out(left_out, names)])
    return _with_average(result, shared, question)


def _items_of(matrices: Sequence[ScoreMatrix], names: tuple[str, str]) -> str:
    """Return two items of each model on the first shared task, to show whether ids look alike."""
    for matrix in matrices:
        if not set(names) <= set(matrix.models):
            continue
        examples = [
            " and ".join(str(matrix.items[k])[:40] for k in np.flatnonzero(matrix.present(n))[:2])
            for n in map(matrix.index, names)
        ]
        return f" Items of {names[0]}: {examples[0]}. Items of {names[1]}: {examples[1]}."
    return ""


def _left_out(tasks: list[str], names: tuple[str, str]) -> list[Finding]:
    if not tasks:
        return []
    of = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    text = (
        f"excluded: {of} without an item shared by {names[0]} and {names[1]}: "
        f"{', '.join(tasks[:5])}{' …' if len(tasks) > 5 else ''}"
    )
    return [find("task-left-out", text)]
