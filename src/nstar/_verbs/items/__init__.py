"""Items: which of them decide, which are dead so far, whose key to look at."""

from nstar._verbs.items.measure import examined
from nstar._verbs.items.question import ItemsQuestion
from nstar._verbs.items.result import Items

__all__ = ["Items", "ItemsQuestion", "examined"]
