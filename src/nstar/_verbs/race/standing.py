"""How far it is to the next drop, if all goes as it has gone so far."""

from nstar._verbs.race.evidence import RaceEvidence

_FAR = 100
"""Times the items so far beyond which a drop is out of sight."""


def items_more(evidence: RaceEvidence, leader: int, behind: int) -> int | None:
    """Items until the leader drops a model, if the shares of wins and losses stay as they are."""
    n, limit = int(evidence.n[leader, behind]), evidence.question.limit
    low, high = n, n * _FAR
    top = evidence.scaled(leader, behind, high)
    if not n or top is None or top < limit:
        return None
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        log_e = evidence.scaled(leader, behind, middle)
        low, high = (low, middle) if log_e is not None and log_e >= limit else (middle, high)
    return max(high - n, 1)
