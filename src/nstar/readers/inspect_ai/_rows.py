"""Convert samples of an Inspect log to rows, one per sample and metric."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nstar._data.table import KNOWN
from nstar.readers._base import Journal, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import GROUP_FIELDS, LABEL_LENGTH, group_label, run_label
from nstar.readers._values import ScoreCheck, entry, item_name, listing, mapping, unfit
from nstar.readers.inspect_ai._log import LogSample, Numbered, Score, Usage

_NUMBERS = frozenset((int, float))
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_CUT = "...\n(content truncated)"
"""End of a text that a summary contains in part."""
_OMITTED = frozenset(
    f"({medium})"
    for medium in ("Image", "Audio", "Video", "Data", "Document", "Reasoning", "Tool_use")
)
"""Placeholder for media in a summary."""
_THINNED = ("", "...", "Key removed from summary (> 1k)")


def graded(value: Any) -> Any:
    """Return the number that Inspect assigns to a text. Other texts and values are unchanged.

    >>> graded("P"), graded("yes"), graded("0.25"), graded("Paris"), graded(7)
    (0.5, 1.0, 0.25, 'Paris', 7)
    """
    if not isinstance(value, str):
        return value
    if value in _GRADES:
        return _GRADES[value]
    if value.isalpha():
        return _WORDS.get(value.lower(), value)
    try:
        parsed = float(value)
    except ValueError:
        return value
    return parsed if math.isfinite(parsed) else value


def _label(value: Any) -> str | None:
    """Return the name of a group: short text, an integer, or a bool; else ``None``."""
    if isinstance(value, str):
        return value if len(value) <= LABEL_LENGTH and value not in _THINNED else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return group_label(value)


def _content(sample: LogSample) -> int | None:
    """Return a hash of the question and target; ``None`` if the log has only part of them."""
    question, target = sample.input, sample.target
    if type(question) is str and type(target) is str:  # the most common case
        texts: tuple[Any, ...] = (question, target)
    else:
        question = (question,) if isinstance(question, str) else _messages(question)
        texts = (*question, *(target if isinstance(target, list) else (target or "",)))
    for text in texts if question else (None,):
        if not isinstance(text, str) or text.endswith(_CUT) or text in _OMITTED:
            return None
    return content_key("\n".join(texts).encode("utf-8", "surrogatepass"))


def _messages(value: Any) -> list[Any]:
    """Return the roles and texts of messages, with ``None`` for parts that are not text."""
    texts: list[Any] = []
    for message in listing(value):
        inner = entry(message, "content")
        parts = inner if isinstance(inner, list) else [inner]
        texts.append(entry(message, "role"))
        texts += [part.get("text") if isinstance(part, dict) else part for part in parts]
    return texts


def _amount(values: Iterable[Any]) -> float | None:
    """Return the sum of the valid counts among the numbers."""
    known = [v for v in values if type(v) in _NUMBERS and 0 <= v < 1 << 53]
    return sum(known) if known else None


def tokens(usage: Iterable[Usage]) -> list[int | None]:
    """Return the total, input, and output tokens of a sample, summed over models.

    Inspect excludes cache reads and writes from ``input_tokens``; they are added here.

    >>> tokens(
    ...     [Usage(input_tokens=7, input_tokens_cache_read=2, output_tokens=3, total_tokens=12)]
    ... )
    [12, 9, 3]
    """
    used = list(usage)
    read = [
        part
        for u in used
        for part in (u.input_tokens, u.input_tokens_cache_read, u.input_tokens_cache_write)
    ]
    parts = ([u.total_tokens for u in used], read, [u.output_tokens for u in used])
    sums = map(_amount, parts)
    return [None if known is None else int(known) for known in sums]


_GROUPS = 16
"""Maximum number of metadata fields that become groups."""
TOO_FINE = 50
"""Number of items from which a field with distinct values is not a group."""

EDITED = "scores of this log were edited after the run; the edited scores are used"
ALL_FAILED = "no sample has a score, because all ended in errors"
NO_SCORES = "no sample has a score; was the run made with --no-score? 'inspect score' adds scores"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleLayout:
    """Columns of one log, determined from its first samples."""

    runs: bool
    """Whether items have several runs."""
    groups: dict[str, str]
    """Column of each metadata field."""
    tokens: bool
    cost: bool
    latency: bool
    with_parts: frozenset[str]
    """Scorers whose values are objects."""

    @classmethod
    def of(
        cls, first: list[Numbered], epochs: int | None, fields: Iterable[str]
    ) -> "SampleLayout":
        """Return the layout, from the first samples and the groups that the user selected."""
        samples = [sample for _, sample in first]
        usage = [u for s in samples for u in (s.model_usage or {}).values()]
        values = [(n, sc.value) for s in samples for n, sc in (s.scores or {}).items()]
        return cls(
            runs=(epochs or 1) > 1 or any(s.epoch != 1 for s in samples),
            groups=_group_columns(samples, fields),
            tokens=any(u.total_tokens for u in usage),
            cost=any(u.total_cost for u in usage),
            latency=any(s.working_time for s in samples),
            with_parts=frozenset(n for n, value in values if isinstance(value, dict)),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns that are the same in all rows of a sample."""
        tokens = dict.fromkeys(("tokens", "input_tokens", "output_tokens"), self.tokens)
        optional = {"run": self.runs, **tokens, "cost": self.cost, "latency_s": self.latency}
        present = [column for column, is_used in optional.items() if is_used]
        return ("item", "content", *present, *self.groups.values())


