"""Monitor two models while they run: evidence after every item, and when to stop."""

from nstar._verbs.watch.ledger import ItemPair
from nstar._verbs.watch.look import FUTILE
from nstar._verbs.watch.order import OrderCheck
from nstar._verbs.watch.question import WatchQuestion, WatchScale
from nstar._verbs.watch.result import ArrivalOrder, Decision, Moment, WatchResult
from nstar._verbs.watch.watch import Watch

__all__ = [
    "FUTILE",
    "ArrivalOrder",
    "Decision",
    "ItemPair",
    "Moment",
    "OrderCheck",
    "Watch",
    "WatchQuestion",
    "WatchResult",
    "WatchScale",
]
