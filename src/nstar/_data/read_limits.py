"""Limits on the resources that reading one log may use.

Logs are untrusted input, and a compressed or sparse file can expand to millions of rows from a few
bytes. Each limit applies only beyond what the length of the file justifies, in rows or unpacked
bytes per byte on disk. The user may raise it. Real results are far below the limits: a leaderboard
of 4,576 models and 21,606 items has 0.5 rows per byte as a long Parquet file, and 8 scores per
byte as a wide file of single bits.
"""

from dataclasses import dataclass

from nstar._base.parameter_types import LimitName
from nstar.errors import DataError, ParameterError, arg

ROWS_PER_BYTE = 20
"""Rows per byte of its file that are allowed for every log, or 0.4 bits per score."""
UNPACKED_PER_BYTE = 100
"""Bytes that each compressed byte may become in every log. JSON logs expand 5 to 50 times."""
KEPT_PER_BYTE = 25
"""Bytes of JSON per byte of its file that every log may keep in memory."""
NAME_CAP = 1 << 20
"""Largest size in bytes of the name of a model, item, task, run, or group."""
CELLS_PER_ROW = 100
"""Number of matrix cells per row that is always allowed, so that 1% of the cells are filled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper limits on the resources that reading one log may use.

    Each limit applies only beyond what the length of the file justifies, such as one row per 20
    bytes. Large files are therefore always accepted, and small files that expand without bound are
    rejected.

    Examples
    --------
    >>> Limits(rows=50_000_000).rows
    50000000
    >>> Limits().refuse("columns", 100_003, "wide.csv: has 100,003 columns")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nstar.errors.DataError: wide.csv: has 100,003 columns, more than the limit of 40,000. ...
    """

    rows: int = 8_000_000
    """Rows of one log with fewer than 20 bytes per row, or of one task that must be sorted because
    of runs or repeated rows.
    """
    columns: int = 40_000
    """Columns of a table, or names of fields in records."""
    names: int = 1_000_000
    """Distinct models, items, runs, or labels of one kind."""
    cells: int = 32_000_000
    """Models × items of one task, unless 1% of the cells are filled."""
    unpacked: int = 128 << 20
    """Size of a compressed log when unpacked, in bytes, unless it is at most 100 times its size on
    disk.
    """
    kept: int = 24 << 20
    """Size of samples kept in memory together, in bytes, unless it is at most 25 times the size of
    their log.
    """

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                msg = f"{name} must be a whole number of at least 1; got {value!r}"
                raise ParameterError(msg)

    def refuse(
        self,
        name: LimitName,
        amount: int,
        description: str,
        *,
        vouched: int = 0,
        error: type[DataError] = DataError,
    ) -> None:
        """Raise ``error`` if ``amount`` exceeds the limit and what the length justifies.

        ``description`` describes the amount in words, beginning with the name of the file. The
        message suggests a power of ten that is at least twice ``amount``. Later parts of the log,
        or the next log, may need more, and each error costs the user another run.
        """
        limit = max(getattr(self, name), vouched)
        if amount > limit:
            limit_text = f"{limit:,} bytes" if name in {"unpacked", "kept"} else f"{limit:,}"
            msg = (
                f"{description}, more than the limit of {limit_text}. If you trust the file, set "
            )
            msg += arg("limits", f"{name}={10 ** len(str(2 * amount - 1))}")
            raise error(msg)