def _group_columns(samples: list[LogSample], fields: Iterable[str]) -> dict[str, str]:
    """Return columns for metadata fields that group items: the selected ones, then others."""
    values: dict[str, set[str]] = {key: set() for key in fields}
    requested = set(values)
    items = set()
    for sample in samples:
        items.add(item_name(sample.id))
        for key, value in mapping(sample.metadata).items():
            name = _label(value)
            if name is not None and 0 < len(key) <= LABEL_LENGTH:
                values.setdefault(key, set()).add(name)
    columns: dict[str, str] = {}
    for key in sorted(values, key=lambda key: (key not in requested, key not in GROUP_FIELDS)):
        distinct = values[key]
        column = f"metadata.{key}" if key in KNOWN else key
        fine = len(distinct) == len(items) >= TOO_FINE
        has_space = len(columns) < _GROUPS and column not in columns.values() and not fine
        if distinct and (has_space or key in requested):
            columns[key] = column
    return columns


@dataclass(frozen=True, slots=True)
class _Unscored:
    """Rows without a score, which are added when all metrics are known."""

    about: tuple[Any, ...]
    """Values that the rows share."""
    is_error: bool
    scorer: str | None = None
    """Scorer without a score, or ``None`` for all scorers."""
    scored: tuple[str, ...] = ()
    """Scorers with a score."""

    def metrics(self, known: Iterable[str]) -> list[str]:
        """Return the known metrics without a score."""
        if self.scorer is None:
            return [m for m in known if not _is_of(m, self.scored)]
        return [m for m in known if _is_of(m, (self.scorer,))] or [self.scorer]


def _is_of(metric: str, scorers: Iterable[str]) -> bool:
    return any(metric == s or metric.startswith(f"{s}.") for s in scorers)


