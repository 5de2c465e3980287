"""Assign roles to the columns of a plain table, and detect whether it is long or wide.

Names are compared without case, and blanks, dots, and hyphens count as underscores. Among several
candidates, the most common name wins. Two equally common names raise an error that names both.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NoReturn

import pyarrow as pa

from nstar._data import arrow
from nstar._data.matrix import LABEL_WEIGHT
from nstar._data.table import KNOWN
from nstar.errors import ReadError, arg, by_interface
from nstar.readers._base import LOWER, ReaderOptions
from nstar.readers._common import GROUP_FIELDS
from nstar.readers._files import Place
from nstar.readers._read_errors import printable
from nstar.readers._tables._frame import Column, Frame, list_columns
from nstar.readers._tables._scores import POINTS, ScoreColumn, has_comma

ALIASES: dict[str, tuple[tuple[str, ...], ...]] = {
    "model": (
        ("model",),
        ("model_name", "model_id", "model_path"),
        ("system", "llm", "agent", "engine", "submission", "generator"),
        ("checkpoint",),
    ),
    "item": (
        ("item", "item_id"),
        ("question_id", "qid", "sample_id", "example_id", "doc_id", "instance_id", "prompt_id"),
        ("task_id", "problem_id", "query_id", "row_id", "uid"),
        ("id",),
        ("question_number",),
    ),
    "score": (
        ("score",),
        (
            "correct",
            "is_correct",
            "acc",
            "accuracy",
            "exact_match",
            "resolved",
            "passed",
            "reward",
        ),
        ("success", "solved", "pass", "is_solved", "value", "result", "outcome", "grade"),
    ),
    "task": (("task", "task_name"), ("benchmark", "benchmark_name"), ("dataset", "eval", "suite")),
    "metric": (("metric", "metric_name"), ("scorer", "measure")),
    "run": (
        ("run", "run_id"),
        ("epoch", "trial", "repeat", "repetition", "attempt", "replicate"),
        ("seed",),
    ),
    "content": (
        ("content", "content_hash", "doc_hash", "question_hash"),
        ("question",),
        ("prompt",),
        ("input",),
        ("instruction",),
    ),
    "cost": (("cost",), ("cost_usd", "total_cost", "usd", "price")),
    "latency_s": (("latency_s",), ("latency_seconds",)),
    "tokens": (("tokens",), ("total_tokens", "num_tokens", "n_tokens")),
    "input_tokens": (("input_tokens",), ("prompt_tokens", "n_input_tokens")),
    "output_tokens": (("output_tokens",), ("completion_tokens", "n_output_tokens")),
    "timestamp": (("timestamp",), ("created_at", "datetime", "time", "date")),
}
"""Column names of each role, best first. Names in one tuple are equally good."""

NO_MODEL = "no model column: the model is named after its file or folder"
"""Note on a table whose rows all belong to one model."""
TASKS_AS_ITEMS = "no item column: each task counts as one item"
"""Note on a table with one score per task."""
ROW_NUMBERS = "no item column: rows are numbered, so row k of each model is the same item"
"""Note on a wide table with scores only."""
JUDGED = ("judge", "label")
"""Roles of two scores of one answer: the score by a judge, and a human label if there is one."""
RATER = "rater"
"""Role of the column that contains the judge of each row."""
_MINOR = (
    "content",
    "cost",
    "latency_s",
    "tokens",
    "input_tokens",
    "output_tokens",
    "timestamp",
)
"""Roles for which any matching column is accepted."""
_GROUPS = {*GROUP_FIELDS, "lang", "passage", "split", "cluster", "group", "section", "topic_id"}
_UNNAMED = {"", "index", "unnamed:_0", "__index_level_0__"}
_LAYOUTS = ("long", "wide")
TASKS_LAYOUT = "tasks"
"""Layout of a table of models and tasks: long if it has a column of scores, else wide."""
_AGGREGATE = re.compile(
    r"(rank|mean|average|avg|overall|win_rate|borda|zero_shot|memory|number_of_param|embedding_dim"
    r"|max_tok)"
)
"""Beginning of a column of a leaderboard that is not the score of a task."""
_TRANSPOSED_LEAST = 20
"""Minimum number of score columns for a table to be read as one row per model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLayout:
    """Roles of the columns of a table."""

    parts: Mapping[str, str]
    """Column of each role."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Column of each group of items."""
    across: Literal["model", "item", "metric"] | None = None
    """Role of the names of several score columns; None if there is one score column."""
    scores: tuple[str, ...] = ()
    """Names of the score columns."""
    called: tuple[str, ...] = ()
    """Names that replace those of the columns."""
    row_number: str | None = None
    """Name of the row-number column to add to a wide table without an id column."""
    notes: tuple[str, ...] = ()
    """Notes on the choices that were made."""

    @property
    def wanted(self) -> list[str]:
        """Return all columns that are needed, each once."""
        stored = dict.fromkeys([*self.parts.values(), *self.groups.values(), *self.scores])
        return [name for name in stored if name != self.row_number]


