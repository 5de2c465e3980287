"""Keyword parameters about reading data, which functions accept as ``**reading``."""

from typing import TypedDict

from nstar._base.parameter_types import (
    Coded,
    Codes,
    ColumnRoles,
    Duplicates,
    FieldNames,
    LimitValues,
    MetricName,
    Name,
    Progress,
    RowCount,
    RunPolicy,
    TaskName,
    TokenPrices,
)
from nstar._data.read_limits import Limits


class TableWords(TypedDict, total=False):
    """Keywords for reading files.

    Parameters
    ----------
    reader : str, optional
        Log format, if it is not detected correctly.
    columns : mapping from str to str
        Map columns: ``{"item": "question_id", "judge": "verdict", "label": "human"}``. The role
        ``lower_is_better`` marks a column of scores for which lower is better.
    skip_bad : int
        Skip up to this many unreadable rows, and report them.
    limits : Limits or mapping
        Raise a size limit for logs you trust: ``{"rows": "50M", "unpacked": "2GiB"}``.
    follow_links : bool
        Follow links that lead out of a folder.
    progress : callable, optional
        Function that is called with the file, the bytes read, and the bytes in all (None if
        unknown).
    """

    reader: Name | None
    columns: ColumnRoles
    skip_bad: RowCount
    limits: Limits | LimitValues
    follow_links: bool
    progress: Progress | None


class ScoreWords(TableWords, total=False):
    """Keywords for reading scores.

    Parameters
    ----------
    groups : str or sequence of str
        Log field to keep as a group column of the items.
    errors : {"harness", "missing", "zero", "keep"}
        How failed samples and codes such as -1 count: as in the harness, as missing, as 0,
        or (codes) kept as scores.
    duplicates : {"refuse", "mean", "first", "last", "runs"}
        Repeated rows: refuse, keep first/last/mean, or treat as runs.
    allow : str or sequence of str
        Continue despite this error, such as failed-run.
    lower_is_better : bool
        Lower scores are better, as for times and error rates. A log that says the opposite of its
        metric is refused.
    """

    groups: FieldNames
    errors: Coded
    duplicates: Duplicates
    allow: Codes
    lower_is_better: bool


class ReadingWords(ScoreWords, total=False):
    """Keywords for reading scores of finished logs.

    Parameters
    ----------
    runs : {"latest", "all"}
        Repeated logs: use the latest complete one, or all as runs.
    """

    runs: RunPolicy


class GrowingLogWords(TableWords, total=False):
    """Keywords for logs that are still growing."""

    groups: FieldNames
    errors: Coded
    lower_is_better: bool


class PilotWords(ScoreWords, total=False):
    """Keywords for reading a pilot. All logs of a model are its runs.

    Parameters
    ----------
    task : str, optional
        Task to use, if the data contain several.
    metric : str, optional
        Metric to use instead of the first one in the log.
    """

    task: TaskName | None
    metric: MetricName | None


class PricedPilotWords(PilotWords, total=False):
    """Keywords for reading a pilot that counts tokens.

    Parameters
    ----------
    price : mapping, str, or tuple
        Cost of a million tokens in and out, by model or for all: ``3/15``, MODEL=3/15, or a TOML
        file.
    """

    price: TokenPrices
