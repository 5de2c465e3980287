"""Votes between models: ratings, ranks, and the votes still needed."""

from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.rate import rate
from nstar._verbs.battles.result import Battles

__all__ = ["Battles", "BattlesQuestion", "rate"]
