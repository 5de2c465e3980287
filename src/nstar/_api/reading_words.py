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
        Map the parts of the data to columns, such as
        ``{"item": "question_id", "judge": "verdict", "label": "human"}``. The role
        ``lower_is_better`` marks a column of scores for which lower is better.
    skip_bad : int
        Skip up to this many unreadable rows, and report them.
    limits : Limits or mapping
        Raise a size limit for logs that you trust, such as ``{"rows": "50M", "unpacked":
        "2GiB"}``.
    follow_links : bool
        Follow symbolic links that lead out of the folder.
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
        Field of the log to keep as a column of groups.
    errors : {"harness", "missing", "zero", "keep"}
        Treatment of failed samples and codes such as -1: follow the harness, treat them as missing
        or as 0, or keep the codes.
    duplicates : {"refuse", "mean", "first", "last", "runs"}
        Treatment of repeated rows: refuse them, use the mean, the first, or the last row, or treat
        them as runs.
    allow : str or sequence of str
        Continue despite errors with this code, such as failed-run.
    lower_is_better : bool
        Declare that lower scores are better, as with times and error rates. A log that contradicts
        the known direction of its metric is refused.
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
        Treatment of repeated logs: use the latest complete log, or use all logs as runs.
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
        Task to use, if the data contain several tasks.
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
        Price of a million input and output tokens, such as ``3/15`` or MODEL=3/15, or a TOML file.
    """

    price: TokenPrices
