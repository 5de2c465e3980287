"""Summarize a set of results: contents, missing data, and problems."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from nstar._data.findings import Finding, allow, find
from nstar._data.matrix import ScoreMatrix
from nstar._data.table import Source
from nstar._verbs.data_summary.cells import cell_findings, gap_findings
from nstar._verbs.data_summary.finding_text import limits, where
from nstar._verbs.data_summary.logs import log_findings
from nstar._verbs.data_summary.result import Coverage, ModelSummary, TaskSummary
from nstar.errors import arg

__all__ = ["Coverage", "ModelSummary", "TaskSummary", "coverage"]


def _models(matrix: ScoreMatrix, common: np.ndarray) -> tuple[ModelSummary, ...]:
    low, high = limits(matrix)
    n = len(matrix.items)
    out = []
    for k, model in enumerate(matrix.models):
        row = matrix.row(k)
        present = ~np.isnan(row)
        items, total = int(present.sum()), float(row[present].sum())
        out.append(
            ModelSummary(
                model=model,
                n_items=items,
                n_missing=n - items,
                n_unscored=matrix.alignment.unscored.get(model, 0),
                mean=total / items if items else None,
                mean_common=float(row[common].mean()) if common.any() else None,
                mean_low=(total + (n - items) * low) / n if n else None,
                mean_high=(total + (n - items) * high) / n if n else None,
            )
        )
    return tuple(sorted(out, key=lambda m: -np.inf if m.mean is None else m.mean, reverse=True))


def _task(matrix: ScoreMatrix) -> TaskSummary:
    common = np.ones(len(matrix.items), np.bool_)
    for k in range(len(matrix.models)):
        common &= matrix.present(k)
    return TaskSummary(
        task=matrix.task,
        metric=matrix.metric,
        n_rows=matrix.alignment.rows,
        n_items=len(matrix.items),
        n_items_common=int(common.sum()),
        n_runs=matrix.run_range,
        is_binary=matrix.binary,
        n_groups={name: len(g.labels) for name, g in matrix.groups.items()},
        models=_models(matrix, common),
    )


def _merged(matrix_findings: Iterable[tuple[ScoreMatrix, Finding]]) -> list[Finding]:
    """Return the findings. Equal findings on several metrics of a task are merged."""
    metrics: dict[tuple[str, Finding], list[ScoreMatrix]] = {}
    for matrix, finding in matrix_findings:
        body = replace(finding, text=finding.text.removeprefix(where(matrix)))
        metrics.setdefault((matrix.task, body), []).append(matrix)
    out = []
    for (task, finding), matrices in metrics.items():
        prefix = where(matrices[0])
        if len(matrices) > 1:
            prefix = f"{task} [{len(matrices)} metrics]: ".lstrip()
        out.append(replace(finding, text=prefix + finding.text))
    return out


def _direction(matrix: ScoreMatrix, sources: Sequence[Source]) -> Iterator[Finding]:
    """Yield a finding if a declared direction contradicts the log of this metric."""
    for source in sources:
        in_both = {*source.lower_is_better} & {*source.higher_is_better}
        if matrix.metric in in_both and source.task in {None, matrix.task}:
            yield find(
                "contradicted-direction",
                f"{where(matrix)}the log says that higher scores are better, which "
                f"contradicts {arg('lower_is_better')}",
            )
            return


def coverage(
    matrices: Sequence[ScoreMatrix],
    sources: Sequence[Source] = (),
    *,
    notes: Iterable[str] = (),
    bad: Sequence[str] = (),
    allowed: Iterable[str] = (),
) -> Coverage:
    """Summarize the contents of the matrices, with findings.

    ``allowed`` has the codes of fatal findings that the user accepts.

    >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, float("nan")]], models=["a", "b"])
    >>> [f.code for f in coverage([m]).findings]
    ['missing-items']
    """
    findings = [
        *log_findings(sources, notes, bad),
        *_merged(
            (m, f)
            for m in matrices
            for f in (*_direction(m, sources), *cell_findings(m), *gap_findings(m))
        ),
    ]
    if len(sources) <= 1:  # ids of different tables need not match
        findings = [f for f in findings if f.code != "unverified-items"]
    return Coverage(
        tasks=tuple(_task(m) for m in matrices),
        sources=tuple(sources),
        findings=allow(findings, allowed),
    )
