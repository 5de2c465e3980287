"""Tour of ``nstar demo``: three claims, and what the items support."""

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nstar._base.types import Interval
from nstar._verbs.demo import DemoStory
from nstar.report.documents import TextTable
from nstar.report.formats.text import WIDTH, grid_lines
from nstar.report.prose.audit.headline import audit_sentences
from nstar.report.prose.audit.ranking import Ranking, ranking_of
from nstar.report.prose.comparison.headline import headline, p_is
from nstar.report.prose.gap import coverage, span
from nstar.report.prose.numbers import count, name, percent, pp

__all__ = ["DemoClaim", "StoryLine", "scenes", "walk"]

LineKind: TypeAlias = Literal["title", "said", "command", "plain"]

_FILES = (
    ("board.csv", "the leaderboard: model, item, subject, score"),
    ("report.html", "the audit as a page for the browser"),
    ("lm-eval/", "logs of wren and heron in the format of lm-eval"),
    ("inspect/", "logs baseline.eval and candidate.eval in the format of Inspect"),
    ("agents.csv", "two agents, 60 tasks, 4 runs each, with costs"),
)
_NEXT = (
    ("nstar compare results/a results/b", "Is model a better than model b?"),
    ("nstar audit results/ --html report.html", "Which ranks are supported?"),
    ("nstar plan --baseline 70% --delta 1pp", "How many items do I need?"),
)
_RANKING_COLUMNS = ("rank", "rank range", "model", "score %", "gap to next (pp)", "verdict")
"""Columns of the ranking."""
_NOT_ON_SMALL_SCREENS = ("gap to next (pp)", "score %")
"""Those that a small screen leaves out, one after the other."""


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A line of the tour."""

    text: str
    """Text of the line."""
    kind: LineKind = "plain"
    """Style of the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoClaim:
    """One claim, and the check of it."""

    title: str
    """Type of claim that it illustrates."""
    said: str
    """The claim."""
    checks: tuple[tuple[str, str], ...]
    """Commands, each with its answer."""
    lesson: str
    """Conclusion in one sentence."""


def _tie(story: DemoStory, board: str) -> DemoClaim:
    pair, (first, second) = story.tie.tasks[0], story.tie.models
    return DemoClaim(
        title="A tie reported as a win",
        said=f"{first} takes the lead: {percent(pair.mean_a, 1)} against {second}'s "
        f"{percent(pair.mean_b, 1)}.",
        checks=((f"nstar compare {board} --a {first} --b {second}", headline(story.tie)),),
        lesson="An inconclusive gap shows neither which model is better nor that they are equal. "
        "This gap is far smaller than the gaps that the benchmark can detect.",
    )


def _macro(story: DemoStory) -> str:
    """Return which model leads if subjects count equally, and the evidence."""
    pairs, (first, second) = story.by_subjects.adjacent, story.by_subjects.ranking.model
    scale = story.by_subjects.tasks[0]
    ends = Interval(float(pairs.ci_adjusted_low[0]), float(pairs.ci_adjusted_high[0]))
    return (
        f"On the macro average of subjects, {first} scores {pp(float(pairs.gap[0]))} above "
        f"{second} ({coverage(1 - story.by_subjects.criteria.alpha)} CI {span(scale, ends)}, "
        f"{p_is(float(pairs.pvalue_adjusted[0]))}): {pairs.verdict[0]}."
    )


def _flip(story: DemoStory, board: str) -> DemoClaim:
    pair, (first, second) = story.by_items.tasks[0], story.by_items.models
    rows = pair.breakdowns[0].groups
    largest = max(rows, key=lambda row: row.gap * row.n_items)
    behind = sum(row.gap < 0 for row in rows)
    return DemoClaim(
        title="A ranking that depends on an assumption",
        said=f"{first} beats {second} by {pp(pair.gap)}, significant at {p_is(pair.pvalue)}.",
        checks=(
            (
                f"nstar compare {board} --a {first} --b {second} --cluster subject",
                f"{headline(story.by_clusters)} {first} leads by {pp(largest.gap)} in "
                f"{name(largest.group)} ({count(largest.n_items)} of {count(pair.n_items)} items) "
                f"and trails in {behind} of the other {len(rows) - 1} subjects.",
            ),
            (
                f"nstar audit {board} --column task=subject --model {first} --model {second}",
                _macro(story),
            ),
        ),
        lesson=f"On similar items, {first} leads. On new subjects, or if all subjects count "
        "equally, the gap is inconclusive. Choose the question before you see the results.",
    )


