"""Votes, each between two models, as numeric columns.

Ten million votes take a few hundred megabytes. Models and groups are codes of four bytes. Labels
of groups stay in Arrow, because millions of Python objects would take too much memory.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._base.types import Array, BoolArray
from nstar._base.units import join_words
from nstar._data import arrow
from nstar._data.findings import Finding, find, similar
from nstar._data.series import aligned, numbers
from nstar._data.table import Source, labels
from nstar.errors import DataError, ParameterError

Codes: TypeAlias = npt.NDArray[np.int32]

ROLES = ("prompt", "judge", "pair", "session")
"""Groupings with a special meaning: prompt, judge, pair of answers, session."""
_OBSERVED = ("both-bad", "weighted-votes", "repeated-votes", "similar-names")
"""Findings about all votes, which are determined again for a selection."""
_WIDE = 1 << 62
"""Largest vote key that is exact in 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteGrouping:
    """Groups of votes that may be dependent, such as votes on one prompt or by one judge."""

    codes: Codes = field(repr=False)
    """Group of each vote, or -1 if unknown, (N,)."""
    names: Any = field(repr=False)
    """Label of each group, as an Arrow array of texts. Every group has a vote."""
    is_hashed: bool = False
    """Whether labels are hashes of texts that are not kept."""

    @classmethod
    def of(cls, values: Any) -> "VoteGrouping":
        """Build a grouping from one label per vote. None, NaN, and empty texts are unknown.

        >>> made = VoteGrouping.of([7, 9, 7, None])
        >>> made.codes.tolist(), made.count, made.label(1)
        ([0, 1, 0, -1], 2, '9')
        """
        return cls(**_occurring(*_coded(values)))

    @property
    def count(self) -> int:
        """Return the number of groups."""
        return len(self.names)

    def label(self, group: int) -> str:
        """Return the name of a group."""
        return str(self.names[group].as_py())

    def select(self, selection: BoolArray) -> "VoteGrouping":
        """Return the grouping of some votes, without empty groups."""
        return VoteGrouping(
            **_occurring(self.codes[selection], self.names), is_hashed=self.is_hashed
        )

    def with_texts(self, texts: Mapping[int, str]) -> "VoteGrouping":
        """Return the grouping with the text of each label that is a hash, if all are known."""
        names = [texts.get(int(label)) for label in self.names.to_pylist()]
        if None in names:
            return replace(self, is_hashed=True)
        return replace(self, names=pa.array(names))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes:
    """Votes with their models, outcomes, and covariates.

    >>> votes = Votes.of(["x", "y"], ["y", "z"], [1, 0.5], groups={"judge": ["ann", "ann"]})
    >>> votes.models, votes.first.tolist(), votes.second.tolist(), len(votes)
    (('x', 'y', 'z'), [0, 1], [1, 2], 2)
    """

    models: tuple[str, ...]
    """Names of the models, sorted. Each has a vote."""
    first: Codes = field(repr=False)
    """Index of the model shown first, (N,)."""
    second: Codes = field(repr=False)
    """Index of the model shown second, (N,)."""
    score: Array = field(repr=False)
    """Score of the first model, (N,): 1 for a win, 0 for a loss, 0.5 for a tie, or a graded
    preference.
    """
    weight: Array | None = field(default=None, repr=False)
    """Positive weight of each vote, (N,). None if all weights are 1."""
    probability: Array | None = field(default=None, repr=False)
    """Probability with which the pair of each vote was drawn, (N,). NaN if the pair was not chosen
    by earlier votes. None if no pair was."""
    ordered: bool = True
    """Whether the first model was shown first. False if the file does not say."""
    bad: BoolArray | None = field(default=None, repr=False)
    """Ties between two answers that were both rated bad, (N,). None if there are none."""
    groups: Mapping[str, VoteGrouping] = field(default_factory=dict)
    """Groupings by role (prompt, judge, pair, session) or by the name of a declared column."""
    covariates: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """Values of the first and the second answer, such as "length", (N, 2). NaN if unknown."""
    findings: tuple[Finding, ...] = ()
    """Findings about the votes."""
    sources: tuple[Source, ...] = ()
    """Files with the votes."""

    def __len__(self) -> int:
        return int(self.first.size)

    @property
    def both_bad(self) -> int:
        """Return the number of ties between answers that were both rated bad."""
        return 0 if self.bad is None else int(np.count_nonzero(self.bad))

    def select(self, selection: BoolArray) -> "Votes":
        """Return some of the votes, with their models and groups.

        >>> votes = Votes.of(["x", "y"], ["y", "z"], [1, 0.5])
        >>> votes.select(votes.score > 0.5).models
        ('x', 'y')
        """
        selection = np.asarray(selection, np.bool_)
        first, second = self.first[selection], self.second[selection]
        is_used = np.zeros(len(self.models), np.bool_)
        is_used[first] = is_used[second] = True
        place = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
        return replace(
            self,
            models=tuple(np.array(self.models, object)[is_used].tolist()),
            first=place[first],
            second=place[second],
            score=self.score[selection],
            weight=None if self.weight is None else self.weight[selection],
            probability=None if self.probability is None else self.probability[selection],
            bad=None if self.bad is None else self.bad[selection],
            groups={name: group.select(selection) for name, group in self.groups.items()},
            covariates={name: values[selection] for name, values in self.covariates.items()},
        )

    @classmethod
    def of(
        cls,
        first: Any,
        second: Any,
        score: Any,
        *,
        weight: Any = None,
        ordered: bool = True,
        both_bad: Any = None,
        groups: Mapping[str, Any] | None = None,
        covariates: Mapping[str, tuple[Any, Any]] | None = None,
    ) -> "Votes":
        """Build votes from one name, number, or label per vote.

        Votes between a model and itself are ignored. ``score`` is that of the first model: 1 for a
        win, 0 for a loss, 0.5 for a tie, or any value in between. ``both_bad`` marks ties between
        two answers that were both rated bad. ``covariates`` has the values of the first and the
        second answer, by name.
        """
        columns = _columns(first, second, score, weight, both_bad, groups, covariates)
        models, ends = _models(columns["first"], columns["second"])
        votes = cls(
            models=models,
            first=ends[0],
            second=ends[1],
            score=_proportions(columns["score"]),
            weight=None if weight is None else _weights(columns["weight"]),
            ordered=ordered,
            bad=None if both_bad is None else np.asarray(columns["both_bad"], np.bool_),
            groups={name: VoteGrouping.of(columns[f"group {name}"]) for name in groups or {}},
            covariates={
                name: np.stack([numbers(columns[f"{name} {k}"]) for k in (1, 2)], axis=1)
                for name in covariates or {}
            },
        )
        return settled(votes)


