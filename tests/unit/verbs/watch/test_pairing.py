"""Halves become pairs once, in whatever order they come."""

from nstar._verbs.watch.ledger import PendingScore, PendingScores


def test_pairs_once_and_keeps_the_first_run() -> None:
    pairing = PendingScores()
    assert pairing.add(0, "q1", PendingScore(score=1.0, run="1", cost=0.5)) is None
    pair = pairing.add(1, "q1", PendingScore(score=0.0, run="1", group="law", cost=9.0))
    assert pair is not None
    assert (pair.a, pair.b, pair.group, pair.cost) == (1.0, 0.0, "law", 0.5)
    assert pairing.add(0, "q1", PendingScore(score=0.0, run="2")) is None
    assert pairing.add(0, "q1", PendingScore(score=0.0, run="2")) is None
    assert pairing.add(0, "q1", PendingScore(score=1.0, run="1")) is None
    assert pairing.repeated == 1


def test_waiting() -> None:
    pairing = PendingScores()
    for item in ("a", "b", "c"):
        pairing.add(0, item, PendingScore(score=1.0))
    pairing.add(1, "c", PendingScore(score=None))
    pairing.add(1, "d", PendingScore(score=0.0))
    assert pairing.waiting == (2, 1)


def test_the_same_run_with_another_score_is_a_contradiction() -> None:
    pairing = PendingScores()
    pairing.add(0, "q1", PendingScore(score=1.0))
    for score in (1.0, 0.0, 0.0):
        pairing.add(0, "q1", PendingScore(score=score))
    assert (pairing.contradicted, pairing.repeated, pairing.paired) == (1, 0, 0)
    pairing.add(1, "q1", PendingScore(score=1.0))
    assert pairing.paired == 1
