"""Ratings of models of known strength, for tests of what is drawn and said of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate

__all__ = ["battles", "renamed", "vendor"]


def vendor(k: int) -> str:
    """A name as long as many are."""
    return f"laboratory-{k % 7}/model-{k}-instruct"


def battles(
    models: int,
    votes: int,
    *,
    called: Callable[[int], str] = vendor,
    spread: float = 3.0,
    near: float = 0.3,
    groups: int = 0,
    **question: Any,
) -> Battles:
    """Votes between models that are mostly near each other, a tenth of them ties."""
    rng = np.random.default_rng(models)
    strength = np.linspace(spread / 2, -spread / 2, models)
    first = rng.integers(0, models, votes)
    second = (first + rng.geometric(near, votes)) % models
    second = np.where(first == second, (first + 1) % models, second)
    chance = 1 / (1 + np.exp(strength[second] - strength[first]))
    score = (rng.random(votes) < chance).astype(np.float64)
    score[rng.random(votes) < 0.1] = 0.5
    shared = {"prompt": rng.integers(0, groups, votes)} if groups else {}
    made = Votes.of([called(k) for k in first], [called(k) for k in second], score, groups=shared)
    return rate(made, BattlesQuestion(**question), Execution())


def renamed(result: Battles, called: Callable[[str], str]) -> Battles:
    """The same ratings of models with other names, even such as no table of votes can hold."""
    gaps, a, b = (
        result.adjacent,
        *(map(called, x) for x in (result.adjacent.model_a, result.adjacent.model_b)),
    )
    return replace(
        result,
        ratings=replace(result.ratings, model=tuple(map(called, result.ratings.model))),
        adjacent=replace(gaps, model_a=tuple(a), model_b=tuple(b)),
        unrated=tuple(replace(u, model=called(u.model)) for u in result.unrated),
    )
