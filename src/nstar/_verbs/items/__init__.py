"""Items: which ones discriminate between models, and which answer keys look wrong."""

from nstar._verbs.items.measure import examined
from nstar._verbs.items.question import ItemsQuestion
from nstar._verbs.items.result import Items

__all__ = ["Items", "ItemsQuestion", "examined"]
