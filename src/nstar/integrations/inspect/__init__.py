"""Inspect evaluations that stop themselves: compared with a baseline log while they run.

A task that is given an :class:`EarlyStopping` schedules no further sample once the running
model is shown to be better, worse or not worse than the baseline, or once that can hardly be
shown any more::

    from inspect_ai import Task
    from nstar.integrations.inspect import EarlyStopping

    Task(..., early_stopping=EarlyStopping("logs/baseline.eval", margin=0.02))

Several models that run at once stop one another by a :class:`RaceStopping`: the best one runs on.

Samples finish in any order, and slow ones may be the failing ones. So results are counted in
the order of the dataset: each is held back until all before it are in, and what is counted
depends on no outcome. That order must itself be random: shuffle the dataset.
"""

from nstar.integrations.inspect.racing import RaceStopping
from nstar.integrations.inspect.stopping import EarlyStopping

__all__ = ["EarlyStopping", "RaceStopping"]
