"""An Audit from the JSON that nstar wrote of it: without scores, with everything that is told."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_args

import numpy as np

from nstar._verbs.audit import Audit, GapBin, Pairs, Ranks, Shortcut, Stress
from nstar._verbs.audit.tables import Adjust, Family, ItemChoice
from nstar._verbs.verdict import AUDIT_WORDS, Criteria
from nstar.report.documents import Document
from nstar.report.words.audit import headline, paragraph
from nstar.report.words.audit.ranking import ranking_of

T = TypeVar("T")

_RANKS = ("n", "rank", "rank_lo", "rank_hi", "alone_lo", "alone_hi", "tier")
_NUMBERS = (
    *("mean_a", "mean_b", "delta", "p", "p_adjusted", "rho", "sigma", "se", "t", "mde", "q"),
    "q_adjusted",
)
_COUNTS = ("n11", "n10", "n01", "n00")
_OPTIONAL = ("p_midp", "p_exact", "psi", "delta0", "q_delta0", "p_equivalent")
_LONGEST = 1 << 53


def _text(value: Any) -> str:
    if not isinstance(value, str):
        msg = f"{value!r:.40} is no text"
        raise TypeError(msg)
    return value


def _number(value: Any, missing: float = math.nan) -> float:
    """A number; null is "no number"."""
    if value is None:
        return missing
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{value!r:.40} is no number"
        raise TypeError(msg)
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LONGEST:
        msg = f"{value!r:.40} is no count"
        raise TypeError(msg)
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        msg = f"{value!r:.40} is neither true nor false"
        raise TypeError(msg)
    return value


def _one_of(value: Any, choices: Sequence[Any]) -> Any:
    if value not in choices:
        msg = f"{value!r:.40} is none of {', '.join(map(str, choices))}"
        raise ValueError(msg)
    return value


def _maybe(convert: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else convert(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        msg = f"{value!r:.40} is no list"
        raise TypeError(msg)
    return value


def _two(value: Any) -> tuple[str, str]:
    """Names of a pair."""
    first, second = map(_text, _list(value))
    return first, second


def _floats(rows: Sequence[Any], key: str, missing: float = math.nan) -> Any:
    return np.array([_number(row[key], missing) for row in rows], dtype=np.float64)


def _counts(rows: Sequence[Any], key: str) -> Any:
    return np.array([_whole(row[key]) for row in rows], dtype=np.int64)


def _ends(rows: Sequence[Any], key: str, missing: float = math.nan) -> tuple[Any, Any]:
    inner = [row[key] for row in rows]
    return _floats(inner, "low", missing), _floats(inner, "high", missing)


def _absent(rows: Sequence[Any], key: str) -> bool:
    return any(row[key] is None for row in rows)


def _ranks(rows: Sequence[Any]) -> Ranks:
    return Ranks(
        name=tuple(_text(row["name"]) for row in rows),
        mean=_floats(rows, "mean"),
        **{key: _counts(rows, key) for key in _RANKS},
    )


def _pairs(rows: Sequence[Any]) -> Pairs:
    names = [_two(row["names"]) for row in rows]
    low, high = _ends(rows, "ci")
    q_low, q_high = _ends(rows, "q_ci")
    star_low, star_high = _ends(rows, "n_star_ci", math.inf)
    verdict = tuple(_one_of(row["verdict"], AUDIT_WORDS) for row in rows)
    counts: dict[str, Any] = {k: None if _absent(rows, k) else _counts(rows, k) for k in _COUNTS}
    others: dict[str, Any] = {k: None if _absent(rows, k) else _floats(rows, k) for k in _OPTIONAL}
    return Pairs(
        a=tuple(a for a, _ in names),
        b=tuple(b for _, b in names),
        n=_counts(rows, "n"),
        ci_low=low,
        ci_high=high,
        q_low=q_low,
        q_high=q_high,
        n_star=_floats(rows, "n_star", math.inf),
        n_star_low=star_low,
        n_star_high=star_high,
        more_items=_floats(rows, "more_items", math.inf),
        verdict=verdict,
        resolved=np.array([v == AUDIT_WORDS[0] for v in verdict], dtype=np.bool_),
        **{k: _floats(rows, k) for k in _NUMBERS},
        **counts,
        **others,
    )


def _stress(row: Any) -> Stress:
    return Stress(
        reading=_text(row["reading"]),
        family=_one_of(row["family"], get_args(Family)),
        pairs=_whole(row["pairs"]),
        critical=_maybe(_number, row["critical"]),
        needed=_maybe(_number, row["needed"]),
        unresolved=_maybe(_whole, row["unresolved"]),
        insignificant=_maybe(_whole, row["insignificant"]),
        why_not=_maybe(_text, row["why_not"]),
    )


def _bin(row: Any) -> GapBin:
    return GapBin(
        low=_number(row["low"]),
        high=_number(row["high"], math.inf),
        pairs=_whole(row["pairs"]),
        unresolved=_whole(row["unresolved"]),
        need_median=_maybe(_number, row["need_median"]),
        need_worst=_number(row["need_worst"], math.inf) if row["unresolved"] else None,
    )


def _criteria(row: Any) -> Criteria:
    return Criteria(alpha=_number(row["alpha"]), power=_number(row["power"]), sides=row["sides"])


def revive(data: Mapping[str, Any]) -> Audit:
    """The audit behind a file of the schema ``nstar.audit/1``.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing or is not what it should be.
    """
    limits, values, shortcut = data["limits"], data["values"], data["shortcut"]
    adjacent = _pairs(_list(data["adjacent"]))
    return Audit(
        task=_text(data["task"]),
        metric=_text(data["metric"]),
        scale=_one_of(data["scale"], ("binary", "graded")),
        lower_is_better=_flag(data["lower_is_better"]),
        limits=(_number(limits["low"]), _number(limits["high"])),
        values=(_number(values["low"]), _number(values["high"])),
        criteria=_criteria(data["criteria"]),
        conf=_number(data["conf"]),
        design=_text(data["design"]),
        items=_one_of(data["items"], get_args(ItemChoice)),
        n=_whole(data["n"]),
        n_left_out=_whole(data["n_left_out"]),
        complete=_flag(data["complete"]),
        adjust=_one_of(data["adjust"], get_args(Adjust)),
        adjust_why=_maybe(_text, data["adjust_why"]),
        rank_method=_one_of(data["rank_method"], get_args(Adjust)),
        critical=_maybe(_number, data["critical"]),
        draws=_maybe(_whole, data["draws"]),
        seed=_whole(data["seed"]),
        delta0=_maybe(_number, data["delta0"]),
        margin=_maybe(_number, data["margin"]),
        ranks=_ranks(_list(data["models"])),
        pairs=adjacent,
        pairs_asked="adjacent",
        adjacent=adjacent,
        words={word: _whole(data["words"][word]) for word in AUDIT_WORDS},
        all_pairs=_whole(data["all_pairs"]),
        top=_whole(data["top"]),
        stress_rows=tuple(map(_stress, _list(data["stress"]))),
        bins=tuple(map(_bin, _list(data["bins"]))),
        correlation=None,
        saving=None,
        shortcut=Shortcut(
            flips=_whole(shortcut["flips"]),
            pairs=_whole(shortcut["pairs"]),
            ratio=_maybe(_number, shortcut["ratio"]),
        ),
        stability=(),
        flips=(),
        caution=_maybe(_text, data["caution"]),
        engine=_text(data["engine"]),
    )


_PRIVATE = "note [reader]: "
"""What a reader noted names files of the machine where the audit was made."""


def words_of(data: Mapping[str, Any], audit: Audit) -> Document:
    """The audit in words: notes as they were written, the answer as it follows from its numbers.

    Notes on where its logs lay are left out.
    """
    notes = map(_text, _list(data["notes"]))
    return Document(
        headline=headline(audit, ranking_of(audit)),
        notes=tuple(n for n in notes if not n.startswith(_PRIVATE)),
        assumptions=tuple(map(_text, _list(data["assumptions"]))),
        paragraph=paragraph(audit),
    )


def published(data: Mapping[str, Any], audit: Audit, words: Document) -> dict[str, Any]:
    """The audit with these words, about all models alike, without what its reader noted.

    A reader names files of somebody's machine.
    """
    return {
        **data,
        "headline": words.headline,
        "paragraph": words.paragraph,
        "notes": list(words.notes),
        "where": None,
        "tiers": ranking_of(audit).tiers,
        "findings": [f for f in _list(data["findings"]) if f["code"] != "reader"],
    }
