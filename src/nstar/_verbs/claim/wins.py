"""Evaluate a claim such as "best on 7 of 9 benchmarks" by a sign test."""

from dataclasses import dataclass

from nstar._base import checks
from nstar._base.result import Result
from nstar._base.types import Interval
from nstar._verbs.verdict import ClaimVerdict, Criteria, judge_bounds
from nstar.stats._wins import chance_of_any, chance_of_wins, fewest_wins, picked_turn


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class WinsClaim(Result):
    """Check of a number of wins over benchmarks, which ignores the size of each gap."""

    n_wins: int
    """Number of benchmarks on which the model is best or shares the best value."""
    n_benchmarks: int
    """Number of reported benchmarks."""
    n_ties: int
    """Number of wins that are shared with another model."""
    n_models: int
    """Number of compared models."""
    n_benchmarks_run: int
    """Number of benchmarks that were run; equal to the reported ones if not stated."""
    criteria: Criteria
    """Level of the test."""
    expected_wins: float
    """Expected wins on benchmarks without a tie, if all models are equally good."""
    pvalue_named: float
    """Probability of this many wins by a model named in advance (one-sided sign test)."""
    pvalue_any: float
    """Probability of this many wins by any model; for two models, the two-sided sign test."""
    pvalue_counted: float
    """Value of ``pvalue_any`` if shared best values count as wins."""
    pvalue_picked: float
    """Value of ``pvalue_any`` if the reported benchmarks were selected for their wins from all
    that were run.
    """
    pvalue_rival: float
    """Value of ``pvalue_any`` if only one other model is as good and all others are worse."""
    pvalue_bounds: Interval
    """Smallest and largest of these p-values over the unknown circumstances: named, selected,
    rivals.
    """
    verdict: ClaimVerdict
    """Whether the wins are significant at both, one, or neither of these bounds."""
    n_wins_needed: int | None
    """Number of wins without ties on these benchmarks that would be significant; None if even all
    are not.
    """
    picked_turn: int | None
    """Number of benchmarks run from which selection explains the wins; None if chance already
    does.
    """
    ties_turn: int | None
    """Number of shared wins from which chance explains the wins; None if it already does."""


def judged_wins(
    wins: int,
    of: int,
    *,
    ties: int = 0,
    models: int = 2,
    picked_from: int | None = None,
    criteria: Criteria | None = None,
) -> WinsClaim:
    """Return the sign test of ``wins`` out of ``of`` benchmarks among some models.

    Parameters
    ----------
    wins, of : int
        Number of benchmarks on which the model is best, and number of reported benchmarks.
    ties : int, default 0
        Number of wins on which another model has the same value. They are left out.
    models : int, default 2
        Number of compared models.
    picked_from : int, optional
        Number of benchmarks that were run, if the reported ones were selected.

    Examples
    --------
    >>> c = judged_wins(7, 9)
    >>> round(c.pvalue_any, 3), c.verdict, c.n_wins_needed
    (0.18, 'not_supported', 8)
    """
    rule = criteria or Criteria()
    run = of if picked_from is None else picked_from
    checks.counts(wins=wins, of=of, ties=ties, models=models, picked_from=run)
    checks.require(1 <= of <= 10_000, "of", "1 to 10,000 benchmarks", of)
    checks.require(
        1 <= wins <= of, "wins", f"from 1 to {of}, the number of reported benchmarks", wins
    )
    checks.require(
        ties <= wins, "ties", f"at most {wins}, the number of wins, which include ties", ties
    )
    checks.require(2 <= models <= 100_000, "models", "2 to 100,000", models)
    checks.require(
        of <= run <= 1_000_000,
        "picked_from",
        f"at least {of}, the number of reported benchmarks",
        run,
    )
    outright, decided = wins - ties, of - ties
    named_chance = chance_of_wins(outright, decided, models)
    any_ = chance_of_any(outright, decided, models)
    picked = chance_of_any(outright, run - ties, models)
    rival = chance_of_any(outright, run - ties, 2)
    bounds = Interval(named_chance, max(picked, rival))
    turn = picked_turn(outright, decided, models, rule.alpha)
    chances = (chance_of_any(wins - t, of - t, models) > rule.alpha for t in range(wins + 1))
    first = next((t for t, beyond in enumerate(chances) if beyond), None)
    return WinsClaim(
        n_wins=wins,
        n_benchmarks=of,
        n_ties=ties,
        n_models=models,
        n_benchmarks_run=run,
        criteria=rule,
        expected_wins=decided / models,
        pvalue_named=named_chance,
        pvalue_any=any_,
        pvalue_counted=chance_of_any(wins, of, models),
        pvalue_picked=picked,
        pvalue_rival=rival,
        pvalue_bounds=bounds,
        verdict=judge_bounds(named_chance, float(bounds.high), rule.alpha),
        n_wins_needed=fewest_wins(of, models, rule.alpha),
        picked_turn=None if turn is None else turn + ties,
        ties_turn=None if first == 0 else first,
    )