@dataclass(slots=True, kw_only=True)
class ScoreSheet:
    """Rows of one log under construction."""

    unit: Unit
    layout: SampleLayout
    journal: Journal
    source: SourceDraft
    rows: Rows = field(init=False)
    check: ScoreCheck = field(init=False)
    metrics: dict[str, None] = field(default_factory=dict)
    """Metrics that have had a score."""
    _unscored: list[_Unscored] = field(default_factory=list)
    _seen: set[tuple[str, Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.rows = Rows("metric", "score", *self.layout.columns)
        self.check = ScoreCheck(self.unit.place, self.journal, self.source.drop)

    def add(self, line: int, sample: LogSample) -> None:
        """Add the rows of one sample."""
        problem = self._unsound(sample)
        if problem:
            self.journal.bad_row(self.unit.place, line, problem)
            return
        reason = self._unwanted(sample)
        if reason:
            self.source.drop(reason)
            return
        attributes = self._about(sample)
        scores = sample.scores if sample.score is None else {"score": sample.score}
        for scorer, score in (scores or {}).items():
            self._add_score(line, scorer, score, attributes)
        if sample.error is not None or not scores:
            scored = tuple(scores or ())
            self._unscored.append(_Unscored(attributes, sample.error is not None, scored=scored))

    def _unsound(self, sample: LogSample) -> str | None:
        if item_name(sample.id) is None:
            return unfit("id", sample.id, "expected a number or text")
        if type(sample.epoch) is not int:
            return unfit("epoch", sample.epoch, "expected a whole number")
        if sample.epoch != 1 and not self.layout.runs:
            return f"the row has epoch {sample.epoch}, but the log declares only one epoch"
        return None

    def _unwanted(self, sample: LogSample) -> str | None:
        if sample.invalidation is not None:
            return "samples declared invalid"
        message = entry(sample.error, "message") or sample.error
        if isinstance(message, str) and message.startswith("CancelledError") and not sample.scores:
            return "samples canceled before they finished"
        key = (str(sample.id), sample.epoch)
        if key in self._seen:
            return "samples logged twice"
        self._seen.add(key)
        return None

    def _about(self, sample: LogSample) -> tuple[Any, ...]:
        """Return the values that all rows of a sample share, in the order of the layout."""
        layout = self.layout
        attributes: list[Any] = [str(sample.id), _content(sample)]
        if layout.runs:
            attributes.append(run_label(self.unit.run, str(sample.epoch)))
        usage = (sample.model_usage or {}).values()
        if layout.tokens:
            attributes += tokens(usage)
        if layout.cost:
            attributes.append(_amount([u.total_cost for u in usage]))
        if layout.latency:
            attributes.append(_amount([sample.working_time]) if sample.error is None else None)
        metadata = mapping(sample.metadata)
        attributes += [_label(metadata.get(key)) for key in layout.groups]
        return tuple(attributes)

    def _add_score(
        self, line: int, scorer: str, score: Score, attributes: tuple[Any, ...]
    ) -> None:
        value = score.value
        if score.history and EDITED not in self.source.notes:
            self.source.notes.append(EDITED)
        if isinstance(value, dict):
            for part, inner in value.items():
                self._add_value(line, f"{scorer}.{part}", inner, attributes)
        elif isinstance(value, float) and math.isnan(value):
            self._unscored.append(_Unscored(attributes, is_error=False, scorer=scorer))
        else:
            self._add_value(line, scorer, value, attributes)

    def _add_value(self, line: int, metric: str, value: Any, attributes: tuple[Any, ...]) -> None:
        for score in self.check(metric, graded(value), line):
            self.metrics[metric] = None
            self.rows.add(metric, score, *attributes)

    def finish(self, planned: list[str]) -> None:
        """Add the rows of samples and metrics without a score.

        ``planned`` are the metrics in the header, which are used if no sample has a score.
        """
        known = list(self.metrics)
        for sample in self._unscored:
            due = sample.metrics(known or (planned if sample.is_error else []))
            score = self.journal.error_score("missing") if due and sample.is_error else None
            if not due and not sample.scored:
                self.source.drop("samples without any score")
            for metric in due:
                self.rows.add(metric, score, *sample.about)
        if known:
            return
        if any(sample.is_error for sample in self._unscored):
            self.source.notes.append(ALL_FAILED)
        elif all(sample.scorer is None for sample in self._unscored):
            self.source.notes.append(NO_SCORES)
