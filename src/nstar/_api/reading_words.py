"""The parameters about reading data, which functions take as ``**reading``."""

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
    """How files are read.

    reader
        Log format, if it is not detected correctly.
    columns
        Map columns: ``{"item": "question_id", "judge": "verdict", "label": "human"}``. The role
        ``lower_is_better`` is a column of scores of which lower ones are better.
    skip_bad
        Skip up to this many unreadable rows, and report them.
    limits
        Raise a size limit for logs you trust: ``{"rows": "50M", "unpacked": "2GiB"}``.
    follow_links
        Follow links that lead out of a folder.
    progress
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
    """How scores are read, whichever logs count.

    groups
        Log field to keep as a group column of the items.
    errors
        How failed samples and codes such as -1 count: as in the harness, as missing, as 0,
        or (codes) kept as scores.
    duplicates
        Repeated rows: refuse, keep first/last/mean, or treat as runs.
    allow
        Continue despite this error, such as failed-run.
    lower_is_better
        Lower scores are better, as for times and error rates. A log that says the opposite of its
        metric is refused.
    """

    groups: FieldNames
    errors: Coded
    duplicates: Duplicates
    allow: Codes
    lower_is_better: bool


class ReadingWords(ScoreWords, total=False):
    """How scores are read.

    runs
        Repeated logs: use the latest complete one, or all as runs.
    """

    runs: RunPolicy


class GrowingLogWords(TableWords, total=False):
    """How logs are read that still grow."""

    groups: FieldNames
    errors: Coded
    lower_is_better: bool


class PilotWords(ScoreWords, total=False):
    """How a pilot is read. All logs of a model are its runs.

    task
        Task to use, if the data contain several.
    metric
        Metric to use instead of the first one in the log.
    """

    task: TaskName | None
    metric: MetricName | None


class PricedPilotWords(PilotWords, total=False):
    """How a pilot is read that counts tokens.

    price
        Cost of a million tokens in and out, by model or for all: ``3/15``, MODEL=3/15, or a TOML
        file.
    """

    price: TokenPrices
