"""Votes between models of known strength, on prompts, by judges, with lengths of answers."""

from typing import Any

import numpy as np

from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate
from validation.vote_generator import voted

__all__ = ["ballots", "columns", "rated"]

STRENGTHS = (0.8, 0.5, 0.0, -0.3, -1.0)


def columns(
    strengths: tuple[float, ...] = STRENGTHS,
    votes: int = 600,
    *,
    seed: int = 3,
    ties: float = 0.25,
    prompts: int = 30,
    judges: int = 12,
    first: float = 0.0,
    longer: float = 0.0,
) -> dict[str, Any]:
    """Columns of such votes; models m0, m1 … in the order of their strengths.

    ``first`` and ``longer`` are what the first answer gains, and the longer one for each standard
    deviation, in log odds.
    """
    rng = np.random.default_rng(seed)
    models, strength = len(strengths), np.array(strengths)
    a = rng.integers(0, models, votes)
    b = (a + rng.integers(1, models, votes)) % models
    length = np.round(np.exp(rng.normal(5, 0.4, (votes, 2))))
    more = (length[:, 0] - length[:, 1]) / length.sum(axis=1)
    gap = strength[a] - strength[b] + first + longer * more / more.std()
    return {
        "first": [f"m{k}" for k in a],
        "second": [f"m{k}" for k in b],
        "score": voted(rng, gap, ties),
        "groups": {
            "prompt": rng.integers(0, prompts, votes).tolist(),
            "judge": rng.integers(0, judges, votes).tolist(),
        },
        "covariates": {"length": (length[:, 0], length[:, 1])},
    }


def ballots(*given: Any, **options: Any) -> Votes:
    """The same as :class:`Votes`."""
    return Votes.of(**columns(*given, **options))


def rated(votes: Votes, execution: Execution | None = None, **asked: Any) -> Battles:
    """What the votes say, with few draws."""
    asked = {"draws": 999} | asked
    return rate(votes, BattlesQuestion(**asked), execution or Execution(workers=1))
