"""``battles``: votes between models, from whatever holds them."""

from collections.abc import Sequence
from typing import Any, Unpack

from nstar._api.criteria import criteria
from nstar._api.inputs.reading import names_in, refuse_unknown
from nstar._api.inputs.votes import Only, load_votes
from nstar._api.reading_words import TableWords
from nstar._base import checks
from nstar._engine.vote_sums import TiesAs
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate
from nstar._verbs.battles.question import RankBy


def battles(
    data: Any,
    /,
    *,
    only: Only = (),
    ties: TiesAs = "half",
    cluster: str | Sequence[str] | None = None,
    control: str | Sequence[str] | None = None,
    position: bool | None = None,
    prior: float = 0.0,
    anchor: tuple[str, float] | None = None,
    adjust: RankBy = "maxt",
    planned: int | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    draws: int | None = None,
    seed: int = 0,
    execution: Execution | None = None,
    groups: str | Sequence[str] = (),
    **reading: Unpack[TableWords],
) -> Battles:
    """Who is ahead, by votes between pairs of models, and which differences do the votes support?

    Parameters
    ----------
    data
        Votes: a frame, a mapping of columns or records with two models and a winner, or paths to
        tables of votes (LMArena, FastChat, arena-hard, AlpacaEval, or any table).
    only
        Only votes with these values: ``{"source": "crowd"}`` or ``["source=crowd"]``.
    ties
        ``half`` a win for each side, as arenas count them; ``davidson``: an outcome of their own;
        ``drop``: decisive votes only. The scale of the ratings depends on it.
    cluster
        Groups of votes that are a sample, one or two: ``"prompt"``, ``["prompt", "judge"]``.
        Without it votes are independent, and the other readings are shown beside.
    control
        What ratings are cleared of: ``"length"``, or a pair of columns ``"COL_A:COL_B"``.
    position
        Whether the advantage of the answer shown first is estimated; by default if the order is
        known.
    prior
        Weight of a tie that is added to each pair that met; keeps all ratings finite. A weight
        that would bias ratings by more than their intervals allow for is reduced.
    anchor
        A model and its rating; by default the mean of all rated models is 1000.
    adjust
        How ranks and verdicts allow for the number of pairs: ``maxt`` or ``holm``.
    planned
        Votes planned in all, if you look while they come in: the answer then holds at every look,
        and is sharpest at that number.
    alpha, power
        Level and wanted power; two-sided.
    draws, seed
        Draws of max-T and their seed.
    execution
        Workers or a cluster; see :class:`nstar.types.Execution`. No number depends on it.
    groups
        Other columns by which votes may belong together, to show what they would change.
    **reading
        How data are read; see :class:`nstar.types.TableWords`. Parts of a vote that ``columns``
        may name are first, second, winner, score, prompt, judge, pair, session and weight.

    Returns
    -------
    Battles
        Ratings with rank sets, neighbours, groups of votes, position, and lack of fit.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

    References
    ----------
    Methods: Votes

    Examples
    --------
    >>> votes = [("x", "y", "model_a")] * 60 + [("x", "y", "model_b")] * 20
    >>> rows = [dict(zip(("model_a", "model_b", "winner"), v)) for v in votes]
    >>> found = battles(rows)
    >>> found.ratings.name, found.adjacent.elo.round().tolist(), found.adjacent.verdict
    (('x', 'y'), [191.0], ('resolved',))
    """
    checks.instance("execution", execution, Execution, "a nstar.types.Execution")
    ask = BattlesQuestion(
        ties=ties,
        cluster=names_in(cluster),
        control=names_in(control),
        position=position,
        prior=prior,
        anchor=anchor,
        adjust=adjust,
        planned=planned,
        criteria=criteria(alpha, power),
        draws=draws,
        seed=seed,
    )
    refuse_unknown(reading, "battles", TableWords)
    kept = tuple(dict.fromkeys((*ask.cluster, *names_in(groups))))
    votes = load_votes(data, only=only, groups=kept, covariates=ask.control, **reading)
    return rate(votes, ask, execution or Execution())
