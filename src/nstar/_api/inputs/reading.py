"""How data are read and brought together: the words that every verb takes, and what they mean."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from nstar._base import checks
from nstar._base.record import record
from nstar._data.read_limits import Limits
from nstar.errors import ParameterError, arg, by_interface

if TYPE_CHECKING:
    from nstar._data.align.collect import Duplicates
    from nstar._data.matrix import ScoreMatrix
    from nstar._data.sentinels import Coded
    from nstar.readers import ReaderOptions
    from nstar.readers._base import ErrorPolicy, RunPolicy


class TableWords(TypedDict, total=False):
    """Words on how files are read, taken by every verb that takes data.

    reader
        Format of the logs, instead of guessing.
    columns
        Which column plays which part, where names do not tell: ``{"item": "question_id"}``. The
        part ``lower_is_better`` is a column of scores of which lower ones are better.
    skip_bad
        Unreadable rows that are skipped and reported before reading is given up.
    limits
        How much logs may ask for: ``{"rows": 50_000_000}``.
    follow_links
        Follow links that lead out of a folder.
    progress
        Called with the file, the bytes read and the bytes in all (None if unknown).
    """

    reader: str | None
    columns: Mapping[str, str]
    skip_bad: int
    limits: Limits | Mapping[str, int]
    follow_links: bool
    progress: Callable[[str, int, int | None], None] | None


class ReadingWords(TableWords, total=False):
    """Words on how scores are read: those of :class:`TableWords`, and these.

    groups
        Fields of the question to keep as groups of items; for arrays labels by column.
    errors
        Samples that ended in an error: as the ``harness`` counts them, ``missing`` or ``zero``.
        So too codes such as -1, which ``keep`` takes for scores.
    runs
        Several logs of one model and task: the ``latest`` complete one, or ``all`` as runs.
    duplicates
        Several rows of one model, item and run: ``refuse``, which counts (``first``, ``last``,
        ``mean``), or each as one of ``runs``.
    allow
        Codes of fatal findings to continue despite: ``["failed-run"]``.
    lower_is_better
        Declares that lower scores are better, as for times and error rates. A log that says the
        opposite of its metric is refused.
    """

    groups: Sequence[str] | Mapping[str, Sequence[Any]]
    errors: "ErrorPolicy | Literal['keep']"
    runs: "RunPolicy"
    duplicates: "Duplicates"
    allow: Sequence[str]
    lower_is_better: bool


@record()
class ReadSettings:
    """How data are read, and what is settled about them."""

    options: "ReaderOptions"
    """As readers take it."""
    duplicates: "Duplicates" = "refuse"
    """Which of several rows of one model, item and run counts."""
    allow: tuple[str, ...] = ()
    """Codes of fatal findings that are accepted."""
    keep_codes: bool = False
    """Codes such as -1 are scores."""

    @classmethod
    def of(cls, words: ReadingWords, verb: str = "read", **usual: Any) -> "ReadSettings":
        """From what was said to a verb; ``usual`` are its own defaults.

        Examples
        --------
        >>> reading = ReadSettings.of({"columns": {"item": "qid"}, "allow": ["failed-run"]})
        >>> reading.options.columns, reading.allow
        ((('item', 'qid'),), ('failed-run',))
        """
        given: dict[str, Any] = usual | dict(words)
        refuse_unknown(words, verb)
        own: dict[str, Any] = {"duplicates": given.pop("duplicates", "refuse")}
        if given.get("errors") == "keep":
            del given["errors"]
            own["keep_codes"] = True
        own["allow"] = names_in(given.pop("allow", ()))
        given["columns"] = _columns(given.get("columns", {}))
        given["groups"] = names_in(given.get("groups", ()))
        given["limits"] = _limits(given.get("limits", Limits()))
        from nstar._data.align.collect import Duplicates
        from nstar.readers import ReaderOptions

        checks.choice("duplicates", own["duplicates"], get_args(Duplicates))
        return cls(options=ReaderOptions(**given), **own)

    def declaring(self, *names: Any) -> "ReadSettings":
        """The same, columns that are declared as strata or clusters being kept if there."""
        declared = tuple(name for name in names if isinstance(name, str))
        return replace(self, options=replace(self.options, declared=declared))

    @property
    def judged(self) -> tuple[str, str] | None:
        """Columns of a judge and of its labels, if they were named."""
        named = dict(self.options.columns)
        if sum(part == "judge" for part, _ in self.options.columns) > 1 or "rater" in named:
            one = arg("columns", "judge=NAME")
            several = by_interface(python="nstar.judges", command="nstar runs")
            msg = f"labels correct one judge: {one}; {several} holds several together"
            raise ParameterError(msg)
        given = [named.get(part) for part in ("judge", "label")]
        if given == [None, None]:
            return None
        judge, label = given
        if judge is None or label is None:
            both = f"{arg('columns', 'judge=NAME')} and {arg('columns', 'label=NAME')}"
            msg = f"a judge and its labels go together: {both}"
            raise ParameterError(msg)
        return judge, label

    @property
    def settled(self) -> "Duplicates":
        """Which of contradicting rows counts: their mean, if they were only allowed."""
        if self.duplicates == "refuse" and "conflicting-rows" in self.allow:
            return "mean"
        return self.duplicates

    @property
    def coded(self) -> "Coded":
        """What codes such as -1 count as: themselves, if they were only allowed."""
        errors = self.options.errors
        if self.keep_codes:
            return "keep"
        return "keep" if errors == "harness" and "off-scale" in self.allow else errors

    def aligned(self, rows: Any, duplicates: "Duplicates | None" = None) -> "list[ScoreMatrix]":
        """Rows as matrices, under what is settled about them."""
        from nstar._data.align import matrices

        limits = self.options.limits
        return matrices(
            rows, duplicates=duplicates or self.settled, errors=self.coded, limits=limits
        )


def names_in(given: Any) -> tuple[str, ...]:
    """One name, several, or none; a number stands for itself."""
    if given is None:
        return ()
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    return tuple(map(str, several))


def _columns(given: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, Mapping):
        msg = f'{arg("columns")} must be like {{"item": "question_id"}}; got {given!r:.60}'
        raise ParameterError(msg)
    return tuple((str(part), str(column)) for part, column in given.items())


def _limits(given: Any) -> Limits:
    if isinstance(given, Limits):
        return given
    known = [f.name for f in fields(Limits)]
    if not isinstance(given, Mapping) or not set(given) <= set(known):
        names = ", ".join(known)
        msg = f"{arg('limits')} must be a mapping from {names} to numbers; got {given!r:.60}"
        raise ParameterError(msg)
    return Limits(**given)


def refuse_unknown(
    words: Mapping[str, Any], verb: str, known: type[TableWords] = ReadingWords
) -> None:
    """TypeError, as Python's own, for an unknown word; names the nearest."""
    for name in words:
        if name not in known.__annotations__:
            close = get_close_matches(name, known.__annotations__, n=1)
            mend = f"; did you mean {close[0]!r}?" if close else ""
            msg = f"{verb}() got an unexpected keyword argument {name!r}{mend}"
            raise TypeError(msg)
