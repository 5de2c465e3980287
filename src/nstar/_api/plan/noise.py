"""The noise of one comparison, from assumptions about two models."""

from typing import TYPE_CHECKING

from nstar._base.verb import at_least_one, at_most_one

if TYPE_CHECKING:
    from nstar._verbs.plan import Design

RULES = (
    at_least_one(baseline="accuracy, for 0/1 scores", sd_diff="for graded scores"),
    at_most_one(baseline="for 0/1 scores", sd_diff="for graded scores"),
    at_most_one("rho", sd_diff="it includes the correlation"),
)


def paired_noise(baseline: float | None, rho: float | None, sd_diff: float | None) -> "Design":
    """Two models on the same items, scored 0/1 or graded.

    Raises
    ------
    QuestionError
        The parameters describe neither kind of scores, or both.
    """
    from nstar._verbs.benchmarks import TYPICAL
    from nstar._verbs.plan import Design, Graded, PairedRho

    for rule in RULES:
        rule.check({"baseline": baseline, "rho": rho, "sd_diff": sd_diff})
    if sd_diff is not None:
        return Design(noise=Graded(sd=sd_diff), source="given")
    if baseline is None:
        raise AssertionError
    if rho is None:
        source = "assumed; published means run from 0.41 to 0.69"
        return Design(noise=PairedRho(baseline=baseline, rho=TYPICAL.mean), source=source)
    return Design(noise=PairedRho(baseline=baseline, rho=rho), source="given")
