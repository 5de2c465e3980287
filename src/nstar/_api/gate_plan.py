"""``gate_plan``: the chance of a PASS, before anything runs."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Correlation,
    Gap,
    ItemCount,
    Logs,
    MetricName,
    PassRule,
    Proportion,
    TaskNames,
)
from nstar._base.verb import at_most_one, needs, verb
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.gate import GateFeasibility
    from nstar._verbs.plan import PairedPsi, PairedRho


@verb(
    at_most_one(psi="share of disagreement", baseline="accuracy of the baseline"),
    needs("rho", "baseline"),
)
def gate_plan(
    data: Logs = None,
    /,
    *,
    margin: Gap,
    items: ItemCount | None = None,
    psi: Proportion | None = None,
    baseline: Proportion | None = None,
    rho: Correlation | None = None,
    at_least: PassRule | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    **reading: Unpack[ReadingWords],
) -> "GateFeasibility":
    """Estimate the probability of a PASS before you run the candidate.

    Provide repeated runs of the baseline, or state how often the models disagree: set ``psi``, or
    ``baseline`` and ``rho``. The estimate is for one task with independent items and 0/1 scores.
    The exit status is 0 if a candidate that equals the baseline passes with the target power, and
    3 otherwise.

    You can also put settings in nstar.toml under [gate.plan]. Settings under [gate] also apply.

    Parameters
    ----------
    data : path, several paths, array, frame, or RunTable, optional
        Logs of repeated runs of the baseline model, written as PATH[::MODEL].
        In Python, also an array of tasks by runs.
    margin : float
        Largest acceptable loss, such as 0.01 (1 pp). It is in score units.
    items : int, optional
        Total number of items planned.
        With runs of the baseline, the default is the number of their tasks.
    psi : float, optional
        Share of items that exactly one model answers correctly, for 0/1 scores.
    baseline : float, optional
        Accuracy of the baseline model, such as 0.7.
    rho : float, optional
        Correlation of the models' scores over items (default: 0.5). The default is typical of
        published leaderboards.
    at_least : str, optional
        Count a task as passed if at least M of N runs pass, such as 4/5.
        It requires runs of the baseline.
    tasks : str or sequence of str, optional
        Include only these tasks.
    metric : str, optional
        Metric to use instead of the first one in the log.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests. It applies to each one-sided test, and must be below 0.25.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    GateFeasibility
        The probability of each verdict for equal models, and for several true gaps.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Margins

    Examples
    --------
    >>> gate_plan(items=2000, margin=0.01, psi=0.1).is_sufficient
    False
    """
    from nstar._verbs.gate import gate_criteria, gate_feasibility

    criteria = gate_criteria(alpha, power)
    if data is None:
        for name, value in {"at_least": at_least, "tasks": tasks, "metric": metric}.items():
            if value is not None:
                msg = f"{arg(name)} also needs {arg('data')}: repeated runs of the baseline."
                raise QuestionError(msg)
        if items is None:
            msg = (
                f"Set {arg('items')} (number of planned items), or pass repeated runs of the "
                "baseline."
            )
            raise QuestionError(msg)
        noise, source = _assumed(psi, baseline, rho)
        return gate_feasibility(
            items, margin=margin, noise=noise, criteria=criteria, source=source
        )
    if psi is not None or baseline is not None:
        name = "baseline" if psi is None else "psi"
        msg = f"The runs already show how often verdicts differ. Remove {arg(name)}."
        raise QuestionError(msg)
    from nstar._api.inputs.gate_runs import pilot_runs
    from nstar._verbs.gate import rehearsed
    from nstar._verbs.runs import TaskRule

    rule = None if at_least is None else TaskRule.parse(at_least)
    table = pilot_runs(data, reading, tasks, metric)
    return rehearsed(table, margin=margin, items=items, criteria=criteria, at_least=rule)


def _assumed(
    psi: float | None, baseline: float | None, rho: float | None
) -> "tuple[PairedPsi | PairedRho, str]":
    """Return how often the models disagree, and where that comes from."""
    from nstar._verbs.benchmarks import TYPICAL
    from nstar._verbs.plan import PairedPsi, PairedRho

    if psi is not None:
        return PairedPsi(psi=psi), "given"
    if baseline is None:
        msg = (
            f"Set {arg('psi')} (share of items that exactly one model answers correctly) or "
            f"{arg('baseline')} (its accuracy)."
        )
        raise QuestionError(msg)
    if rho is None:
        return PairedRho(baseline=baseline, rho=TYPICAL.mean), "rho assumed"
    return PairedRho(baseline=baseline, rho=rho), "given"
