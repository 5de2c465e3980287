"""Read votes between models from data of any kind, and filter them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from nstar._api.inputs.data_kinds import is_rows, readable
from nstar._api.inputs.reading import ReadSettings, names_in
from nstar._api.reading_words import ReadingWords
from nstar._data.findings import abbreviate
from nstar._data.votes import VoteGrouping, Votes, settled
from nstar.errors import DataError, ParameterError, arg
from nstar.readers._votes._layout import VoteSelection
from nstar.readers._votes._read import read_votes

Only: TypeAlias = Mapping[str, str | Sequence[str]] | Sequence[str] | str
"""Votes to keep: column to value or values, or texts such as ``"source=crowd"``."""

_LISTED = 8


def load_votes(
    data: Any,
    reading: ReadSettings | None = None,
    /,
    *,
    only: Only = (),
    groups: Sequence[str] | str = (),
    covariates: Sequence[str] | str = (),
    **words: Any,
) -> Votes:
    """Return votes from paths, a frame, columns, records, or :class:`Votes`.

    Parameters
    ----------
    data : object
        What holds them.
    reading : ReadSettings, optional
        How data are read, where that is known already.
    only : Only, default ()
        Votes to keep, by the values of columns: of one column any of the values, of several
        columns all of them.
    groups : sequence of str or str, default ()
        Columns to keep as groups, by name or by part, beside prompt, judge, pair and session.
    covariates : sequence of str or str, default ()
        ``"length"``, ``"headers"``, ``"lists"`` or ``"bold"`` where the data have them, or the
        columns of the first and second answer as ``"COLUMN_A:COLUMN_B"``.
    **words
        How data are read, as :class:`~nstar.types.ReadingWords`; parts that ``columns`` may name
        are first, second, winner, score, prompt, judge, pair, session, weight
        and probability.

    Raises
    ------
    DataError
        There are no votes of two models, or not the columns asked for.

    Examples
    --------
    >>> rows = {"left": ["x", "y"], "right": ["y", "x"], "winner": ["left", "tie"]}
    >>> votes = load_votes(rows)
    >>> votes.models, votes.score.tolist()
    (('x', 'y'), [1.0, 0.5])
    """
    selection = VoteSelection(
        only=chosen(only), groups=names_in(groups), covariates=names_in(covariates)
    )
    if isinstance(data, Votes):
        return _of(data, selection)
    if not is_rows(data):
        _refuse_kind(data)
    settings = (
        ReadSettings.of(cast("ReadingWords", words), "battles") if reading is None else reading
    )
    return read_votes(readable(data), settings.options, selection)


def chosen(only: Only) -> dict[str, tuple[str, ...]]:
    """Return the selected values of each column.

    >>> chosen(["source=crowd", "source=gpt4"]), chosen({"language": "English"})
    ({'source': ('crowd', 'gpt4')}, {'language': ('English',)})
    """
    if isinstance(only, Mapping):
        return {str(name): names_in(values) for name, values in only.items()}
    out: dict[str, tuple[str, ...]] = {}
    for one in names_in(only):
        name, sign, value = one.partition("=")
        if not sign or not name:
            msg = f"{arg('only')} must have the form COLUMN=VALUE; got {one!r:.60}"
            raise ParameterError(msg)
        out[name] = (*out.get(name, ()), value)
    return out


def _of(votes: Votes, selection: VoteSelection) -> Votes:
    """Return a selection of votes that are already in memory."""
    for word, names, columns in (
        ("groups", [*selection.only, *selection.groups], votes.groups),
        ("covariates", selection.covariates, votes.covariates),
    ):
        _refuse_absent(word, names, columns)
    keep_mask = np.ones(len(votes), np.bool_)
    for name, values in selection.only.items():
        keep_mask &= _with(votes.groups[name], values)
    if keep_mask.all():
        return votes
    if not keep_mask.any():
        condition = " and ".join(f"{n} {' or '.join(v)}" for n, v in selection.only.items())
        msg = f"No votes match {condition}. Available: {_there(votes, selection)}."
        raise DataError(msg)
    return settled(votes.select(keep_mask))


def _with(group: VoteGrouping, values: Iterable[str]) -> Any:
    """Return a mask of the votes in groups with these names."""
    fits = np.zeros(group.count + 1, np.bool_)
    for value in values:
        place = group.names.index(value).as_py()
        if place >= 0:
            fits[place] = True
    return fits[group.codes]


def _there(votes: Votes, selection: VoteSelection) -> str:
    """Return the values that the columns have."""
    parts = []
    for name in selection.only:
        group = votes.groups[name]
        labels = [group.label(k) for k in range(min(group.count, _LISTED + 1))]
        parts.append(f"{name} is {abbreviate(labels, _LISTED)}")
    return "; ".join(parts)


def _refuse_absent(word: str, names: Iterable[str], columns: Mapping[str, Any]) -> None:
    for name in names:
        if name not in columns:
            known = ", ".join(columns) or "none"
            msg = f"No {name!r:.60} among the {word} of these votes. Available: {known}."
            raise DataError(msg)


def _refuse_kind(data: Any) -> None:
    shape = getattr(data, "shape", None)
    is_ = f"an array of shape {shape}" if isinstance(shape, tuple) else type(data).__name__
    msg = (
        f"battles needs votes between models; got {is_}. Pass a path, a frame, or a mapping such "
        'as {"first": names, "second": names, "winner": ["first", "second", "tie"]}'
    )
    raise ParameterError(msg)
