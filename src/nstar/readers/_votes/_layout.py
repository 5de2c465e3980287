"""Assign roles to the columns of a table of votes.

Names are compared like those in tables of scores (:mod:`nstar.readers._tables._columns`). Among
several candidates, the most common name wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from nstar._data.votes import ROLES
from nstar.errors import ReadError, arg, by_interface
from nstar.readers._base import LOWER, ReaderOptions
from nstar.readers._files import Place
from nstar.readers._read_errors import printable
from nstar.readers._tables._columns import plain
from nstar.readers._tables._frame import TOTAL, Frame, list_columns
from nstar.readers._vote_detection import ONE_HOT, looks_like_scores

Scale: TypeAlias = Literal["words", "one-hot", "unit", "alpaca", "first"]
"""Form of the outcome: words, three columns of 0 and 1, a score of the first model in [0, 1], a
preference from 1 to 2 for the second model, or none because the first model always won.
"""

PARTS = ("first", "second", "winner", "score", *ROLES, "weight", "probability")
"""Roles of the columns."""
NAMED = "anony"
SAMPLED = "dedup_tag.sampled"


class _Pair(NamedTuple):
    """Names of the columns of the two models."""

    first: str
    second: str
    ordered: bool = True
    """Whether the names show which model was shown first."""


PAIRS = (
    _Pair("first", "second"),
    _Pair("model_a", "model_b"),
    _Pair("model_1", "model_2"),
    _Pair("left", "right"),
    _Pair("model_left", "model_right"),
    _Pair("left_model", "right_model"),
    _Pair("generator_1", "generator_2", ordered=False),
    _Pair("model", "reference", ordered=False),
    _Pair("model", "baseline", ordered=False),
    _Pair("chosen_model", "rejected_model", ordered=False),
    _Pair("winner", "loser", ordered=False),
)
_WON = {"chosen_model", "winner"}
"""Names of columns with models that won every vote."""
_ALIASES = {
    "winner": ("winner", "vote", "verdict", "outcome", "result", "preferred", "choice", "label"),
    "score": ("score", "preference"),
    "prompt": (
        *("prompt_id", "question_id", "instruction_id", "item", "item_id", "uid"),
        *("prompt", "question", "instruction"),
    ),
    "judge": ("judge", "judge_id", "annotator", "annotator_id", "worker", "worker_id", "user_id"),
    "pair": ("pair_id", "pair"),
    "session": ("evaluation_session_id", "session_id", "session"),
    "weight": ("weight", "weights"),
    "probability": ("pair_probability",),
}
"""Names of each role, best first."""
TEXTS = {"prompt", "question", "instruction"}
"""Columns of prompts that contain the text itself. Only a hash of the text is kept."""
_META = "conv_metadata."
COVARIATES: dict[str, tuple[tuple[str, str], ...]] = {
    "length": (
        ("length_a", "length_b"),
        ("len_a", "len_b"),
        ("len_first", "len_second"),
        ("len_1", "len_2"),
        ("len_model", "len_reference"),
        (f"{_META}sum_assistant_a_tokens", f"{_META}sum_assistant_b_tokens"),
        ("sum_assistant_a_tokens", "sum_assistant_b_tokens"),
        ("output_1", "output_2"),
        ("response_a", "response_b"),
    ),
    "headers": ((f"{_META}header_count_a{TOTAL}", f"{_META}header_count_b{TOTAL}"),),
    "lists": ((f"{_META}list_count_a{TOTAL}", f"{_META}list_count_b{TOTAL}"),),
    "bold": ((f"{_META}bold_count_a{TOTAL}", f"{_META}bold_count_b{TOTAL}"),),
}
"""Columns of each covariate, for the first and the second answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteSelection:
    """Selection of votes, and their additional columns."""

    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values to keep in each column."""
    groups: tuple[str, ...] = ()
    """Additional columns to keep as groups."""
    covariates: tuple[str, ...] = ()
    """Names of :data:`COVARIATES`, or two columns as ``COL_A:COL_B``."""

    @property
    def asked(self) -> list[str]:
        """Return the nested fields that may be needed."""
        pairs = [pair for name in self.covariates for pair in covariate_columns(name)]
        names = [*self.only, *self.groups, *(column for pair in pairs for column in pair)]
        return [SAMPLED, *(name for name in names if "." in name)]


def covariate_columns(name: str) -> Sequence[tuple[str, str]]:
    """Return the possible pairs of columns for a covariate, best first.

    >>> covariate_columns("words_a:words_b")
    [('words_a', 'words_b')]
    """
    one, colon, other = name.partition(":")
    return [(one, other)] if colon else COVARIATES.get(name, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteLayout:
    """Roles of the columns of a table of votes."""

    first: str
    """Column of the model shown first."""
    second: str
    """Column of the model shown second."""
    outcome: tuple[str, ...]
    """Columns of the outcome."""
    scale: Scale
    """Scale of the outcome."""
    ordered: bool = True
    """Whether the columns of models record which one was shown first."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Column of each group."""
    weight: str | None = None
    """Column of weights."""
    probability: str | None = None
    """Column of the probabilities with which pairs were drawn."""
    covariates: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Columns of each covariate, for the first and the second answer."""
    lengths: frozenset[str] = frozenset()
    """Covariates that are the lengths of texts."""
    only: Mapping[str, str] = field(default_factory=dict)
    """Columns by which votes are selected, for each name that the user wrote."""
    flags: tuple[str, ...] = ()
    """Columns that mark votes that the arena itself leaves out."""

    @property
    def wanted(self) -> list[str]:
        """Return all columns that are needed, each once."""
        pairs = [name for pair in self.covariates.values() for name in pair]
        columns = [self.first, self.second, *self.outcome, *self.groups.values(), *pairs]
        columns += [
            *self.only.values(),
            *self.flags,
            *filter(None, [self.weight, self.probability]),
        ]
        return list(dict.fromkeys(columns))


def lay_out(
    place: Place, frame: Frame, options: ReaderOptions, selection: VoteSelection
) -> VoteLayout:
    """Assign the roles of a table of votes, or raise an error that lists the columns."""
    return _VoteColumnGuess(place, frame, options).layout(selection)


class _VoteColumnGuess:
    """Columns of one table, with their possible roles."""

    def __init__(self, place: Place, frame: Frame, options: ReaderOptions) -> None:
        self._place = place
        self._names = [c.name for c in frame.columns]
        self._kinds = {c.name: c.kind for c in frame.columns}
        self._plain = {plain(c.name): c.name for c in reversed(frame.columns)}
        self._given = {part: self._existing(part, name) for part, name in options.columns}
        for part in (LOWER,) if options.lower_is_better else self._given:
            if part not in PARTS:
                parts = ", ".join(PARTS)
                unknown = f"{arg('columns', f'{part}=…')}: there is no such part"
                raise self._unfit(unknown, f"Use one of: {parts}.")

    def layout(self, selection: VoteSelection) -> VoteLayout:
        first, second, ordered = self._models()
        outcome, scale = self._outcome(plain(first), plain(second))
        roles = {role: self._part(role, {first, second, *outcome}) for role in ROLES}
        groups = {role: name for role, name in roles.items() if name is not None}
        groups |= {name: self._column(name, groups, "groups") for name in selection.groups}
        pairs = {name: self._pair(name) for name in selection.covariates}
        letters = (n for n, pair in pairs.items() if {self._kinds[c] for c in pair} == {"text"})
        layout = VoteLayout(
            first=first,
            second=second,
            outcome=outcome,
            scale=scale,
            ordered=ordered,
            groups=groups,
            weight=self._part("weight", {first, second, *outcome}),
            probability=self._part("probability", {first, second, *outcome}),
            covariates=pairs,
            lengths=frozenset(letters),
            only={name: self._column(name, groups, "only") for name in selection.only},
            flags=tuple(n for n in (NAMED, SAMPLED) if self._fit(n)),
        )
        twice = [n for n in layout.wanted if self._names.count(n) > 1]
        if twice:
            repeated = f"column {printable(twice[0])!r} is repeated"
            raise self._unfit(repeated, "Rename one of them.")
        return layout

    def _models(self) -> tuple[str, str, bool]:
        """Return the columns of the two models, and whether they record the order."""
        first, second = self._given.get("first"), self._given.get("second")
        if first and second:
            return first, second, self._tells_order(first, second)
        for pair in PAIRS:
            one = first or self._plain.get(pair.first, "")
            other = second or self._plain.get(pair.second, "")
            if one != other and self._fit(one) and self._fit(other):
                return one, other, pair.ordered
        missing = [word for word in ("first", "second") if word not in self._given]
        options_text = " and ".join(arg("columns", f"{word}=NAME") for word in missing)
        problem, fix = "no columns for the two models of a vote", f"Set {options_text}."
        if looks_like_scores(self._names):
            use = by_interface(python="nstar.audit(FILE)", command="`nstar audit FILE`")
            problem, fix = "has scores, not votes", f"Use {use}, or set {options_text}."
        raise self._unfit(problem, fix)

    @staticmethod
    def _tells_order(first: str, second: str) -> bool:
        """Return whether the columns that the user named record the order."""
        names = (plain(first), plain(second))
        return all(p.ordered for p in PAIRS if names in ((p.first, p.second), (p.second, p.first)))

    def _outcome(self, first: str, second: str) -> tuple[tuple[str, ...], Scale]:
        """Return the columns of the outcome, and its scale."""
        if "winner" in self._given:
            return (self._given["winner"],), "words"
        if "score" in self._given:
            return (self._given["score"],), self._graded(first)
        if first in _WON:
            return (), "first"
        hot = tuple(self._plain.get(name, "") for name in ONE_HOT)
        if all(map(self._fit, hot)) and not self._fit(self._plain.get("winner", "")):
            return hot, "one-hot"
        for part in ("winner", "score"):
            name = self._part(part, set())
            if name is not None:
                preferred = plain(name) == "preference" and self._kinds[name] == "text"
                words = part == "winner" or preferred
                return (name,), "words" if words else self._graded(first)
        problem = f"no winner column for {printable(first)} and {printable(second)}"
        columns = (arg("columns", "winner=NAME"), arg("columns", "score=NAME"))
        fix = (
            f"Set {columns[0]}, or {columns[1]} for numbers from 0 (second won) to 1 (first won)."
        )
        raise self._unfit(problem, fix)

    @staticmethod
    def _graded(first: str) -> Scale:
        return "alpaca" if first == "generator_1" else "unit"

    def _part(self, part: str, used_columns: set[str]) -> str | None:
        """Return the column for a role: the user's choice, or else the most common name found."""
        if part in self._given:
            return self._given[part]
        known = (self._plain.get(alias) for alias in _ALIASES[part])
        free = {*used_columns, *self._given.values()}
        return next((n for n in known if n is not None and n not in free and self._fit(n)), None)

    def _column(self, name: str, groups: Mapping[str, str], word: str) -> str:
        """Return a column by its name, or by its role."""
        if self._fit(name):
            return name
        if name in groups:
            return groups[name]
        return self._existing(word, name)

    def _pair(self, name: str) -> tuple[str, str]:
        """Return the two columns of a covariate."""
        for one, other in covariate_columns(name):
            if self._fit(one) and self._fit(other):
                return one, other
        if ":" in name:
            one, _, other = name.partition(":")
            return self._existing("covariates", one), self._existing("covariates", other)
        msg = (
            f"no columns with the values of {printable(name)!r} for both answers. Set "
            f"{arg('control', 'COLUMN_A:COLUMN_B')}"
        )
        raise self._unfit(msg)

    def _fit(self, name: str) -> bool:
        """Return whether a column exists and contains texts, numbers, or booleans."""
        return self._kinds.get(name, "nested") not in {"nested", "time"}

    def _existing(self, part: str, name: str) -> str:
        if name not in self._kinds:
            msg = f"no column {printable(name)!r} (for {part})"
            raise self._unfit(msg)
        if not self._fit(name):
            msg = f"column {printable(name)!r} (for {part}) contains lists, objects, or times"
            raise self._unfit(msg)
        return name

    def _unfit(self, problem: str, fix: str = "") -> ReadError:
        columns_text = list_columns(self._names) or "none"
        return ReadError(
            f"{self._place}: {problem}. Columns found: {columns_text}. {fix}".rstrip()
        )
