"""``battles``: rate models from votes between them."""

from typing import TYPE_CHECKING, Any, Unpack

from nstar._api.reading_words import TableWords
from nstar._base.parameter_types import (
    Anchor,
    BestCount,
    ColumnNames,
    Covariates,
    GroupNames,
    OlderVotes,
    PriorWeight,
    Proportion,
    RankBy,
    Seed,
    TiesAs,
    VoteCount,
    VoteFilter,
    Votes,
)
from nstar._base.verb import needs, verb

if TYPE_CHECKING:
    from nstar._engine.work import Execution
    from nstar._verbs.battles import Battles


@verb(needs("top", "next"))
def battles(
    data: Votes,
    /,
    *,
    only: VoteFilter = (),
    ties: TiesAs = "half",
    cluster: GroupNames | None = None,
    control: Covariates | None = None,
    position: bool | None = None,
    prior: PriorWeight = 0.0,
    anchor: Anchor | None = None,
    since: OlderVotes = None,
    adjust: RankBy = "maxt",
    planned: VoteCount | None = None,
    next: VoteCount | None = None,  # noqa: A002
    top: BestCount | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    draws: int | None = None,
    seed: Seed = 0,
    execution: "Execution | None" = None,
    groups: ColumnNames = (),
    **reading: Unpack[TableWords],
) -> "Battles":
    """Rate models from pairwise votes.

    The report contains ratings, simultaneous rank ranges, and the number of votes that are still
    needed. Columns of prompts, judges, and sessions are detected automatically. A sensitivity
    analysis shows their effect, and ``cluster`` includes them in the analysis.

    Parameters
    ----------
    data : path, frame, mapping, or records
        Table of votes, with two models and a winner in each row. It can have the format of
        LMArena, FastChat, arena-hard, or AlpacaEval, or be any CSV, JSON Lines, or Parquet file.
    only : mapping or sequence of str, optional
        Use only the votes with this value in a column, such as ``"source=crowd"``. In Python, also
        a mapping such as ``{"source": "crowd"}``.
    ties : {"half", "davidson", "drop"}, default "half"
        Treatment of ties: count half a win for each model (half), model them (davidson), or drop
        them (drop).
        The scale of the ratings depends on this treatment.
    cluster : str or sequence of str, optional
        Up to two columns of groups that are a random sample of a larger population, such as
        prompts.
    control : str or sequence of str, optional
        Covariate for which the ratings are adjusted, such as length. A pair of columns has the
        form ``"COL_A:COL_B"``.
    planned : int, optional
        Total number of votes planned, for a result that is valid at every look.
    next : int, optional
        Also choose this many votes to collect next: pairs of models, and prompts if the data have
        their ids.
        The result reports how many votes on random pairs would decide as many gaps.
    top : int, optional
        Choose the next votes to separate this many best models from all others.
        By default, they decide as many adjacent ranks as possible.
    anchor : tuple of str and float, optional
        Fix the rating of one model at this value. By default, the mean of all rated models is
        1000.
    since : path, frame, mapping, Votes, or Battles, optional
        Report what changed since older votes: a table, or a result in JSON.
        Each changed rank range and verdict has its reason: other votes, or other rated models. A
        result in JSON has no votes, so its changes have no reasons.

    Other Parameters
    ----------------
    position : bool, optional
        Adjust for the order of the answers (default: only if the order is known).
    prior : float, default 0.0
        Weight of a prior tie that is added to each observed pair of models. All ratings are then
        finite. The weight is reduced if it would bias the ratings by more than their intervals
        allow.
    adjust : {"maxt", "holm"}, default "maxt"
        Method that adjusts for multiple comparisons.
    groups : str or sequence of str, default ()
        Additional column that groups the votes, for the sensitivity analysis.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    draws : int, optional
        Number of random draws for the max-T adjustment.
    seed : int, default 0
        Seed of the random number generator. It determines the random draws of the max-T
        adjustment and the next votes.
    execution : nstar.types.Execution, optional
        Threads or a cluster. The results do not depend on it.
    **reading
        Options for reading data; see :class:`nstar.types.TableWords`. ``columns`` can map the
        roles first, second, winner, score, prompt, judge, pair, session, weight, and probability.

    Returns
    -------
    Battles
        Ratings with rank ranges, gaps between adjacent models, groups of votes, the effect of
        position, and tests of fit; with ``next``, the votes to collect, and with ``since``, the
        changes.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Votes between models

    Examples
    --------
    >>> votes = [("x", "y", "model_a")] * 60 + [("x", "y", "model_b")] * 20
    >>> rows = [dict(zip(("model_a", "model_b", "winner"), v)) for v in votes]
    >>> result = battles(rows)
    >>> result.ratings.model, result.adjacent.elo.round().tolist(), result.adjacent.verdict
    (('x', 'y'), [191.0], ('significant',))
    """
    from dataclasses import replace

    from nstar._api.inputs.reading import names_in
    from nstar._api.inputs.votes import load_votes
    from nstar._base import checks
    from nstar._engine.work import Execution
    from nstar._verbs.battles import BattlesQuestion, rate
    from nstar._verbs.verdict import Criteria

    checks.instance("execution", execution, Execution, "a nstar.types.Execution")
    question = BattlesQuestion(
        ties=ties,
        cluster=names_in(cluster),
        control=names_in(control),
        position=position,
        prior=prior,
        anchor=anchor,
        adjust=adjust,
        planned=planned,
        next=next,
        top=top,
        criteria=Criteria(alpha=alpha, power=power),
        draws=draws,
        seed=seed,
    )
    group_names = tuple(dict.fromkeys((*question.cluster, *names_in(groups))))
    selection: Any = {
        "only": only,
        "groups": group_names,
        "covariates": question.control,
        **reading,
    }
    votes, execution = load_votes(data, **selection), execution or Execution()
    result = rate(votes, question, execution)
    if since is None:
        return result
    from nstar._api.inputs.since import vote_changes_since

    changes = vote_changes_since(since, votes, result, question, execution, **selection)
    return replace(result, changes=changes)
