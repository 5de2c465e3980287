"""Two models watched while they run: evidence after every item, and when to stop."""

from nstar._verbs.watch.decision import Decision
from nstar._verbs.watch.look import FUTILE
from nstar._verbs.watch.order import Order
from nstar._verbs.watch.question import Question, Scale
from nstar._verbs.watch.snapshots import Moment
from nstar._verbs.watch.watch import Watch

__all__ = ["FUTILE", "Decision", "Moment", "Order", "Question", "Scale", "Watch"]
