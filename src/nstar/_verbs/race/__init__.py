"""Race of several models on the same items, which drops models that are not the best."""

from nstar._verbs.race.question import RaceQuestion
from nstar._verbs.race.race import Race
from nstar._verbs.race.result import ActiveModel, EliminatedModel, RaceResult

__all__ = ["ActiveModel", "EliminatedModel", "Race", "RaceQuestion", "RaceResult"]
