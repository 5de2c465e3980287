"""``nstar watch votes``: rate models, or compare two of them, while votes come in."""

from typing import Any, Unpack

from nstar._api.reading_words import TableWords
from nstar._base.parameter_types import (
    ColumnNames,
    Cost,
    Gap,
    GroupNames,
    ModelName,
    PriorWeight,
    Proportion,
    VoteCount,
    VoteFilter,
    VoteTable,
)
from nstar._base.verb import is_given, needs, together, verb
from nstar.cli.kit.front import front
from nstar.cli.watch import WatchScale, title_of
from nstar.cli.watch.logs import STDIN, holds, reader_options
from nstar.cli.watch.loop import Loop, LoopOutput, Outcome, follow
from nstar.errors import QuestionError, arg


@verb(together("a", "b"), needs("equivalence", "margin"))
def watch_votes(
    data: VoteTable,
    /,
    *,
    planned: VoteCount,
    a: ModelName | None = None,
    b: ModelName | None = None,
    only: VoteFilter = (),
    cluster: GroupNames | None = None,
    margin: Gap | None = None,
    equivalence: bool = False,
    prior: PriorWeight = 0.0,
    scale: WatchScale | None = None,
    psi: Proportion | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    price: Cost | None = None,
    groups: ColumnNames = (),
    loop: Loop,
    **reading: Unpack[TableWords],
) -> Outcome:
    """Monitor votes between models, and stop early.

    The models are rated again whenever the table contains more votes, and the rank ranges are
    valid at every look. With ``a`` and ``b``, only the votes between these two models are used.

    Parameters
    ----------
    data : str
        Table of votes, which can still be growing.
    planned : int
        Total number of votes planned, for a result that is valid at every look.
    a : str, optional
        Name of the first model, if the data contain several models.
    b : str, optional
        Name of the second model, if the data contain several models.
    only : VoteFilter, default ()
        Use only the votes with this value in a column, such as ``"source=crowd"``.
    cluster : GroupNames, optional
        Up to two columns of groups that are a random sample of a larger population, such as
        prompts.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp).
        Also stop once A is shown to be non-inferior at this margin.
    equivalence : bool, default False
        Stop once the models are shown to be equivalent within the margin.

    Other Parameters
    ----------------
    prior : float, default 0.0
        Weight of a prior tie that is added to each observed pair of models.
    scale : {"binary", "graded"}, optional
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
    psi : float, optional
        Share of votes between the two models that are not ties.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    price : float, optional
        Cost of one additional item or vote.
    groups : ColumnNames, default ()
        Additional column that groups the votes, for the sensitivity analysis.
    **reading
        How the table is read.
    """
    from nstar.cli.watch.votes import BoardSession, GrowingVotes, PairSession

    of_two = {"margin": margin, "scale": scale, "psi": psi, "price": price}
    _check_kind(a, b, of_two, {"cluster": cluster, "prior": prior or None})
    _check_votes(data, has_columns="columns" in reading)
    options = reader_options("watch votes", reading)
    title = title_of("watch votes", data)

    def table(screen: Any) -> GrowingVotes:
        columns = tuple(dict.fromkeys((*(cluster or ()), *groups)))
        return GrowingVotes(data, options, loop, screen, only=only, groups=columns)

    if a is None or b is None:
        from nstar._verbs.battles import BattlesQuestion
        from nstar._verbs.verdict import Criteria

        rating = BattlesQuestion(
            cluster=tuple(cluster or ()),
            prior=prior,
            planned=planned,
            criteria=Criteria(alpha=alpha, power=power),
        )
        board, status, error = follow(
            lambda screen: BoardSession(table(screen), rating, loop, screen),
            title,
            once=loop.once,
        )
        return Outcome(board.result, status, error)
    from nstar._api.inputs.gap_units import check_gap_on_scale
    from nstar._verbs.watch import WatchQuestion

    check_gap_on_scale("margin", margin, (0.0, 1.0))
    question = WatchQuestion(
        items=planned,
        alpha=alpha,
        margin=margin,
        equivalence=equivalence,
        scale=scale or "binary",
        psi=psi,
        power=power,
        models=(a, b),
        unit="votes",
    )
    pair, status, error = follow(
        lambda screen: PairSession(table(screen), question, loop, screen, price=price),
        title,
        once=loop.once,
    )
    result = pair.watch.result if pair.watch.n_items else None
    return Outcome(result, status, error, pair.asides())


def _check_kind(
    a: str | None, b: str | None, of_two: dict[str, Any], of_all: dict[str, Any]
) -> None:
    """Reject options that do not apply to two models, or to all models."""
    options_text = f"{arg('a')} and {arg('b')}"
    if a is not None and a == b:
        msg = f"{options_text} must be two different models; got {a} twice."
        raise QuestionError(msg)
    names = (name for name, value in (of_two if a is None else of_all).items() if is_given(value))
    for name in names:
        scope, fix = ("two", "Add") if a is None else ("all", "Remove")
        msg = f"{arg(name)} applies to votes on {scope} models. {fix} {options_text}."
        raise QuestionError(msg)


def _check_votes(path: str, *, has_columns: bool) -> None:
    """Reject a path that cannot be a growing table of votes."""
    from nstar._base.address import is_address, without_secrets

    if path == STDIN:
        msg = "Votes cannot be read from standard input. Pass a table."
        raise QuestionError(msg)
    if is_address(path):
        msg = (
            f"{without_secrets(path)} is not on this machine. Copy the table of votes to this "
            "machine first."
        )
        raise QuestionError(msg)
    if not has_columns and holds(path, "scores"):
        msg = f"{path} contains scores per item. Use nstar watch {path} --items N."
        raise QuestionError(msg)


watch_votes_command = front(
    watch_votes,
    examples=(
        "nstar watch votes votes.csv --planned 20000",
        "nstar watch votes votes.csv --a heron --b lark --planned 200",
    ),
    output=LoopOutput,
)