def plain(name: str) -> str:
    """Return a column name in normalized form, for comparison.

    >>> plain("Question-ID")
    'question_id'
    """
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


_RANK = {
    alias: (part, rank)
    for part, tiers in ALIASES.items()
    for rank, tier in enumerate(tiers)
    for alias in tier
}


def _roles(columns: Sequence[Column]) -> dict[str, list[tuple[int, str]]]:
    """Return, for each role, the matching columns and the ranks of their names."""
    out: dict[str, list[tuple[int, str]]] = {}
    for column in columns:
        part, rank = _RANK.get(plain(column.name), ("", 0))
        if part and column.kind != "nested":
            out.setdefault(part, []).append((rank, column.name))
    return out


def recognized(names: Iterable[str]) -> set[str]:
    """Return the roles that match any of these names."""
    return {_RANK[p][0] for p in map(plain, names) if p in _RANK}


def lay_out(place: Place, frame: Frame, options: ReaderOptions) -> ColumnLayout:
    """Assign the roles of a table, or raise an error that lists the columns."""
    return _ColumnGuess(place, frame, options).layout()


def tidy_layout(place: Place, frame: Frame) -> ColumnLayout:
    """Return the layout of nstar's own tables.

    Columns are named after roles; others are groups.
    """
    names = [c.name for c in frame.columns]
    missing = [n for n in ("model", "item", "score") if n not in names]
    if missing or len(set(names)) < len(names):
        fault = f"no column {missing[0]}" if missing else "a repeated column"
        msg = (
            f"{place}: the file claims to be written by nstar, but it has {fault}. Write the "
            "file again with nstar."
        )
        raise ReadError(msg)
    return ColumnLayout(
        parts={n: n for n in names if n in KNOWN},
        groups={n: n for n in names if n not in KNOWN},
    )


