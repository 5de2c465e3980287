"""The story that the leaderboard tells, as nstar's own results about it."""

from dataclasses import dataclass

from nstar._verbs.audit import Audit, Leaderboard, audit, audit_tasks
from nstar._verbs.compare import Comparison, compare
from nstar._verbs.demo.leaderboard import board, subject_boards
from nstar.errors import DataError

TIE = ("wren", "heron")
FLIP = ("kestrel", "plover")
REAL = ("robin", "robin-4bit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Three pairs of neighbours and the whole board."""

    tie: Comparison
    """First and second place, which the items cannot tell apart."""
    by_items: Comparison
    """Two models with every item on its own."""
    by_clusters: Comparison
    """The same with subjects as clusters."""
    by_subjects: Leaderboard
    """The same with subjects counted equally: the macro average."""
    real: Comparison
    """A model and its compressed copy, which agree on most items."""
    whole: Audit
    """All models."""


def story() -> Story:
    """Every result of the walk-through.

    Examples
    --------
    >>> told = story()
    >>> told.tie.tasks[0].verdict, told.by_items.tasks[0].verdict, told.real.tasks[0].resolved
    ('inconclusive', 'better', True)
    """
    equal = audit_tasks(subject_boards(FLIP))
    if not isinstance(equal, Leaderboard):
        msg = "the demo's board has one subject only"
        raise DataError(msg)
    return Story(
        tie=compare(board(), names=TIE),
        by_items=compare(board(), names=FLIP),
        by_clusters=compare(board(), names=FLIP, cluster="subject"),
        by_subjects=equal,
        real=compare(board(), names=REAL),
        whole=audit(board()),
    )
