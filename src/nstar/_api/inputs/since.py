"""Read an older snapshot of a leaderboard: scores, votes, a pack, or a result."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nstar._base.result import Result
from nstar._data.confined import open_binary
from nstar._data.findings import refuse_fatal
from nstar._verbs.audit import Audit
from nstar.errors import DataError, arg

if TYPE_CHECKING:
    from nstar._api.inputs.board import BoardInput
    from nstar._api.inputs.reading import ReadSettings
    from nstar._api.inputs.selection import ModelFilter
    from nstar._base.parameter_types import Average
    from nstar._data.votes import Votes
    from nstar._engine.work import Execution
    from nstar._verbs.audit.question import AuditQuestion
    from nstar._verbs.battles import Battles, BattlesQuestion
    from nstar._verbs.board_changes import BoardChanges

ResultT = TypeVar("ResultT", bound=Result)

_MAX_BYTES = 1 << 28
"""Largest size of a result in JSON."""
_HEAD_BYTES = 200
"""Number of bytes that contain the schema of a result of nstar."""


def changes_since(
    since: Any,
    board: "BoardInput",
    audit: Audit,
    question: "AuditQuestion",
    execution: "Execution",
    *,
    selection: "ModelFilter",
    tasks: tuple[str, ...],
    metric: str | None,
    settings: "ReadSettings",
    average: "Average",
) -> "BoardChanges":
    """Return the changes of an audit since an older snapshot, in any form."""
    from nstar._api.inputs.board import board_of
    from nstar._verbs.audit.changes import board_changes, state_of
    from nstar._verbs.audit.snapshots import Snapshot
    from nstar._verbs.board_replay import listed_changes

    name = label_of(since)
    older = older_audit(since)
    if older is None:
        filters = replace(selection, seen={}, needs_match=False)
        alpha = question.criteria.alpha
        try:
            older_board = board_of("audit", since, filters, tasks, metric, settings, alpha)
        except DataError as error:
            raise error.within(arg("since")) from error
        refuse_fatal(older_board.findings)
        old = Snapshot.of(older_board.matrices, older_board.chosen)
    else:
        matrices = [task.matrix for task in older.tasks if task.matrix is not None]
        if len(matrices) < len(older.tasks):
            audits = (older, audit)
            _refuse_other_settings(
                ("alpha", *(a.criteria.alpha for a in audits)),
                ("items", *({task.item_set for task in a.tasks} for a in audits)),
                ("cluster", *({task.design for task in a.tasks} for a in audits)),
            )
            return listed_changes(state_of(older), state_of(audit), since=name)
        old = Snapshot.of(matrices, older.ranking.model)
    new = Snapshot.of(board.matrices, board.chosen)
    return board_changes(old, new, audit, question, execution, average=average, since=name)


def vote_changes_since(
    since: Any,
    votes: "Votes",
    result: "Battles",
    question: "BattlesQuestion",
    execution: "Execution",
    **selection: Any,
) -> "BoardChanges":
    """Return the changes of ratings since older votes, or older ratings.

    ``selection`` has the options of ``load_votes``.
    """
    from nstar._api.inputs.votes import load_votes
    from nstar._verbs.battles import Battles
    from nstar._verbs.battles.changes import state_of, vote_changes
    from nstar._verbs.board_replay import listed_changes

    name, older = label_of(since), older_result(since, Battles)
    if older is not None:
        _refuse_other_settings(
            ("alpha", older.criteria.alpha, result.criteria.alpha),
            ("ties", older.ties, result.ties),
            ("cluster", older.cluster, result.cluster),
            ("control", *({e.name for e in r.control_effects} for r in (older, result))),
        )
        return listed_changes(state_of(older), state_of(result), since=name)
    try:
        old = load_votes(since, **selection)
        return vote_changes(old, votes, result, question, execution, since=name)
    except DataError as error:
        raise error.within(arg("since")) from error


def _refuse_other_settings(*settings: tuple[Any, ...]) -> None:
    """Raise DataError if an older result without data has another value of a parameter."""
    for parameter, *values in settings:
        lists = (sorted(v) if isinstance(v, set | tuple) else [v] for v in values)
        was, now = (", ".join(map(str, v)) or "none" for v in lists)
        if was != now:
            msg = (
                f"{arg('since')}: the older result has another {arg(parameter)} ({was}; now "
                f"{now}). Use the same value, or pass the data of the older result."
            )
            raise DataError(msg)


def label_of(data: Any) -> str:
    """Return the name of an older snapshot: of its file or folder, if it has one.

    >>> label_of("runs/2026-11-12/"), label_of({})
    ('2026-11-12', 'the older results')
    """
    data = _alone(data)
    if not isinstance(data, str | os.PathLike):
        return "the older results"
    return os.path.basename(os.fspath(data).rstrip("/\\")) or os.fspath(data)  # noqa: PTH119


def older_result(data: Any, kind: type[ResultT]) -> ResultT | None:
    """Return a result, from itself or its JSON; None for other data."""
    data = _alone(data)
    if isinstance(data, kind):
        return data
    path = Path(data) if isinstance(data, str | os.PathLike) else Path()
    if path.suffix != ".json" or not path.is_file():
        return None
    with open_binary(str(path)) as file:
        if f'"{kind.schema_name()}"'.encode() not in file.read(_HEAD_BYTES):
            return None
    try:
        return kind.from_json(_content(path))
    except DataError as error:
        raise error.within(str(path)) from error


def older_audit(data: Any) -> Audit | None:
    """Return an audit, from a result, its JSON, or a folder of pairs; None for other data."""
    data = _alone(data)
    if not isinstance(data, str | os.PathLike) or not Path(data).is_dir():
        return older_result(data, Audit)
    audit = older_result(Path(data) / "audit.json", Audit)
    return None if audit is None else _with_scores(audit, Path(data))


def _alone(data: Any) -> Any:
    """Return the only element of a list."""
    return data[0] if isinstance(data, list | tuple) and len(data) == 1 else data


def _content(path: Path) -> bytes:
    with open_binary(str(path)) as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        msg = f"{path}: larger than {_MAX_BYTES >> 20:,} MB. Pass the scores instead."
        raise DataError(msg)
    return content


def _with_scores(audit: Audit, folder: Path) -> Audit:
    """Return the audit with the scores that its folder contains, if any."""
    from nstar._verbs.audit.item_answers import stored_matrix

    try:
        listed = json.loads(_content(folder / "items.json"))
        matrix = stored_matrix(
            audit, [str(name) for name in listed["items"]], _content(folder / "answers.bin")
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return audit
    if matrix is None:
        return audit
    return replace(audit, tasks=(replace(audit.tasks[0], matrix=matrix),))
