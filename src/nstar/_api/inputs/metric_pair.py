"""Read two models, or a leaderboard, for a metric that is not an average."""

from typing import Any

from nstar._api.inputs.board import BoardInput
from nstar._api.inputs.data_kinds import is_rows, readable, refuse_kind
from nstar._api.inputs.metric_scores import MetricBoard, metric_board
from nstar._api.inputs.model_source import ModelSource, one_side
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import ModelFilter
from nstar._api.inputs.two_models import ModelPairData
from nstar._api.reading_words import ReadingWords
from nstar._verbs.data_summary import Coverage
from nstar.errors import ParameterError, arg


def _source(verb: str, data: Any, model: str | None = None) -> ModelSource:
    if not is_rows(data):
        refuse_kind(verb, data)
    if not isinstance(data, str):
        return ModelSource(data=readable(data), model=model)
    side = one_side(data)
    return side if model is None else ModelSource(data=side.data, model=model, label=side.label)


def _groups(cluster: Any) -> tuple[str, ...]:
    if cluster is None or isinstance(cluster, str):
        return () if cluster is None else (cluster,)
    msg = f"{arg('cluster')} must be the name of a column if {arg('statistic')} is set."
    raise ParameterError(msg)


def metric_pair(
    data: Any,
    other: Any,
    chosen: tuple[str | None, str | None],
    statistic: Any,
    tasks: tuple[str, ...],
    *,
    cluster: Any,
    words: ReadingWords,
) -> ModelPairData:
    """Return two models with one pseudo-value per item."""
    settings = ReadSettings.of(words, "compare")
    if other is None:
        sources = [_source("compare", data)]
        names = [name for name in chosen if name is not None]
        if sources[0].model is not None:
            names.insert(0, sources[0].model)
    else:
        pairs = zip((data, other), chosen, strict=True)
        sources, names = [_source("compare", x, name) for x, name in pairs], []
    board = metric_board(
        sources, statistic, settings, names, tasks=tasks, groups=_groups(cluster), n_models=2
    )
    first, second = board.matrices[0].models
    return ModelPairData((first, second), board.matrices, None, _coverage(board))


def _coverage(board: MetricBoard) -> Coverage:
    return Coverage(tasks=(), sources=(), findings=board.findings)


def metric_board_of(
    data: Any,
    statistic: Any,
    models: ModelFilter,
    tasks: tuple[str, ...],
    settings: ReadSettings,
    cluster: str | None,
) -> BoardInput:
    """Return a leaderboard with one pseudo-value per model and item."""
    source = _source("audit", data) if isinstance(data, str) else ModelSource(data=readable(data))
    board = metric_board(
        [source], statistic, settings, models, tasks=tasks, groups=_groups(cluster)
    )
    return BoardInput(matrices=board.matrices, findings=board.findings)