def _real(story: DemoStory, board: str) -> DemoClaim:
    pair, (first, second) = story.real.tasks[0], story.real.models
    other, counts = story.tie.tasks[0], pair.counts
    discordant = 0 if counts is None else counts.n10 + counts.n01
    return DemoClaim(
        title="A real gap",
        said=f"{second} is as good as {first}: only {pp(pair.gap)} lower, well within the noise.",
        checks=(
            (
                f"nstar compare {board} --a {first} --b {second}",
                f"{headline(story.real)} They disagree on only {count(discordant)} items "
                f"(rho = {pair.rho or 0:.2f}).",
            ),
        ),
        lesson="A paired test uses only the items on which the two models disagree. These "
        f"{count(pair.n_items)} items detect a gap of {pp(pair.mde)} between a model and its "
        f"copy, and a gap of {pp(other.mde)} between {' and '.join(story.tie.models)}.",
    )


def scenes(story: DemoStory, folder: str) -> tuple[DemoClaim, ...]:
    """Return the three claims, with commands that read the files in a folder."""
    board = shlex.quote(f"{folder.rstrip('/')}/board.csv")
    return _tie(story, board), _flip(story, board), _real(story, board)


def _columns(ranking: Ranking, column_names: Sequence[str]) -> TextTable:
    """Some columns of the ranking."""
    grid = ranking.grid("")
    columns = [grid.header.index(column) for column in column_names]

    def keep_columns(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(row[k] for k in columns)

    return replace(
        grid, header=keep_columns(grid.header), rows=tuple(map(keep_columns, grid.rows))
    )


def _ranking_lines(ranking: Ranking, width: int) -> list[str]:
    """The ranking with as many columns as the screen has room for."""
    column_names = list(_RANKING_COLUMNS)
    for left_out in ("", *_NOT_ON_SMALL_SCREENS):
        column_names = [column for column in column_names if column != left_out]
        lines = grid_lines(_columns(ranking, column_names), width)[1:]
        if max(map(len, lines)) <= width:
            break
    return lines


def _wrapped(
    text: str, width: int, kind: LineKind = "plain", begin: str = "   "
) -> Iterator[StoryLine]:
    after = " " * len(begin)
    for line in textwrap.wrap(
        text, width, initial_indent=begin, subsequent_indent=after, break_on_hyphens=False
    ):
        yield StoryLine(line, kind)


def _scene(number: int, scene: DemoClaim, width: int) -> Iterator[StoryLine]:
    yield StoryLine(f"{number}. {scene.title}", "title")
    yield from _wrapped(f"“{scene.said}”", width, "said")
    for command, answer in scene.checks:
        yield StoryLine(f"   $ {command}", "command")
        yield from _wrapped(answer, width)
    yield from _wrapped(scene.lesson, width, begin="   → ")
    yield StoryLine("")


def _whole(story: DemoStory, folder: str, width: int) -> Iterator[StoryLine]:
    board = shlex.quote(f"{folder.rstrip('/')}/board.csv")
    yield StoryLine("The whole leaderboard", "title")
    yield StoryLine(f"   $ nstar audit {board}", "command")
    ranking = ranking_of(story.whole)
    yield from _wrapped(" ".join(audit_sentences(story.whole, ranking)), width)
    yield from (StoryLine(f" {line}") for line in _ranking_lines(ranking, width - 1))
    yield from _wrapped(
        f"{coverage(ranking.conf)} rank ranges hold simultaneously for all models. Every model "
        "above a line beats every model below it.",
        width,
    )
    yield StoryLine("")


def _listed(title: str, rows: tuple[tuple[str, str], ...], width: int) -> Iterator[StoryLine]:
    """Two columns, or each comment below its command where the screen is narrow."""
    yield StoryLine(title, "title")
    wide = max(len(left) for left, _ in rows)
    beside = [f"   {left.ljust(wide)}   {right}" for left, right in rows]
    if max(map(len, beside)) <= width:
        yield from map(StoryLine, beside)
        return
    for left, right in rows:
        yield StoryLine(f"   {left}")
        yield from _wrapped(right, width, begin="      ")


def walk(
    story: DemoStory, folder: str, *, written: bool = False, width: int | None = None
) -> list[StoryLine]:
    """Return the complete tour, whose commands find their files in ``folder``."""
    wide = max(40, min(WIDTH, width or WIDTH))
    matrix = story.whole
    lines = [
        *_wrapped(
            f"A synthetic leaderboard ({len(matrix)} models, {count(matrix.n_items)} items, "
            f"{len(story.by_subjects.tasks)} subjects) and three claims about it:",
            wide,
            begin="",
        ),
        StoryLine(""),
    ]
    for k, scene in enumerate(scenes(story, folder), start=1):
        lines += _scene(k, scene, wide)
    lines += _whole(story, folder, wide)
    if written:
        lines += [*_listed(f"Written to {folder}", _FILES, wide), StoryLine("")]
    else:
        lines += [
            *_wrapped(
                f"To write the files of this tour: nstar demo --out {folder}", wide, begin=""
            ),
            StoryLine(""),
        ]
    return lines + list(_listed("With your own files", _NEXT, wide))
