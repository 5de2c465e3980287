"""Read judges' verdicts in JSON Lines as tables of votes: arena-hard and FastChat.

The formats were inferred from source code, not from test runs: ``gen_judgment.py`` and
``show_result.py`` of arena-hard-auto (v0.1 and v2.0), and ``llm_judge/common.py``,
``serve/gradio_block_arena_anony.py`` and ``serve/monitor/clean_battle_data.py`` of FastChat.

=========================== =============================================================
arena-hard judgments        one line for each model and prompt with two games: the baseline
                            is A in the first, B in the second
FastChat ``*_pair.jsonl``   one line for each pair and prompt with two games: ``model_1``
                            is shown first in the first, second in the second
FastChat ``*-conv.json``    the log of an arena's server: a vote is a line whose ``type``
                            is leftvote, rightvote, tievote or bothbad_vote
=========================== =============================================================

Games on one pair of answers share a pair number. All votes of a server's log are read. Votes that
the arena removes later (names in the answers, errors, banned addresses) are included.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa

from nstar._data import arrow
from nstar.readers._base import BATCH, Journal
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers._read_errors import printable
from nstar.readers._tables._frame import Chunk, Column
from nstar.readers._values import entry, item_name, listing, text

Cells: TypeAlias = tuple[Any, ...]
_COLUMNS = (
    *("first", "second", "winner", "prompt_id", "judge", "pair_id", "category", "turn"),
    "anony",
)
_BASELINE = "baseline"
_NAMELESS = f"the file does not name the baseline that all models met; nstar calls it {_BASELINE}"
_UNCLEANED = (
    "this server log still contains votes that the arena removes (names or errors in "
    "answers, banned addresses)"
)
_MAX_GAMES_PER_LINE = 64
"""Maximum number of games in one line. Judges play two."""
_OTHER = {"model_1": "model_2", "model_2": "model_1"}
_VOTES = ("leftvote", "rightvote", "tievote", "bothbad_vote")
_SHOWN_AS = ("", "Model A", "Model B")
"""Names that a server shows while models are anonymous."""


class _Judgment(msgspec.Struct):
    """A line of arena-hard."""

    games: Any = None
    model: Any = None
    baseline: Any = None
    judge: Any = None
    uid: Any = None
    question_id: Any = None
    category: Any = None


class _Match(msgspec.Struct):
    """A line of FastChat's pairwise judgments."""

    model_1: Any = None
    model_2: Any = None
    g1_winner: Any = None
    g2_winner: Any = None
    question_id: Any = None
    judge: Any = None
    turn: Any = None
    m1_score: Any = None


class _Vote(msgspec.Struct):
    """A line of FastChat's server log."""

    type: Any = None
    models: Any = None
    states: Any = None
    ip: Any = None


class GamesFrame:
    """A file of verdicts as a table with one row per game."""

    extras: Mapping[bytes, bytes] = {}
    columns = tuple(Column(n, "truth" if n == "anony" else "text") for n in _COLUMNS)

    def __init__(self, place: Place, journal: Journal, kind: str) -> None:
        self._place = place
        self._journal = journal
        self._kind, self._games = _KINDS[kind]
        self.ordered = True
        """Whether all games so far record which model was shown first."""
        self.notes: dict[str, None] = {}
        """Notes on the games so far."""
        self.users: dict[str, str] = {}
        """Names of users by their address."""

    def refuse_rows(self, across: int) -> None:
        """Do nothing, because text declares no size. Rows are counted while they are read."""

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return no rows, because the contents of the columns are known."""
        return pa.RecordBatch.from_arrays([pa.nulls(0)] * len(names), list(names))

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all games."""
        lines: list[int] = []
        rows: list[Cells] = []
        for line, record in json_lines(self._place, self._kind, self._journal):
            games = self._games(record, self)
            if isinstance(games, str):
                self._journal.bad_row(self._place, line, games)
                continue
            lines += [line] * len(games)
            rows += games
            if len(rows) >= BATCH:
                yield _chunk(names, rows, lines)
                lines, rows = [], []
        if rows:
            yield _chunk(names, rows, lines)


