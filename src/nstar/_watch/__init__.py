"""Two models watched while they run: evidence after every item, and when to stop."""

from nstar._watch.course import Moment
from nstar._watch.decision import Decision
from nstar._watch.order import Order
from nstar._watch.question import Question, Scale
from nstar._watch.watch import Watch
from nstar._watch.weigh import FUTILE

__all__ = ["FUTILE", "Decision", "Moment", "Order", "Question", "Scale", "Watch"]