class _ColumnGuess:
    """Columns of one table, with their possible roles."""

    def __init__(self, place: Place, frame: Frame, options: ReaderOptions) -> None:
        self._place = place
        self._frame = frame
        self._columns = {c.name: c for c in frame.columns}
        self._names = [c.name for c in frame.columns]
        self._known = _roles(frame.columns)
        self._form = options.column("layout")
        self._aggregates = self._form == TASKS_LAYOUT
        if self._aggregates:
            is_long = "score" in self._known or options.column("score") is not None
            self._form = "long" if is_long else "wide"
        self._judges = [name for part, name in options.columns if part == JUDGED[0]]
        self._label = options.column(JUDGED[1])
        self._rater = options.column(RATER)
        self._parts = self._given(options)
        self._notes: list[str] = []
        self._groups = {name: self._existing("group", name) for name in options.groups}
        free = [n for n in options.declared if n in self._columns and n not in self._taken()]
        self._groups |= {n: n for n in free if n not in KNOWN and self._fit(n)}
        if self._rater is not None:
            self._groups[RATER] = self._rater
        for name in self._groups:
            if name in KNOWN:
                self._refuse(
                    f"the group {name!r} has the same name as a part", "Rename the column."
                )

    def layout(self) -> ColumnLayout:
        if self._form not in {None, *_LAYOUTS}:
            self._refuse(f"unknown layout {self._form!r}", "Use long or wide.")
        used_columns = self._taken()
        free = [c for c in self._frame.columns if c.name not in used_columns]
        for part in ALIASES:
            if part not in self._parts and (guess := self._guess(part, free)):
                self._parts[part] = guess
        for name in (c.name for c in free if c.kind not in {"nested", "time"}):
            if plain(name) in _GROUPS and name not in self._taken():
                self._groups.setdefault(plain(name), name)
        if self._judges or self._label or self._rater:
            return self._judged()
        if self._form == "wide" or (self._form is None and "score" not in self._parts):
            return self._wide()
        return self._long()

    def _take_tasks_as_items(self) -> None:
        """Use tasks as items if each task has one score."""
        if "item" not in self._parts and "task" in self._parts:
            self._parts["item"] = self._parts.pop("task")
            self._notes.append(TASKS_AS_ITEMS)

    def _given(self, options: ReaderOptions) -> dict[str, str]:
        excluded = {"layout", *JUDGED, RATER}
        declared = {part: name for part, name in options.columns if part not in excluded}
        for part, name in options.columns:
            if part in {*JUDGED, RATER}:
                self._existing(part, name)
        for part in declared:
            if part not in KNOWN:
                parts = ", ".join((*KNOWN, LOWER, *JUDGED, RATER))
                unknown = arg("columns", f"{part}=…")
                self._refuse(f"{unknown}: there is no such part", f"Use one of: {parts}.")
        return {part: self._existing(part, name) for part, name in declared.items()}

    def _fit(self, name: str) -> bool:
        """Return whether a column can be a group: texts, numbers, or booleans."""
        return self._columns[name].kind not in {"nested", "time"}

    def _existing(self, part: str, name: str) -> str:
        if name not in self._columns:
            self._refuse(f"no column {printable(name)!r} (for {part})")
        if self._columns[name].kind == "nested":
            self._refuse(f"column {printable(name)!r} (for {part}) contains lists or objects")
        return name

    def _taken(self) -> set[str]:
        other_columns = {
            name for name in (*self._judges, self._label, self._rater) if name is not None
        }
        return {*self._parts.values(), *self._groups.values(), *other_columns}

    def _guess(self, part: str, free: Sequence[Column]) -> str | None:
        free_names = {c.name for c in free} if part in self._known else set()
        ranked = [(rank, name) for rank, name in self._known.get(part, ()) if name in free_names]
        if not ranked:
            return None
        best = min(rank for rank, _ in ranked)
        names = list(dict.fromkeys(name for rank, name in ranked if rank == best))
        if len(names) > 1 and part not in _MINOR:
            names_text = " and ".join(map(printable, names))
            option_text = arg("columns", f"{part}={names[0]}")
            self._refuse(
                f"both {names_text} could be the {part}", f"Choose one, such as {option_text}."
            )
        return names[0]

    def _judged(self) -> ColumnLayout:
        """Return the columns of judges' scores and of labels, each of which is a metric."""
        self._take_tasks_as_items()
        self._require("item", *(("score",) if self._rater and not self._judges else ()))
        judges = self._judges or [self._parts["score"]] if self._rater else self._judges
        columns = (*judges, *([] if self._label is None else [self._label]))
        if LABEL_WEIGHT in self._columns and LABEL_WEIGHT not in self._taken():
            self._groups[LABEL_WEIGHT] = LABEL_WEIGHT
        has_many_judges = len(judges) > 1
        twice = len(set(columns)) < len(columns)
        if has_many_judges and (twice or self._rater):
            self._refuse(
                "with several judges, each judge needs its own score column, and a rater column "
                "cannot be used"
            )
        is_lone_judge = self._label is None and not has_many_judges and not self._rater
        if not judges or twice or is_lone_judge:
            options_text = " and ".join(arg("columns", f"{part}=NAME") for part in JUDGED)
            self._refuse(
                "the judge and its labels must be two different columns", f"Set {options_text}."
            )
        for part in ("score", "metric"):
            self._parts.pop(part, None)
        layout = ColumnLayout(
            parts=self._parts,
            groups=self._groups,
            across="metric",
            scores=columns,
            called=() if has_many_judges else JUDGED[: len(columns)],
        )
        return self._checked(layout, [] if "model" in self._parts else [NO_MODEL])

    def _long(self) -> ColumnLayout:
        self._take_tasks_as_items()
        self._require("score", "item")
        notes = []
        if "model" not in self._parts:
            notes.append(NO_MODEL)
        return self._checked(ColumnLayout(parts=self._parts, groups=self._groups), notes)

    def _require(self, *parts: str) -> None:
        for part in parts:
            if part not in self._parts:
                fix = f"Set {arg('columns', f'{part}=NAME')}."
                if part == "item" and "model" in self._parts:
                    fix += " To check two reported averages, use nstar claim."
                self._refuse(f"no {part} column recognized ({self._found()})", fix)

    def _found(self) -> str:
        """Return the roles that every long table needs, with their columns."""
        parts = [(p, self._parts.get(p)) for p in ("model", "item", "score")]
        return ", ".join(f"{p}: {'none' if n is None else printable(n)}" for p, n in parts)

    def _wide(self) -> ColumnLayout:
        if "model" not in self._parts:
            self._take_tasks_as_items()
        parts = {p: n for p, n in self._parts.items() if p not in {"score", *_MINOR}}
        if "content" in self._parts:
            parts["content"] = self._parts["content"]
        if "item" not in parts and "model" not in parts:
            parts |= self._index()
        used_columns = {*parts.values(), *self._groups.values()}
        numeric = self._score_columns(
            [c for c in self._frame.columns if c.name not in used_columns]
        )
        forced = self._form == "wide"
        # A text column may contain names of models, as in a leaderboard of averages: rows are not
        # items then.
        has_item_names = "item" in parts or {*used_columns, *numeric} >= self._columns.keys()
        if "model" not in parts and len(numeric) >= 2 and (has_item_names or forced):
            note = f"wide table: one row per item, {len(numeric)} score columns taken as models"
            layout = ColumnLayout(parts=parts, groups=self._groups, across="model", scores=numeric)
            if "item" not in parts:
                layout = self._with_row_numbers(layout)
        elif self._is_transposed(parts, numeric, forced=forced):
            note = f"wide table: one row per model, {len(numeric)} score columns taken as items"
            if self._aggregates:
                columns = "column" if len(numeric) == 1 else "columns"
                note = f"wide table: one row per model, {len(numeric)} {columns} read as tasks"
            parts.pop("content", None)
            layout = ColumnLayout(parts=parts, across="item", scores=numeric)
        else:
            problem = f"no score column{self._commas()}"
            self._refuse(problem, _layout_advice(parts, numeric))
        return self._checked(layout, [note])

    def _with_row_numbers(self, layout: ColumnLayout) -> ColumnLayout:
        """Return the layout with row numbers as items."""
        self._notes.append(ROW_NUMBERS)
        name = "row"
        while name in self._columns:
            name += "_"
        return replace(layout, parts={**layout.parts, "item": name}, row_number=name)

    def _commas(self) -> str:
        """Return a note if columns contain numbers with decimal commas."""
        texts = [c.name for c in self._frame.columns if c.kind == "text"]
        if len(set(texts)) < len(texts):
            return ""
        head = self._frame.head(texts)
        for name in texts:
            column = head.column(name)
            if pa.types.is_dictionary(column.type):  # every row may contain a long text
                column = arrow.used(column).dictionary
            values = {str(v) for v in column.to_pylist() if v not in {None, ""}}
            if any(map(has_comma, values)) and all(map(_is_number, values)):
                return f"; {printable(name)!r} has decimal commas: {POINTS}"
        return ""

    def _index(self) -> dict[str, str]:
        """Return the first column as the item if it looks like the index of a data frame."""
        first = self._frame.columns[0] if self._frame.columns else Column("-", "empty")
        unnamed = plain(first.name) in _UNNAMED and first.kind in {"text", "number"}
        return {"item": first.name} if unnamed else {}

    def _is_transposed(
        self, parts: Mapping[str, str], numeric: Sequence[str], *, forced: bool
    ) -> bool:
        min_columns = 1 if forced else _TRANSPOSED_LEAST
        return "model" in parts and "item" not in parts and len(numeric) >= min_columns

    def _score_columns(self, free: Sequence[Column]) -> tuple[str, ...]:
        """Return the number columns, restricted to [0, 1] unless the table is declared wide."""
        numeric = [c.name for c in free if c.kind in {"number", "truth"}]
        if self._aggregates:
            # one text such as n/a makes a column of numbers a column of texts
            texts = [c.name for c in free if c.kind == "text" and self._has_numbers(c.name)]
            numeric = [c.name for c in free if c.name in {*numeric, *texts}]
            numeric = [name for name in numeric if not _AGGREGATE.match(plain(name))]
        if self._form == "wide":
            return tuple(numeric)
        if len(set(numeric)) < len(numeric):
            return ()
        head = self._frame.head(numeric)
        return tuple(name for name in numeric if _fractions(head.column(name)))

    def _has_numbers(self, name: str) -> bool:
        """Return whether any text of a column is a number."""
        if self._names.count(name) > 1:
            return False
        column = self._frame.head([name]).column(name)
        if pa.types.is_dictionary(column.type):  # every row may contain a long text
            column = arrow.used(column).dictionary
        return any(_is_number(str(value)) for value in column.to_pylist() if value)

    def _checked(self, layout: ColumnLayout, notes: list[str]) -> ColumnLayout:
        """Return the layout with its notes; raise an error if it needs a duplicate column."""
        notes = [*notes, *self._notes]
        times = Counter(self._names)
        twice = [n for n in layout.wanted if times[n] > 1]
        if twice:
            self._refuse(f"column {printable(twice[0])!r} is repeated", "Rename one of them.")
        needed = set(layout.wanted)
        ignored = [n for n in self._names if n not in needed]
        if ignored:
            notes = [*notes, f"ignored columns: {list_columns(ignored)}"]
        return replace(layout, notes=tuple(notes))

    def _refuse(self, problem: str, fix: str = "") -> NoReturn:
        columns = list_columns(self._names) or "none"
        msg = f"{self._place}: {problem}. Columns found: {columns}. {fix}"
        raise ReadError(msg.rstrip())