def settled(votes: Votes) -> Votes:
    """Return the votes without those between a model and itself, and findings about them.

    Raise DataError if there are fewer than two models.
    """
    is_self = votes.first == votes.second
    findings = [f for f in votes.findings if f.code not in _OBSERVED]
    if is_self.any():
        verb = "is" if is_self.sum() == 1 else "are"
        text = f"{_votes(int(is_self.sum()))} of a model against itself {verb} excluded"
        findings.append(find("self-battles", text))
        votes = votes.select(~is_self)
    if len(votes.models) < 2:
        raise DataError(_too_few(votes, is_self))
    alike = any(side.min() == side.max() for side in (votes.first, votes.second))
    ordered = votes.ordered and not alike  # a model always on one side hides the effect of sides
    return replace(votes, ordered=ordered, findings=(*findings, *_observed(votes)))


def _votes(n: int) -> str:
    return f"{n:,} vote{'s' * (n != 1)}"


def _too_few(votes: Votes, is_self: BoolArray) -> str:
    """Return the reason why no model can be rated."""
    if is_self.any():
        return (
            f"Votes must be between two models; all {is_self.size:,} are votes of a model against "
            "itself"
        )
    state_text = f"found one model, {votes.models[0]}" if votes.models else "found no votes"
    return f"Votes must be between two models; {state_text}."


