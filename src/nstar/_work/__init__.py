"""Where work is done: threads here, a Ray cluster, or any executor; the same answer everywhere."""

from nstar._work.crew import Crew, Job
from nstar._work.fold import folded
from nstar._work.local import Local
from nstar._work.opening import Where, check_executor, opened
from nstar._work.steady import one_thread

__all__ = ["Crew", "Job", "Local", "Where", "check_executor", "folded", "one_thread", "opened"]
