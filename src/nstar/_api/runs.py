"""``runs``: repeated runs of one model or two, from whatever holds their scores."""

from dataclasses import replace
from typing import Any, Unpack

from nstar._api.criteria import criteria
from nstar._api.inputs.data_kinds import Data, is_rows, model_named, readable
from nstar._api.inputs.reading import ReadingWords, ReadSettings, refuse_unknown
from nstar._api.inputs.run_logs import LogGroup, RunSelection, run_logs
from nstar._base import checks
from nstar._data.findings import Finding
from nstar._data.series import aligned, is_frame
from nstar._verbs.runs import Runs, RunTable, TaskRule, analysed, table_of
from nstar.errors import ParameterError, arg
from nstar.readers._tables._columns import recognised


def runs(
    data: "Data | RunTable",
    other: "Data | RunTable | None" = None,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    at_least: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
    **reading: Unpack[ReadingWords],
) -> Runs:
    """What do repeated runs of the same tasks say, and what could more runs say?

    Parameters
    ----------
    data, other
        Scores of one model, or of two on the same tasks. An array of tasks x runs, NaN where a
        run is absent, and a second in the same order; two pandas frames of tasks x runs pair by
        their index. Or a frame with columns for the item, the run and the score, or paths to
        logs, which hold one model or two.
    a, b
        The model or models: which of those in the data, or what to call arrays.
    task, metric
        Which task set, when the data hold several, and which metric instead of the first.
    at_least
        A rule for every task, like ``"4/5"``: at least 4 of 5 runs pass. How often would it be
        missed if nothing changed? For 0/1 scores.
    alpha, power, one_sided
        Level of all intervals and of the test of the gap, wanted power, and whether only "a is
        better" is of interest.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`. All logs of a model are its
        runs.

    Returns
    -------
    Runs
        Each model's variance between tasks and between runs, and the gap of two.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    Two of four tasks went both ways in three runs; all three runs passed on one task of four.

    >>> found = runs([[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> model = found.models[0]
    >>> model.mean, model.flipped, round(model.flip, 4), model.pass_hat.estimate.round(3).tolist()
    (0.5, 2, 0.3333, [0.5, 0.333, 0.25])
    """
    rule = criteria(alpha, power, one_sided=one_sided)
    checks.instance("at_least", at_least, str, 'like "4/5"')
    if b is not None and a is None:
        msg = f"{arg('b')} names the second model; name the first with {arg('a')}"
        raise ParameterError(msg)
    tables, findings = run_tables_in(
        data,
        other,
        RunSelection(a=model_named("a", a), b=model_named("b", b), task=task, metric=metric),
        reading,
    )
    asked = None if at_least is None else TaskRule.parse(at_least)
    return analysed(tables, rule, findings, asked)


def run_tables_in(
    data: Any, other: Any, wanted: RunSelection, words: ReadingWords
) -> tuple[tuple[RunTable, ...], tuple[Finding, ...]]:
    """One RunTable per model meant, of any kind of data, and what to beware of."""
    refuse_unknown(words, "runs")
    given = [data] if other is None else [data, other]
    present = [isinstance(x, RunTable) for x in given]
    rows = [not p and holds_rows(x) for p, x in zip(present, given, strict=True)]
    if all(present):
        lower = words.get("lower_is_better", False)
        checks.truth(lower_is_better=lower)
        return tuple(replace(t, lower_is_better=True) if lower else t for t in given), ()
    if any(present) or any(rows) != all(rows):
        msg = "give the scores of both models in the same form: two arrays, two frames, two tables"
        raise ParameterError(msg)
    if all(rows):
        reading = ReadSettings.of(words, "runs", runs="all")
        return run_logs(_groups(given, wanted), reading, wanted)
    lower = words.pop("lower_is_better", False)
    checks.truth(lower_is_better=lower)
    for name in words:
        msg = f"{arg(name)} is about data that are read, and these are arrays"
        raise ParameterError(msg)
    names = (wanted.a or "A", wanted.b or "B")
    in_order = aligned(dict(zip(("a", "b"), given, strict=False))).values()
    tables = (table_of(x, name) for x, name in zip(in_order, names, strict=False))
    return tuple(replace(table, lower_is_better=lower) for table in tables), ()


def holds_rows(data: Any) -> bool:
    """Whether it is read; a frame without any part by name is an array of tasks x runs."""
    if is_frame(data) and not isinstance(data, RunTable):
        columns = [str(c) for c in getattr(data, "column_names", data.columns)]
        return bool(recognised(columns) & {"item", "model", "score", "run"})
    return is_rows(data)


def _groups(given: list[Any], wanted: RunSelection) -> list[LogGroup]:
    if len(given) == 1:
        return [LogGroup(data=readable(given[0]), usual=wanted.a or "A")]
    return [
        LogGroup(data=readable(x), model=model, usual=usual)
        for x, model, usual in zip(given, (wanted.a, wanted.b), ("A", "B"), strict=True)
    ]
