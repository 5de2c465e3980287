"""Anytime validity: may one look after every item?"""

from collections.abc import Iterator
from functools import partial

from validation.distributions import LAWS, simulated
from validation.promise import CLAIMS, CheckJob, ValidationRequest

GROUP = "Interim looks"

_ADVICE = {
    "asymptotic-cs": "The asymptotic sequence is for unbounded scores and needs dozens of "
    "items with a difference. With few such items, it is wrong in half of "
    "all evaluations. Rescale the scores to [0, 1] and use bets, the "
    "default.",
}
_UNLIMITED = ("heavy tails",)
"""Laws that bets are refused for."""


@CLAIMS.add(
    GROUP,
    "A sequential test of 0/1 scores has a false-positive rate of at most 5%, even if it is "
    "repeated after every item.",
    "at most",
    advice=_ADVICE,
)
def peeking(request: ValidationRequest) -> Iterator[CheckJob]:
    """The e-process and the confidence sequence; a fixed test peeked at as a warning."""
    for items in (100, 500, 2000) if request.effort.full else (500,):
        for psi in (0.05, 0.25, 0.6):
            yield partial(
                simulated,
                request,
                ("bernoulli", {"p_b": 0.5, "psi": psi}),
                items,
                setting={"items": items, "discordant": psi},
                tests=("e-process", "asymptotic-cs", "naive-peeking"),
                roles={"asymptotic-cs": "option", "naive-peeking": "warning"},
            )


@CLAIMS.add(
    GROUP,
    "A sequential test of graded scores has a false-positive rate of at most 5%, even if it "
    "is repeated after every item.",
    "at most",
    advice=_ADVICE,
)
def peeking_graded(request: ValidationRequest) -> Iterator[CheckJob]:
    """Bets, the default of ``watch``; the asymptotic sequence, from the 30th item on."""
    laws = list(LAWS) if request.effort.full else ["normal", "skewed"]
    for items in (200, 1000) if request.effort.full else (200,):
        for name in laws:
            scenario, values = LAWS[name]
            valid = () if name in _UNLIMITED else ("bets",)
            yield partial(
                simulated,
                request,
                (scenario, values | {"delta": 0.0}),
                items,
                setting={"items": items, "scores": name},
                tests=(*valid, "asymptotic-cs", "naive-peeking"),
                roles={"asymptotic-cs": "option", "naive-peeking": "warning"},
            )
