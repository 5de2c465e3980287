"""Judge the scores of a candidate and a baseline."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from nstar._api.inputs.gap_units import check_gap_units
from nstar._api.inputs.reading import names_in
from nstar._api.inputs.two_models import (
    ModelPairData,
    column_of,
    single_model,
    threshold_name,
    two_models,
)
from nstar._api.inputs.weights import weights_of
from nstar._api.reading_words import ReadingWords
from nstar._base.units import Points
from nstar._data.export import files
from nstar._data.export.lock import FileLock
from nstar._data.findings import Finding
from nstar._data.table import Source
from nstar._verbs.compare.question import refuse_strata
from nstar._verbs.gate import (
    Gate,
    GateQuestion,
    History,
    check_scales,
    gate_criteria,
    invalid,
    judge,
    judge_scores,
    of_matrices,
    of_sample,
)
from nstar.errors import DataError, ParameterError, QuestionError, arg

_FILE = "gate.jsonl"
_BUSY = "Another nstar gate process is using this history. Try again when it ends."
_PATIENCE_SECONDS = 60.0


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the history for this gate. Create the folder if it does not exist.

    The file is replaced as a whole at each evaluation. One process must hold the lock from reading
    to writing, or the evidence of another process would be lost.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"Cannot create the folder {folder}: {error.strerror}"
        raise DataError(msg) from error
    lock = FileLock(str(folder / _FILE), "history", _BUSY, _PATIENCE_SECONDS)
    try:
        files.sweep(folder)
        yield
    finally:
        lock.release()


def read_history(folder: Path, *, fresh: bool) -> History:
    """Return the history of the folder, which is empty before the first evaluation."""
    path = folder / _FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return History(fresh=fresh)
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror}"
        raise DataError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: not a history of nstar gate (the file is not text)."
        raise DataError(msg) from error
    try:
        history = History.parse(text)
    except DataError as error:
        raise error.within(str(path)) from error
    if history.fresh != fresh:
        choice = "with" if history.fresh else "without"
        fresh_items = arg("fresh_items")
        msg = (
            f"{path}: this history was started {choice} {fresh_items}, which cannot change. Start "
            "a new folder."
        )
        raise DataError(msg)
    return history


def write_history(folder: Path, history: History) -> None:
    """Write the complete history, or leave the file unchanged."""
    try:
        files.write_whole(str(folder / _FILE), history.text().encode())
    except DataError as error:
        reason = str(error).removeprefix(f"Cannot write {folder}: ")
        msg = f"Cannot write the history {folder / _FILE}: {reason}"
        raise DataError(msg) from error


_NAMES = ("candidate", "baseline")
_COMPLETE_PAIRS = "Run them for both models, or exclude them for both."
"""How to fix items that only one model has, where items are weighted."""


def gate_question(
    *,
    alpha: float,
    power: float = 0.8,
    guardrails: Mapping[str, float] | None,
    strata: Any,
    cluster: Any,
    **parameters: Any,
) -> GateQuestion:
    """Build the gate question from the parameters of a public function."""
    return GateQuestion(
        guardrails=dict(guardrails or {}),
        strata=column_of("strata", strata),
        cluster=column_of("cluster", cluster),
        criteria=gate_criteria(alpha, power),
        **parameters,
    )


def guarded_tasks(tasks: Any, guardrails: Mapping[str, float] | None) -> tuple[str, ...]:
    """Return the selected tasks and those with a guardrail. No selection means all tasks."""
    names = names_in(tasks)
    return tuple(dict.fromkeys((*names, *(guardrails or ())))) if names else ()


def gate_verdict(
    candidate: Any,
    baseline: Any,
    models: tuple[Any, Any],
    question: GateQuestion,
    reading: ReadingWords,
    *,
    tasks: Any,
    metric: str | None,
    labels: Mapping[str, Any],
    weights: Any = None,
    history: Any = None,
    fresh_items: bool = False,
) -> Gate:
    """Return the verdict on the candidate. Unusable data give the verdict INVALID DATA."""
    is_pair = question.threshold is None
    if is_pair and isinstance(candidate, str) and baseline is None and None in models:
        msg = (
            f"{arg('baseline')} is missing. Set it to the current model, with which "
            f"{arg('candidate')} is compared, or set {arg('threshold')} to a score."
        )
        raise QuestionError(msg)
    second = str(models[1] or _NAMES[1])
    if question.threshold is not None:
        second = threshold_name(question.threshold, metric, in_percent=0 < question.threshold < 1)
    names = (str(models[0] or _NAMES[0]), second)
    findings: tuple[Finding, ...] = ()
    try:
        pair = _data(candidate, baseline, models, question, reading, (tasks, metric, labels))
        names, findings = pair.names, pair.findings
        if pair.judged is not None:
            question.refuse_judged(strata=pair.judged.n_label_strata is not None)
        if question.threshold is None:
            _check_gaps(pair, question)
        pair, notes = _weighted(pair, weights, question)
        findings = (*findings, *notes)
        with ExitStack() as stack:
            folder = _folder(history)
            if folder is not None:
                stack.enter_context(locked(folder))
                history = read_history(folder, fresh=fresh_items)
            result = _verdict(pair, question, history, findings, names_in(reading.get("allow")))
            is_new = result.pooled_evidence is not None and not result.pooled_evidence.is_repeated
            if folder is not None and result.history is not None and is_new:
                write_history(folder, result.history)
    except DataError as error:
        return invalid(str(error), question=question, names=names, findings=findings)
    return result


def _folder(history: Any) -> Path | None:
    if isinstance(history, str | PathLike):
        return Path(history)
    if history is None or isinstance(history, History):
        return None
    msg = f"{arg('history')} must be a folder or nstar.types.History; got {history!r:.60}"
    raise ParameterError(msg)


def _data(
    candidate: Any,
    baseline: Any,
    models: tuple[Any, Any],
    question: GateQuestion,
    reading: ReadingWords,
    choice: tuple[Any, str | None, Mapping[str, Any]],
) -> ModelPairData:
    """Read the candidate, and the baseline unless there is a threshold."""
    tasks, metric, labels = choice
    if question.threshold is None:
        return two_models(
            candidate,
            baseline,
            models,
            usual=_NAMES,
            tasks=guarded_tasks(tasks, question.guardrails),
            metric=metric,
            labels=labels,
            words=reading,
            verb="gate",
            needs_names=True,
            alpha=question.criteria.alpha,
        )
    pair = single_model(
        candidate,
        models[0],
        usual=_NAMES[0],
        tasks=names_in(tasks),
        metric=metric,
        labels=labels,
        words=reading,
        verb="gate",
    )
    return pair.against(
        question.threshold, question.score_range, question.margin, needs_range=True
    )


def _check_gaps(pair: ModelPairData, question: GateQuestion) -> None:
    """Refuse scores of one model, and margins, that are on another scale than the other scores."""
    if pair.sample is not None:
        return
    margins = [m for m in (question.margin, *question.guardrails.values()) if m is not None]
    scores = of_matrices(
        [m for m in pair.matrices if set(pair.names) <= set(m.models)], pair.names
    )
    check_scales(scores, points=any(isinstance(margin, Points) for margin in margins))
    for margin in margins:
        check_gap_units(pair.matrices, margin=margin)


def _weighted(
    pair: ModelPairData, weights: Any, question: GateQuestion
) -> tuple[ModelPairData, tuple[Finding, ...]]:
    values = weights_of(weights)
    if values is None:
        return pair, ()
    refuse_strata(question.strata, weighted=True)
    if pair.sample is not None:
        check_scales(of_sample(pair.sample, pair.names, pair.unscored))
    return pair.weighed(values, whole_or=_COMPLETE_PAIRS)


def _verdict(
    pair: ModelPairData,
    question: GateQuestion,
    history: History | None,
    findings: Sequence[Finding],
    allowed: Sequence[str],
) -> Gate:
    if pair.sample is not None:
        scores = of_sample(pair.sample, pair.names, pair.unscored)
        if pair.items is not None:
            scores = scores._replace(items=[(pair.sample.task, pair.items)])
        return judge_scores(scores, question, history, findings)
    sources = () if pair.coverage is None else pair.coverage.sources
    result = judge(
        pair.matrices,
        replace(question, ended=_has_ended(sources, pair.names[0])),
        names=pair.names,
        history=history,
        findings=findings,
        allowed=allowed,
    )
    return replace(result, judge_correction=pair.judged)


def _has_ended(sources: Sequence[Source], model: str) -> bool:
    """Return whether the harness reports that the runs of a model have ended."""
    logs = [s for s in sources if s.model == model]
    return bool(logs) and all(s.declared_items is not None and s.status == "success" for s in logs)