def _observed(votes: Votes) -> Iterator[Finding]:
    yield from similar(votes.models)
    bad, size = votes.both_bad, len(votes)
    if bad:
        share = f"{bad:,} of {_votes(size)} ({bad / size:.1%})"
        yield find("both-bad", f"{share} called both answers bad; they count as ties")
    if votes.weight is not None:
        low, high = float(votes.weight.min()), float(votes.weight.max())
        yield find("weighted-votes", f"votes have weights, from {low:g} to {high:g}")
    n_repeated, same = repeated(votes)
    if n_repeated:
        verb = "repeats" if n_repeated == 1 else "repeat"
        text = (
            f"{_votes(n_repeated)} {verb} an earlier one: the same models in the same order, "
            f"with the same {same}"
        )
        yield find("repeated-votes", text)


def repeated(votes: Votes) -> tuple[int, str]:
    """Return the number of votes that repeat an earlier one, and the columns that they share.

    The prompt or the pair of answers must be known. Otherwise, any two votes on the same models
    would be equal.
    """
    known = [role for role in ROLES if role in votes.groups]
    roles = [role for role in known if role in {"prompt", "pair"}]
    if not roles:
        return 0, ""
    rows = np.logical_or.reduce([votes.groups[role].codes >= 0 for role in roles])
    ends = [(votes.first, len(votes.models)), (votes.second, len(votes.models))]
    groups = [votes.groups[role] for role in known]
    key = _joint_codes([*ends, *((g.codes + 1, g.count + 1) for g in groups)])
    key = np.sort(key[rows])
    return int(np.count_nonzero(key[1:] == key[:-1])), join_words(known)


def _joint_codes(columns: Iterable[tuple[Any, int]]) -> Any:
    """Return one code per row that is equal if the codes of all columns are equal.

    Each column has its number of different codes.
    """
    key: Any = np.int64(0)
    span = 1
    for codes, count in columns:
        if span * count > _WIDE:
            keys, key = np.unique(key, return_inverse=True)
            span = len(keys)
        key = key * count + codes
        span *= count
    return key


def n_differing(old: Votes, new: Votes) -> tuple[int, int]:
    """Return the number of votes that only the first and only the second of two sets has.

    Votes have no ids. Two votes are the same if their models, score, weight, and common groups
    are. If one of the sets does not know the order of the answers, the order is ignored.

    >>> a = Votes.of(["x", "x"], ["y", "y"], [1, 1])
    >>> n_differing(a, Votes.of(["x", "x", "y"], ["y", "y", "z"], [1, 0, 1]))
    (1, 2)
    """
    sides, n_old = (old, new), len(old)
    models = {name: k for k, name in enumerate(dict.fromkeys((*old.models, *new.models)))}
    places = [np.array([models[name] for name in side.models], np.int64) for side in sides]
    first, second = (
        np.concatenate([place[codes] for place, codes in zip(places, ends, strict=True)])
        for ends in ((old.first, new.first), (old.second, new.second))
    )
    score = np.concatenate([side.score for side in sides])
    if not (old.ordered and new.ordered):
        is_reversed = first > second
        first, second = np.minimum(first, second), np.maximum(first, second)
        score = np.where(is_reversed, 1 - score, score)
    weight = np.concatenate([np.ones(len(v)) if v.weight is None else v.weight for v in sides])
    columns = [(first, len(models)), (second, len(models))]
    for numbers_ in (score, weight):
        values, codes = np.unique(numbers_, return_inverse=True)
        columns.append((codes, len(values)))
    for role in sorted(old.groups.keys() & new.groups.keys()):
        groups = (old.groups[role], new.groups[role])
        if groups[0].is_hashed is groups[1].is_hashed:
            columns.append(_common_codes(*groups))
    keys, code = np.unique(_joint_codes(columns), return_inverse=True)
    counts = [np.bincount(part, minlength=len(keys)) for part in (code[:n_old], code[n_old:])]
    n_common = int(np.minimum(*counts).sum())
    return n_old - n_common, len(new) - n_common


def _common_codes(old: VoteGrouping, new: VoteGrouping) -> tuple[Any, int]:
    """Return the codes of the votes of both groupings by label, and the number of codes."""
    codes, names = _coded(pa.chunked_array([labels(g.names) for g in (old, new)]))
    parts = ((old, codes[: old.count]), (new, codes[old.count :]))
    rows = [np.append(part, np.int32(-1))[group.codes] for group, part in parts]  # -1 is the last
    return np.concatenate(rows) + 1, len(names) + 1


