"""Early stopping of Inspect evaluations, by comparison with a baseline log while they run.

A task with an :class:`EarlyStopping` schedules no further samples once the running model is shown
to be better than, worse than, or not worse than the baseline, or once a decision is unlikely::

    from inspect_ai import Task
    from nstar.integrations.inspect import EarlyStopping

    Task(..., early_stopping=EarlyStopping("logs/baseline.eval", margin=0.02))

A :class:`RaceStopping` compares several models that run at the same time, and stops all but the
best one.

Samples finish in any order, and slow samples may fail more often. Results are therefore counted in
the order of the dataset: each one waits until all results before it are available, so that the
selection of counted results does not depend on any outcome. The order itself must be random, so
shuffle the dataset.
"""

from nstar.integrations.inspect.racing import RaceStopping
from nstar.integrations.inspect.stopping import EarlyStopping

__all__ = ["EarlyStopping", "RaceStopping"]
