"""Rules between the parameters of a gate that has a baseline or a threshold."""

from nstar._base.verb import at_least_one, at_most_one, excludes

GATE_RULES = (
    at_least_one(
        margin="largest acceptable loss",
        superiority="a required improvement",
        threshold="score to exceed",
    ),
    at_most_one(margin="largest acceptable loss", superiority="a required improvement"),
    excludes(
        threshold="score to exceed",
        superiority="a required improvement",
        baseline="scores to compare with",
        b="name of the baseline",
        guardrails="margins of tasks with a baseline",
    ),
    at_most_one(strata="groups that define the benchmark", cluster="groups that are a sample"),
)
"""Rules that one look and repeated looks have in common."""
