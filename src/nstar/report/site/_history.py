"""History of a board on a site: one entry per snapshot, a chart of rank ranges, and a feed.

A build adds an entry if the ranking differs from that of the last entry. Rank ranges are stored
for the models of each snapshot, so that later builds need no older results.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

from nstar._base.visible import with_visible
from nstar._verbs.audit import Audit
from nstar.errors import DataError
from nstar.report.page._markup import listing, section
from nstar.report.prose.audit import change_words
from nstar.report.prose.battles import change_words as vote_words
from nstar.report.prose.board_changes import change_sentences
from nstar.report.prose.numbers import name
from nstar.report.site._board import SiteBoard
from nstar.report.site._json import parsed, text

FILE, FEED = "history.json", "feed.xml"
_SCHEMA = "nstar.history/1"
_MAX_BYTES = 1 << 26
_MAX_SNAPSHOTS = 200
_MAX_MODELS = 1000
"""Largest number of models whose ranges an entry stores."""
_MAX_CHARACTERS = 2000
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_NOT_HISTORY = "{}: not a history of nstar. Delete the file to begin a new history."
_CHARTED, _LISTED = 12, 20
_WIDTH, _HEIGHT = 180, 40

RankRanges: TypeAlias = dict[str, list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSnapshot:
    """One entry of the history of a board."""

    time: str
    """Time of the build, in ISO format."""
    n_models: int
    n_units: int
    """Number of items, or of votes."""
    finding: str
    """First sentence of the headline."""
    changes: str
    """What changed since the entry before."""
    ranges: RankRanges
    """Best and worst rank of each model."""

    def record(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def history_of(root: Path, board: SiteBoard) -> list[BoardSnapshot]:
    """Return the entries of a board, the newest last, with one for the current ranking.

    A board whose page was deleted begins a new history.
    """
    home = root / "b" / board.slug
    entries = _stored(home / FILE) if (home / "index.html").is_file() else []
    ranks = board.ranks
    ends = zip(ranks.rank_low.tolist(), ranks.rank_high.tolist(), strict=True)
    ranges = {m: list(r) for m, r in list(zip(ranks.model, ends, strict=True))[:_MAX_MODELS]}
    result = board.result
    n_units = result.tasks[0].n_items if isinstance(result, Audit) else result.n_votes
    last = entries[-1] if entries else None
    now = BoardSnapshot(
        time=_now(),
        n_models=len(ranks.model),
        n_units=n_units,
        finding=board.finding,
        changes=_changes(board, ranges, last),
        ranges=ranges,
    )
    same = ("n_models", "n_units", "ranges", "finding")
    if last is not None and all(getattr(last, key) == getattr(now, key) for key in same):
        return entries
    return [*entries, now][-_MAX_SNAPSHOTS:]


def _now() -> str:
    """Return the time of the build, or the one that a reproducible build sets."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.strftime(_TIME)


def _changes(board: SiteBoard, ranges: RankRanges, last: BoardSnapshot | None) -> str:
    """Return what changed, with reasons if the result was compared with an older one."""
    if last is None:
        return "First snapshot."
    result = board.result
    if result.changes is not None:
        words = change_words(result) if isinstance(result, Audit) else vote_words(result)
        return " ".join(change_sentences(result.changes, words))
    parts = [
        f"{len(names):,} {word} model{'' if len(names) == 1 else 's'}"
        for names, word in (
            (ranges.keys() - last.ranges.keys(), "new"),
            (last.ranges.keys() - ranges.keys(), "removed"),
        )
        if names
    ]
    shared = ranges.keys() & last.ranges.keys()
    n_changed = sum(ranges[model] != last.ranges[model] for model in shared)
    return "; ".join([*parts, f"{n_changed:,} of {len(shared):,} rank ranges changed"]) + "."