def _is_number(text: str) -> bool:
    """Return whether a text is a number, with a decimal point or comma."""
    return has_comma(text) or text.strip().lstrip("+-").replace(".", "", 1).isdigit()


def _fractions(column: object) -> bool:
    """Return whether all values are between 0 and 1, and there is at least one."""
    scores = ScoreColumn()
    _, bad = scores.convert(column)
    return not bad.size and scores.low >= 0 and scores.high <= 1


def _layout_advice(parts: Mapping[str, str], numeric: Sequence[str]) -> str:
    has = ", ".join(f"{part} ({printable(name)})" for part, name in parts.items()) or "none"
    wide = arg("columns", "layout=wide")
    judged = " and ".join(arg("columns", f"{part}=NAME") for part in JUDGED)
    fix = f"Set {arg('columns', 'score=NAME')}, or for a judge {judged}"
    if "item" not in parts and "model" not in parts:
        fix += f"; if each row is an item, {arg('columns', 'item=NAME')}"
    command = by_interface(python='nstar.audit(…, unit="task")', command="nstar audit --unit task")
    tasks = "" if numeric else f" For one score per task, use {command}."
    return (
        f"Recognized: {has}; {len(numeric)} {'column' if len(numeric) == 1 else 'columns'} of "
        f"numbers in [0, 1]. {fix}; or {wide} for one score column per model.{tasks}"
    )
