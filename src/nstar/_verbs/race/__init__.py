"""Several models on the same items: those that are not the best are dropped on the way."""

from nstar._verbs.race.question import RaceQuestion
from nstar._verbs.race.race import Race
from nstar._verbs.race.result import ActiveModel, EliminatedModel, RaceResult

__all__ = ["ActiveModel", "EliminatedModel", "Race", "RaceQuestion", "RaceResult"]