def _stored(path: Path) -> list[BoardSnapshot]:
    """Return the entries that are there, checked as untrusted input."""
    if not path.is_file() or path.is_symlink():
        return []
    try:
        data = parsed(path.read_bytes() if path.stat().st_size <= _MAX_BYTES else b"")
        if data["schema"] == _SCHEMA:
            return [_entry(entry) for entry in data["snapshots"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(_NOT_HISTORY.format(path)) from error
    raise DataError(_NOT_HISTORY.format(path))


def _entry(entry: Any) -> BoardSnapshot:
    """Return one entry. Raise ValueError, KeyError, TypeError or AttributeError if invalid."""
    ranges = {str(model): _checked(*ends) for model, ends in entry["ranges"].items()}
    return BoardSnapshot(
        time=datetime.strptime(entry["time"], _TIME).strftime(_TIME),
        n_models=int(entry["n_models"]),
        n_units=int(entry["n_units"]),
        finding=str(entry["finding"])[:_MAX_CHARACTERS],
        changes=str(entry["changes"])[:_MAX_CHARACTERS],
        ranges=ranges,
    )


def _checked(low: Any, high: Any) -> list[int]:
    if not 1 <= int(low) <= int(high):
        raise ValueError(low)
    return [int(low), int(high)]


def history_files(board: SiteBoard, entries: Sequence[BoardSnapshot]) -> dict[str, bytes]:
    """Return the history as JSON and as an Atom feed."""
    data = {"schema": _SCHEMA, "snapshots": [entry.record() for entry in entries]}
    return {FILE: text(data), FEED: _feed(board, entries)}


def _feed(board: SiteBoard, entries: Sequence[BoardSnapshot]) -> bytes:
    """Return an Atom feed with one entry per snapshot, the newest first."""
    home = f"{board.base}b/{board.slug}/" if board.base else f"urn:nstar:{board.slug}:"
    link = f'<link href="{escape(home)}"/>' if board.base else ""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(board.title)}</title><id>{escape(home)}</id>{link}",
        f"<updated>{entries[-1].time}</updated><author><name>nstar</name></author>",
    ]
    lines += [
        f"<entry><title>{escape(e.changes[:120])}</title><id>{escape(home)}{e.time}</id>{link}"
        f"<updated>{e.time}</updated><summary>{escape(f'{e.changes} {e.finding}.')}</summary>"
        "</entry>"
        for e in entries[::-1][:_LISTED]
    ]
    visible_lines = (with_visible(line, lambda _: "?") for line in (*lines, "</feed>", ""))
    return "\n".join(visible_lines).encode("utf-8", "replace")


def history_section(board: SiteBoard, entries: Sequence[BoardSnapshot]) -> str:
    """Return the part of a page with one line per snapshot, and the chart; empty for one."""
    if len(entries) < 2:
        return ""
    unit = "items" if board.kind == "audit" else "votes"
    lines = listing(
        f"{e.time[:10]}, {e.n_models:,} models, {e.n_units:,} {unit}: {e.changes}"
        for e in entries[::-1][:_LISTED]
    )
    feed = f'<p class="remark"><a href="{FEED}">Feed of changes (Atom)</a></p>'
    return section("history", "History", lines, _chart(entries), feed)


def _chart(entries: Sequence[BoardSnapshot]) -> str:
    """Return the rank ranges of the best models over time: a bar for each snapshot."""
    recent = entries[-_LISTED:]
    models = list(recent[-1].ranges)[:_CHARTED]
    known = [e.ranges[m] for m in models for e in recent if m in e.ranges]
    lowest = max(high for _, high in known)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name(m, limit=36))}</th><td>{_bars(m, recent, lowest)}</td>'
        f'<td class="num">{_range(recent[-1].ranges[m])}</td></tr>'
        for m in models
    )
    first, last = recent[0].time[:10], recent[-1].time[:10]
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Rank ranges over time">\n'
        f"<table>\n<caption><span>Rank ranges over time, {first} to {last} (rank 1 at the top)"
        '</span></caption>\n<thead><tr><th scope="col">model</th>'
        '<th scope="col">rank ranges</th><th scope="col" class="num">now</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _range(ends: Sequence[int]) -> str:
    return f"{ends[0]:,}" if ends[0] == ends[1] else f"{ends[0]:,}–{ends[1]:,}"


def _bars(model: str, entries: Sequence[BoardSnapshot], lowest: int) -> str:
    """Return a small drawing with one bar per snapshot, and its description."""
    step, unit = _WIDTH / len(entries), (_HEIGHT - 6) / max(lowest - 1, 1)
    parts, words = [], []
    for k, entry in enumerate(entries):
        ends = entry.ranges.get(model)
        if ends is None:
            continue
        x, top, bottom = (k + 0.5) * step, 3 + (ends[0] - 1) * unit, 3 + (ends[1] - 1) * unit
        words.append(f"{entry.time[:10]}: {_range(ends)}")
        parts.append(
            f'<line class="wire" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
            'stroke="currentColor" stroke-width="6" stroke-linecap="round"/>'
        )
    title = escape("; ".join(words))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>{"".join(parts)}</svg>'
    )
