"""Votes between models: ratings, ranks, and the votes that would settle the rest."""

from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.rate import rate
from nstar._verbs.battles.result import Battles

__all__ = ["Battles", "BattlesQuestion", "rate"]
