"""Read all votes of some data.

This is the only way to create :class:`Votes` from files and frames.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from nstar._data.findings import abbreviate
from nstar._data.read_limits import ROWS_PER_BYTE
from nstar._data.votes import Votes
from nstar.errors import ReadError
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._files import Place, walk
from nstar.readers._read_errors import printable
from nstar.readers._stream import text_head
from nstar.readers._tables import Frame, form_of, open_frame, suffix_of
from nstar.readers._tables._frame import Chunk
from nstar.readers._vote_detection import kind_of_games
from nstar.readers._votes._games import GamesFrame
from nstar.readers._votes._layout import VoteLayout, VoteSelection, lay_out
from nstar.readers._votes._pieces import TableVotes, VoteCollector

_ENDINGS = (
    *(".csv", ".tsv", ".psv", ".tab", ".parquet", ".pq", ".arrow", ".feather", ".ipc"),
    *(".json", ".jsonl", ".ndjson"),
)
"""Suffixes of the files that are read in a folder."""


def read_votes(
    data: Any, options: ReaderOptions | None = None, selection: VoteSelection | None = None
) -> Votes:
    """Read all votes of some data.

    The data are files, folders, patterns, or URLs; or a frame, a mapping of columns, or a list of
    records.
    """
    journal = Journal(options=options or ReaderOptions())
    gathered = VoteCollector(wanted=selection or VoteSelection(), journal=journal)
    for place, frame, layout, reader in _tables(data, gathered):
        _read(place, frame, layout, reader, gathered)
    return gathered.votes()


def _tables(data: Any, gathered: VoteCollector) -> Iterator[tuple[Place, Frame, VoteLayout, str]]:
    """Yield every table of votes in some data, with its layout."""
    options, selection = gathered.journal.options, gathered.wanted
    if not isinstance(data, str | Path) and not _are_paths(data):
        from nstar.readers.frames import memory_frame  # noqa: PLC0415 files need none of it

        place, memory_table = memory_frame(data, selection.asked)
        yield place, memory_table, lay_out(place, memory_table, options, selection), "memory"
        return
    paths = [data] if isinstance(data, str | Path) else list(data)
    outright = {str(path) for path in paths}
    others: list[str] = []
    for place in walk(paths, links=options.follow_links):
        if place.path not in outright and suffix_of(place.name) not in _ENDINGS:
            others.append(str(place))
            continue
        try:
            frame, reader = _opened(place, gathered)
            layout = lay_out(place, frame, options, selection)
        except ReadError:
            if place.path in outright:
                raise
            others.append(str(place))
            continue
        yield place, frame, layout, reader
    if others:
        plural = "s" * (len(others) > 1)
        note = f"{len(others)} file{plural} without votes ignored: {abbreviate(others, 3)}"
        gathered.journal.notes.append(note)


def _are_paths(data: Any) -> bool:
    is_list = isinstance(data, list | tuple) and bool(data)
    return is_list and all(isinstance(path, str | Path) for path in data)


def _opened(place: Place, gathered: VoteCollector) -> tuple[Frame, str]:
    """Open a file as rows and columns, with a description."""
    head = text_head(place)
    kind = kind_of_games(head) if form_of(head) == "object" else None
    if kind is not None:
        return GamesFrame(place, gathered.journal, kind), kind
    column_names = [name for _, name in gathered.journal.options.columns]
    return open_frame(place, gathered.journal, [*column_names, *gathered.wanted.asked]), "votes"


def _read(
    place: Place, frame: Frame, layout: VoteLayout, reader: str, gathered: VoteCollector
) -> None:
    """Add the votes of one table."""
    journal = gathered.journal
    frame.refuse_rows(1)
    source = journal.source(place, reader)
    rows = TableVotes(place, layout, gathered, source)
    before = len(gathered.pieces)
    try:
        gathered.pieces += [
            rows.piece(chunk) for chunk in _not_too_many(place, frame, layout.wanted, journal)
        ]
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        reason = printable(str(error).split("\n", 1)[0])[:300]
        msg = f"{place}: a column contains values of the wrong type: {reason}"
        raise ReadError(msg) from error
    rows.finish()
    gathered.ordered &= layout.ordered
    if isinstance(frame, GamesFrame):
        gathered.ordered &= frame.ordered
        source.notes += frame.notes
    n_kept = sum(piece.first.size for piece in gathered.pieces[before:])
    journal.sources.append(source.freeze(rows=n_kept))


def _not_too_many(
    place: Place, frame: Frame, names: Sequence[str], journal: Journal
) -> Iterator[Chunk]:
    """Yield the rows of a table, up to the number that its length justifies."""
    vouched, rows = ROWS_PER_BYTE * (place.size() or 0), 0
    for chunk in frame.chunks(names):
        rows += chunk.batch.num_rows
        text = f"{place}: at least {rows:,} rows"
        journal.options.limits.refuse("rows", rows, text, vouched=vouched, error=ReadError)
        yield chunk
