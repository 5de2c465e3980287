"""What ``nstar demo --out`` writes, but for the page."""

from collections.abc import Iterator

from nstar._verbs.demo import agents, inspect_log, leaderboard, lm_eval


def files() -> Iterator[tuple[str, bytes]]:
    """Names below the folder, with ``/``, and contents.

    Examples
    --------
    >>> [name for name, _ in files()][0], len(dict(files()))
    ('board.csv', 8)
    """
    yield "board.csv", leaderboard.table().encode()
    yield from lm_eval.files()
    yield from inspect_log.files()
    yield "agents.csv", agents.table().encode()