def _chunk(names: Sequence[str], rows: list[Cells], lines: list[int]) -> Chunk:
    columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
    arrays = [
        arrow.array(columns[n], pa.bool_()) if n == "anony" else arrow.labeled(columns[n])
        for n in names
    ]
    return Chunk(pa.RecordBatch.from_arrays(arrays, list(names)), lines.__getitem__)


def _arena_hard(record: _Judgment, frame: GamesFrame) -> list[Cells] | str:
    model, prompt = text(record.model), item_name(record.uid) or item_name(record.question_id)
    if model is None or prompt is None:
        return "model and uid (or question_id) must be text"
    if not isinstance(record.games, list) or not record.games:
        return "games must be a list of verdicts"
    if len(record.games) > _MAX_GAMES_PER_LINE:
        return (
            f"{len(record.games):,} games of one prompt exceed the limit of {_MAX_GAMES_PER_LINE}"
        )
    baseline = text(record.baseline)
    if baseline is None:
        frame.notes[_NAMELESS] = None
        baseline = _BASELINE
    shared = text(record.judge), f"{prompt} {model}", text(record.category), None, True
    sides = ((baseline, model), (model, baseline))
    return [
        (*sides[k % 2], _word(entry(game, "score")), prompt, *shared)
        for k, game in enumerate(record.games)
    ]


def _match(record: _Match, frame: GamesFrame) -> list[Cells] | str:
    one, other = text(record.model_1), text(record.model_2)
    if one is None or other is None:
        return "model_1 and model_2 must be text"
    prompt, turn = item_name(record.question_id), item_name(record.turn)
    judge = text(record.judge) or text(next(iter(listing(record.judge)), None))
    pair = f"{prompt} {turn} {one} {other}" if prompt else None
    shared = prompt, judge, pair, None, turn, True
    games = [(one, other, _word(record.g1_winner), *shared)]
    if record.m1_score is not None:  # separate grades; the line has the winner twice
        frame.ordered = False
        return games
    word = _word(record.g2_winner)
    return [*games, (other, one, _OTHER.get(str(word), word), *shared)]


def _vote(record: _Vote, frame: GamesFrame) -> list[Cells] | str:
    if record.type not in _VOTES:
        return []  # chats, flags, and regenerated answers
    names = [_public(name) for name in listing(record.models)]
    states = listing(record.states)
    if len(names) != 2 or len(states) != 2:
        return "models and states must each have two entries"
    anonymous = names[0] in _SHOWN_AS
    first, second = (text(entry(s, "model_name")) for s in states) if anonymous else names
    if first is None or second is None:
        return "a vote must name two models"
    frame.notes[_UNCLEANED] = None
    address = text(record.ip)
    judge = address and frame.users.setdefault(address, f"user {len(frame.users) + 1}")
    prompt = item_name(entry(states[0], "conv_id"))
    return [(first, second, record.type, prompt, judge, None, None, None, anonymous)]


def _public(name: Any) -> str | None:
    """Return the name that a page showed, without its markup."""
    if isinstance(name, str) and name.startswith("<h3>"):
        return name.removesuffix("\n").removesuffix("</h3>").partition(": ")[2]
    return name if isinstance(name, str) else None


def _word(value: Any) -> str | None:
    """Return a verdict as text. Other values are converted for a message."""
    return value if value is None or isinstance(value, str) else printable(repr(value)[:60])


_KINDS: dict[str, tuple[Any, Callable[[Any, GamesFrame], list[Cells] | str]]] = {
    "arena-hard": (_Judgment, _arena_hard),
    "fastchat": (_Match, _match),
    "fastchat-log": (_Vote, _vote),
}
