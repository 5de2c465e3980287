"""Settings for reading and aligning data, from the keywords that every function accepts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from nstar._api.reading_words import ReadingWords, TableWords
from nstar._base import checks
from nstar._data.measures import MEASURES
from nstar._data.read_limits import Limits
from nstar.errors import ParameterError, arg, by_interface

if TYPE_CHECKING:
    from nstar._base.parameter_types import Coded, Duplicates
    from nstar._data.matrix import ScoreMatrix
    from nstar.readers import ReaderOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """Settings for reading data, and choices about conflicts in them."""

    options: "ReaderOptions"
    """Options in the form that readers take."""
    duplicates: "Duplicates" = "refuse"
    """Rule for several rows of one model, item, and run."""
    allow: tuple[str, ...] = ()
    """Codes of fatal findings that are accepted."""
    given: tuple[str, ...] = ()
    """Names of the parameters that the caller set."""
    keep_codes: bool = False
    """Whether codes such as -1 are scores."""

    @classmethod
    def of(cls, words: ReadingWords, verb: str = "read", **usual: Any) -> "ReadSettings":
        """Build from the keywords of a call; ``usual`` are the defaults of the function.

        >>> reading = ReadSettings.of({"columns": {"item": "qid"}, "allow": ["failed-run"]})
        >>> reading.options.columns, reading.allow
        ((('item', 'qid'),), ('failed-run',))
        """
        options: dict[str, Any] = usual | dict(words)
        refuse_unknown(words, verb)
        fields: dict[str, Any] = {"duplicates": options.pop("duplicates", "refuse")}
        fields["given"] = tuple(words)
        if options.get("errors") == "keep":
            del options["errors"]
            fields["keep_codes"] = True
        fields["allow"] = names_in(options.pop("allow", ()))
        options["columns"] = _columns(options.get("columns", {}))
        options["groups"] = names_in(options.get("groups", ()))
        options["limits"] = _limits(options.get("limits", Limits()))
        from nstar._base.parameter_types import Duplicates
        from nstar.readers import ReaderOptions

        checks.choice("duplicates", fields["duplicates"], get_args(Duplicates))
        return cls(options=ReaderOptions(**options), **fields)

    def declaring(self, *names: Any) -> "ReadSettings":
        """Return a copy that keeps the columns declared as strata or clusters, if they exist."""
        declared = tuple(name for name in names if isinstance(name, str))
        return replace(self, options=replace(self.options, declared=declared))

    def measuring(self, metric: str | None) -> "ReadSettings":
        """Return a copy that reads latency, cost, or tokens as scores, if that is the metric."""
        measure = MEASURES.get(metric or "")
        return replace(self, options=replace(self.options, measure=measure)) if measure else self

    @property
    def judged(self) -> tuple[str, str] | None:
        """Return the columns of a judge and of its labels, if the user named them."""
        column_of = dict(self.options.columns)
        if sum(part == "judge" for part, _ in self.options.columns) > 1 or "rater" in column_of:
            one = arg("columns", "judge=NAME")
            judges_verb = by_interface(python="nstar.judges", command="nstar judges")
            msg = (
                f"Labels correct one judge, set with {one}. To compare several judges, use "
                f"{judges_verb}."
            )
            raise ParameterError(msg)
        pair = [column_of.get(part) for part in ("judge", "label")]
        if pair == [None, None]:
            return None
        judge, label = pair
        if judge is None or label is None:
            columns_text = f"{arg('columns', 'judge=NAME')} and {arg('columns', 'label=NAME')}"
            msg = f"To correct judge errors with labels, set both columns: {columns_text}."
            raise ParameterError(msg)
        return judge, label

    @property
    def settled(self) -> "Duplicates":
        """Return the rule for contradictory rows: their mean, if the user only allowed them."""
        if self.duplicates == "refuse" and "conflicting-rows" in self.allow:
            return "mean"
        return self.duplicates

    @property
    def coded(self) -> "Coded":
        """Treatment of codes such as -1: kept as scores, if the user only allowed them."""
        errors = self.options.errors
        if self.keep_codes:
            return "keep"
        return "keep" if errors == "harness" and "off-scale" in self.allow else errors

    def aligned(self, rows: Any, duplicates: "Duplicates | None" = None) -> "list[ScoreMatrix]":
        """Align rows as matrices under these settings."""
        from nstar._data.align import matrices

        limits = self.options.limits
        return matrices(
            rows, duplicates=duplicates or self.settled, errors=self.coded, limits=limits
        )


def names_in(value: Any) -> tuple[str, ...]:
    """Return one or several names as a tuple, empty for None; a number is one name."""
    if value is None:
        return ()
    values = value if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    return tuple(map(str, values))


def _columns(columns: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(columns, Mapping):
        msg = (
            f'{arg("columns")} must be a mapping such as {{"item": "question_id"}}; '
            f"got {columns!r:.60}"
        )
        raise ParameterError(msg)
    return tuple((str(part), str(column)) for part, column in columns.items())


def _limits(limits: Any) -> Limits:
    if isinstance(limits, Limits):
        return limits
    known = [f.name for f in fields(Limits)]
    if not isinstance(limits, Mapping) or not set(limits) <= set(known):
        names = ", ".join(known)
        msg = f"{arg('limits')} must be a mapping from {names} to numbers; got {limits!r:.60}"
        raise ParameterError(msg)
    return Limits(**limits)


def refuse_unknown(
    words: Mapping[str, Any], verb: str, known: type[TableWords] = ReadingWords
) -> None:
    """Raise TypeError for an unknown keyword, as Python does, with the nearest known one."""
    for name in words:
        if name not in known.__annotations__:
            close = get_close_matches(name, known.__annotations__, n=1)
            fix = f" Did you mean {close[0]}?" if close else ""
            msg = f"{verb}() has no parameter {name}.{fix}"
            raise TypeError(msg)