def _occurring(codes: Codes, names: Any) -> dict[str, Any]:
    """Return a grouping without empty groups, in the same order."""
    is_used = np.zeros(len(names) + 1, np.bool_)
    is_used[codes] = True  # -1 is the last
    if is_used[:-1].all():
        return {"codes": codes, "names": names}
    place = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
    place[-1] = -1
    used_names = names.take(arrow.array(np.flatnonzero(is_used[:-1])))
    return {"codes": place[codes], "names": used_names}


def _coded(values: Any) -> tuple[Codes, Any]:
    """Return the code of each value, -1 for none, and the distinct texts."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        values = _texts(values)
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries().combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # what an empty one combines to
            values = pa.concat_arrays(values.chunks)
    is_integer = pa.types.is_integer(values.type)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    column = labels(values)
    codes = arrow.codes(column).astype(np.int32, copy=False)
    if is_integer:  # different numbers have different digits, none of them empty
        return codes, column.dictionary
    texts = column.dictionary.dictionary_encode()  # a file may contain the same text twice
    place = np.append(arrow.codes(texts), np.int32(-1)).astype(np.int32, copy=False)
    empty = texts.dictionary.index("").as_py()
    if empty >= 0:
        place[place == empty] = -1
    return place[codes], texts.dictionary


def _texts(values: Any) -> Any:
    """Return names and labels as Arrow texts."""
    try:
        return pa.array(values, from_pandas=True)
    except UnicodeEncodeError as error:
        msg = (
            f"A name contains half a surrogate pair: {error.object!r:.60}. Use valid Unicode text."
        )
        raise DataError(msg) from error


def _models(first: Any, second: Any) -> tuple[tuple[str, ...], tuple[Codes, Codes]]:
    """Return the names of all models, sorted, and the codes of both models of each vote."""
    ends = [_coded(first), _coded(second)]
    for word, (codes, _) in zip(("first", "second"), ends, strict=True):
        if codes.size and codes.min() < 0:
            row = int(np.flatnonzero(codes < 0)[0])
            msg = f"Every vote needs two models; {word} is missing in row {row + 1:,}."
            raise DataError(msg)
    texts = [names.to_pylist() for _, names in ends]
    models = tuple(sorted(set(texts[0]) | set(texts[1]) - {""}))
    code = {name: k for k, name in enumerate(models)}
    places = [np.array([code.get(n, -1) for n in names] or [-1], np.int32) for names in texts]
    return models, (places[0][ends[0][0]], places[1][ends[1][0]])


def _columns(
    first: Any,
    second: Any,
    score: Any,
    weight: Any,
    both_bad: Any,
    groups: Mapping[str, Any] | None,
    covariates: Mapping[str, tuple[Any, Any]] | None,
) -> dict[str, Any]:
    """Return all columns by name, in the same order and of the same length."""
    columns = {"first": first, "second": second, "score": score}
    columns |= {"weight": weight, "both_bad": both_bad}
    columns |= {f"group {name}": labels_ for name, labels_ in (groups or {}).items()}
    for name, (one, other) in (covariates or {}).items():
        columns |= {f"{name} 1": one, f"{name} 2": other}
    columns = {name: values for name, values in columns.items() if values is not None}
    if len({len(values) for values in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {len(values):,}" for name, values in columns.items())
        msg = f"Every vote needs one value in each column; got {lengths}"
        raise DataError(msg)
    return aligned(columns)


def _proportions(values: Any) -> Array:
    score: Array = _numbers("score", values)
    wrong = ~((score >= 0) & (score <= 1))
    if wrong.any():
        msg = f"Vote score {score[wrong][0]:g} is outside the range from 0 (loss) to 1 (win)."
        raise ParameterError(msg)
    return score


def _weights(values: Any) -> Array:
    weight: Array = _numbers("weight", values)
    wrong = ~((weight > 0) & np.isfinite(weight))
    if wrong.any():
        msg = f"weight must be positive and finite; got {weight[wrong][0]:g}"
        raise ParameterError(msg)
    return weight


def _numbers(name: str, values: Any) -> Any:
    try:
        return numbers(values)
    except (TypeError, ValueError) as error:
        msg = f"{name} must be one number per vote; got {values!r:.60}"
        raise ParameterError(msg) from error
