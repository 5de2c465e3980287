"""Convert scores (numbers, booleans, and a few words) to float64 or int8, with null for no score.

=============================================================== =======
text (case and outer blanks do not matter)                      score
=============================================================== =======
a number                                                        itself
true, yes, correct, right, pass, passed, c                      1
false, no, incorrect, wrong, fail, failed, i                    0
nothing, nan, null, none, na, n/a, a dash                       none
=============================================================== =======

Anything else, such as ``71%`` or infinity, is not a score.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._data import arrow
from nstar._data.findings import PERCENTAGES
from nstar.errors import arg
from nstar.readers._read_errors import printable

POINTS = (
    "use decimal points (0.5): choose an English locale before exporting as CSV, or in "
    "Python: pandas.read_csv(FILE, sep=None, decimal=',')"
)
"""Advice for decimal commas."""
_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")

_WORDS: dict[str, float | None] = {
    **dict.fromkeys(("true", "yes", "correct", "right", "pass", "passed", "c"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "wrong", "fail", "failed", "i"), 0.0),
    **dict.fromkeys(("", "nan", "null", "none", "na", "n/a", "-", "–", "—"), None),
}

_MIN_TEXTS_FOR_NUMPY = 64
"""Number of distinct texts from which numpy first checks whether all are numbers."""

Indices = npt.NDArray[np.int64]
_NONE_BAD: Indices = np.empty(0, np.int64)


def parse(text: str) -> float | None:
    """Return the score that a text represents. Raise ValueError if it is not a score.

    >>> parse(" Correct"), parse("0.25"), parse("")
    (1.0, 0.25, None)
    """
    word = text.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    value = float(word)
    if "_" in word or not math.isfinite(value):  # float() takes 1_000
        raise ValueError(word)
    return value


def has_comma(text: str) -> bool:
    """Return whether a text is a number with a decimal comma.

    >>> has_comma("0,5"), has_comma("0.5")
    (True, False)
    """
    return _COMMA.fullmatch(text) is not None


def complaint(value: Any, part: str = "score") -> str:
    """Return a message that says why a value is not a score, and how to fix it."""
    text = str(value)
    excerpt = printable(text if len(text) <= 40 else text[:39] + "…")
    if has_comma(text):
        return f"score {excerpt!r} has a decimal comma; {POINTS}"
    if text.strip().endswith("%"):
        return f"score {excerpt!r} is a percentage; use a proportion such as 0.71 for 71%"
    if text.strip().lower().lstrip("+-") in {"inf", "infinity"}:
        return f"score {excerpt} is infinite; correct the score or leave it empty"
    return (
        f"score {excerpt!r} is not a number or a word such as true/false, yes/no, "
        "correct/incorrect or pass/fail; correct the score, or choose another column with "
        f"{arg('columns', f'{part}=NAME')}"
    )


@dataclass(slots=True)
class ScoreColumn:
    """Converts score columns to float64, and records the range of the scores.

    >>> ScoreColumn().convert(pa.array(["1", "no", "", "?"]))[0].to_pylist()
    [1.0, 0.0, None, None]
    """

    low: float = math.inf
    high: float = -math.inf

    def convert(self, column: pa.Array) -> tuple[pa.Array, Indices]:
        """Return the scores, and the rows with other values."""
        if pa.types.is_dictionary(column.type):
            return self._distinct(column)
        if _is_text(column.type):
            return self._distinct(column.dictionary_encode())
        if pa.types.is_boolean(column.type) and not column.null_count:
            column = arrow.array(arrow.numbers(column).view(np.int8))
        if pa.types.is_int8(column.type) and not column.null_count:
            return self._small(column), _NONE_BAD
        return self._numbers(_floats(column))

    def _small(self, column: pa.Array) -> pa.Array:
        """Return one-byte integers unchanged, to save memory for 0/1 scores of many rows."""
        values = arrow.numbers(column)
        if values.size:
            self.low, self.high = min(self.low, values.min()), max(self.high, values.max())
        return column

    def _numbers(self, values: npt.NDArray[np.float64]) -> tuple[pa.Array, Indices]:
        """Return the numbers, with null in place of NaN."""
        low, high = values.min(initial=math.inf), values.max(initial=-math.inf)
        bad, is_finite = _NONE_BAD, None
        if values.size and not (math.isfinite(low) and math.isfinite(high)):
            is_finite = np.isfinite(values)
            bad = np.flatnonzero(np.isinf(values))
            low = values.min(initial=math.inf, where=is_finite)
            high = values.max(initial=-math.inf, where=is_finite)
        self.low, self.high = min(self.low, float(low)), max(self.high, float(high))
        return arrow.array(values, present=is_finite), bad

    def _distinct(self, column: pa.DictionaryArray) -> tuple[pa.Array, Indices]:
        """Convert each distinct value once."""
        codes = arrow.codes(column)  # the code of null is -1, so its number is the last
        if not _is_text(column.dictionary.type):
            return self._numbers(np.append(_floats(column.dictionary), np.nan)[codes])
        numbers, wrong = _parsed(column.dictionary)
        column_of_numbers, bad = self._numbers(np.append(numbers, np.nan)[codes])
        if wrong.any():
            bad = np.union1d(bad, np.flatnonzero(wrong[codes] & (codes >= 0)))
        return column_of_numbers, bad

    @property
    def note(self) -> str | None:
        """Return a note on scores that look like percentages."""
        if self.low >= 0 and 1 < self.high <= 100:
            return (
                f"{PERCENTAGES} (or points): they range from {self.low:g} to "
                f"{self.high:g}, and differences are in those units"
            )
        return None


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _floats(column: pa.Array) -> npt.NDArray[np.float64]:
    """Return numbers as floats, with NaN in place of null."""
    if pa.types.is_integer(column.type) or pa.types.is_float64(column.type):
        return arrow.numbers(column).astype(np.float64, copy=False)
    return arrow.numbers(column.cast(pa.float64(), safe=False))


def _parsed(texts: pa.Array) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the number of each text (NaN for none), and a mask of texts that are not scores."""
    wrong = np.zeros(len(texts) + 1, np.bool_)  # one additional entry, for null
    text_list = texts.to_pylist()
    if len(text_list) > _MIN_TEXTS_FOR_NUMPY and not any(
        "_" in text for text in text_list if text
    ):
        try:
            return np.array([text or "nan" for text in text_list], np.float64), wrong
        except ValueError:
            pass
    values = np.full(len(texts), np.nan)
    for k, text in enumerate(text_list):
        try:
            value = parse(text or "")
        except ValueError:
            wrong[k] = True
        else:
            values[k] = np.nan if value is None else value
    return values, wrong
