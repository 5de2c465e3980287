"""Votes: do intervals hold gaps, rank sets all true ranks, and do equal models stay untold?"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nstar import stats
from nstar._base.parameter_types import TiesAs
from nstar._base.types import Array, BoolArray
from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate
from nstar._verbs.simulate.stream import generator, key
from nstar.errors import DataError
from validation.boards import DRAWS, missed
from validation.distributions import ALPHA, CONF
from validation.promise import (
    CLAIMS,
    CellRate,
    CellRole,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)
from validation.vote_generator import VoteGenerator

GROUP = "Votes"

LADDER = np.repeat(np.linspace(0.6, -0.6, 5), 2)
"""Strengths of ten models in five steps, in log odds: 52 Elo points of decisive votes each."""
_LONG = np.repeat(np.linspace(0.6, -0.6, 5), 5)
_HUNDRED_MODELS = np.repeat(np.linspace(0.6, -0.6, 5), 20)
_STRONG_NEWCOMER = np.append(np.zeros(9), np.log(10))
_LADDERS, _EQUALS, _MANY_MODELS_SHARE, _LOOKED = 0.2, 0.25, 0.2, 0.1
"""Boards of a cell, over those of a cell of scores: a board of votes takes longer, 20 looks at one
much longer."""
_MIN_BOARDS = 20
_FEW_MODELS = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteCell:
    """Votes of a kind, and how they are read."""

    name: str
    """What they are like."""
    ballots: VoteGenerator
    """How they come about."""
    ties_as: TiesAs = "half"
    """How ties are read."""
    declared: bool = True
    """Whether groups of votes are."""
    prior: float = 0.0
    """Weight of the prior."""

    @property
    def role(self) -> CellRole:
        """Whether this is what nstar does, offers or warns of."""
        if not self.declared:
            return "warning"
        return "default" if self.ties_as == "half" and not self.prior else "option"

    @property
    def setting(self) -> CellSetting:
        """For people."""
        b = self.ballots
        return {"models": b.models, "votes": b.votes, "kind": self.name}

    def called(self, name: str) -> str:
        """The procedure, and how it departs from the default."""
        suffix = "" if self.ties_as == "half" else f", {self.ties_as}"
        suffix += f", prior {self.prior:g}" if self.prior else ""
        return f"{name}{suffix}" if self.declared else f"{name}, prompts not declared"

    def question(self, board: int, planned: int | None = None) -> BattlesQuestion:
        """What is asked of a board."""
        cluster = self.ballots.cluster if self.declared else ()
        return BattlesQuestion(
            ties=self.ties_as,
            cluster=cluster,
            prior=self.prior,
            draws=DRAWS,
            seed=board,
            planned=planned,
        )

    def votes(self, seed: int, board: int) -> Votes:
        """A board, the same for every reading of the same votes."""
        b = self.ballots
        cell = key({"ballots": self.name, "strengths": b.strengths.tolist(), "votes": b.votes})
        board_votes = b.drawn(generator(seed, cell, board))
        return board_votes if self.declared else replace(board_votes, groups={})

    def rated(self, seed: int, boards: int) -> Iterator[Battles]:
        """What ``battles`` says of each board."""
        for k in range(boards):
            yield rate(self.votes(seed, k), self.question(k), Execution(workers=1))

    def equal(self) -> "VoteCell":
        """The same votes between models of equal strength."""
        b = self.ballots
        return replace(self, ballots=replace(b, strengths=np.zeros(b.models)))


def _kinds() -> Iterator[VoteCell]:
    """Every kind of votes, ladders all."""
    plain = VoteGenerator(strengths=LADDER)
    none, ties = "no ties", "35% ties"
    yield VoteCell(name=none, ballots=replace(plain, ties=0.0))
    yield VoteCell(name=ties, ballots=plain)
    yield VoteCell(name=ties, ballots=plain, ties_as="davidson")
    for prompts in (500, 100, 13):
        name, shared = f"{ties}, {prompts} prompts", replace(plain, prompts=prompts)
        yield VoteCell(name=name, ballots=shared)
        yield VoteCell(name=name, ballots=shared, declared=False)
    name = f"{ties}, 100 prompts"
    yield VoteCell(name=name, ballots=replace(plain, prompts=100), ties_as="davidson")
    yield VoteCell(name=f"{none}, 100 prompts", ballots=replace(plain, ties=0.0, prompts=100))
    for prompts, judges in ((500, 100), (100, 13)):
        name = f"{ties}, {prompts} prompts × {judges} judges"
        yield VoteCell(name=name, ballots=replace(plain, prompts=prompts, judges=judges))
    for often, votes in ((0.1, 37), (0.03, 11)):
        generator = replace(plain, newcomer=often)
        yield VoteCell(name=f"{ties}, a newcomer with {votes} votes", ballots=generator)
    yield VoteCell(name=f"{ties}, a cycle", ballots=replace(plain, cycle=0.5))
    yield VoteCell(name=f"{ties}, a cycle", ballots=replace(plain, cycle=0.5), ties_as="davidson")
    many = VoteGenerator(strengths=_LONG, votes=4000)
    yield VoteCell(name=none, ballots=replace(many, ties=0.0))
    yield VoteCell(name=ties, ballots=many)
    yield VoteCell(name=f"{ties}, 13 prompts", ballots=replace(many, prompts=13))
    yield from _unequal(plain)


def _unequal(plain: VoteGenerator) -> Iterator[VoteCell]:
    """Few or unequal groups, few votes on each model, unequal weights, a prior."""
    bare = replace(plain, ties=0.0)
    for judges in (20, 120):
        name = f"no ties, {judges} judges, one with half of the votes"
        yield VoteCell(name=name, ballots=replace(bare, judges=judges, dominant=0.5))
    yield VoteCell(
        name="no ties, 30 votes on each", ballots=replace(bare, strengths=_HUNDRED_MODELS)
    )
    yield VoteCell(name="no ties, log-normal weights", ballots=replace(bare, weight_spread=1.5))
    new = replace(plain, strengths=_STRONG_NEWCOMER, ties=0.9, newcomer=0.0325)
    yield VoteCell(name="90% ties, a newcomer with 12 votes", ballots=new)
    shared = replace(new, prompts=500)
    yield VoteCell(name="90% ties, 500 prompts, a newcomer with 12 votes", ballots=shared)
    sparse = replace(bare, strengths=np.repeat(np.linspace(1.1, -1.1, 5), 10), votes=1000)
    yield VoteCell(name="no ties, 40 votes on each", ballots=sparse, prior=1.0)


_SAMPLE = ("35% ties", "35% ties, 13 prompts")


def _cells(request: ValidationRequest) -> Iterator[VoteCell]:
    """All kinds, or a few."""
    for cell in _kinds():
        small = cell.name in _SAMPLE and cell.ties_as == "half"
        if request.effort.full or (small and cell.ballots.models == _FEW_MODELS):
            yield cell


def _boards(request: ValidationRequest, cell: VoteCell, share: float) -> int:
    has_many_models = cell.ballots.models > _FEW_MODELS
    return max(
        _MIN_BOARDS,
        round(
            request.effort.boards * min(share, _MANY_MODELS_SHARE if has_many_models else share)
        ),
    )


def told_apart(battles: Battles) -> bool:
    """Whether any two models are."""
    return battles.verdict_counts["inconclusive"] < battles.n_pairs


def intervals_cover(battles: Battles, truth: Array, conf: float = CONF) -> BoolArray:
    """Which intervals hold the gap between their two models, (M, M); truth in their order."""
    assert battles.strengths is not None  # noqa: S101 of a new board
    assert battles.covariance is not None  # noqa: S101
    df = np.full(len(battles), np.inf) if battles.ratings.df is None else battles.ratings.df
    v = np.diagonal(battles.covariance)
    se = np.sqrt(np.maximum(v[:, None] + v - 2 * battles.covariance, 0))
    off = battles.strengths - truth
    limit = np.asarray(stats.t_quantile((1 + conf) / 2, np.minimum(df[:, None], df)))
    return np.asarray(np.abs(off[:, None] - off) <= limit * se)


def _share(cell: VoteCell, battles: Battles, truth: Array) -> float:
    """Share of the pairs that are asked about whose interval holds their gap; NaN without any."""
    order = cell.ballots.index(battles.ratings.model)
    i, j = np.triu_indices(len(order), 1)
    if cell.ballots.newcomer < 1:
        new = cell.ballots.models - 1
        is_newcomer = (order[i] == new) | (order[j] == new)
        i, j = i[is_newcomer], j[is_newcomer]
    if not i.size:
        return np.nan
    return float(intervals_cover(battles, truth[order])[i, j].mean())


def _ladder(request: ValidationRequest, cell: VoteCell) -> list[CellRate]:
    """Intervals of all pairs, or of the newcomer's; all rank sets and tier lines at once."""
    truth = cell.ballots.truth(cell.ties_as)
    boards, right = _boards(request, cell, _LADDERS), np.zeros(2, np.int64)
    shares = []
    for battles in cell.rated(request.seed, boards):
        shares.append(_share(cell, battles, truth))
        false = missed(truth[cell.ballots.index(battles.ratings.model)], battles.ratings)
        right += [not f for f in false]
    known = np.array(shares)[np.isfinite(shares)]
    label = "interval of a gap" if cell.ballots.newcomer >= 1 else "interval of a newcomer's gap"
    intervals = CellRate(
        procedure=cell.called(label),
        setting=cell.setting,
        rate=float(known.mean()),
        promised=CONF,
        reps=known.size,
        spread=float(known.std(ddof=1)),
        role=cell.role,
    )
    ranks, lines = (
        replace(
            counted_reading(cell.called(name), cell.setting, int(n), boards, promised=CONF),
            role=cell.role,
        )
        for name, n in zip(("all rank sets", "all tier lines"), right, strict=True)
    )
    return [intervals, ranks, lines]


@CLAIMS.add(
    GROUP,
    "The 95% intervals of `battles` cover the gaps between models in at least 95% of pairs. "
    "Rank ranges contain all true ranks simultaneously in at least 95% of boards.",
    "at least",
    advice={
        "": "Declare the groups of votes. If there are few groups, collect votes on more.",
    },
)
def vote_ladders(request: ValidationRequest) -> Iterator[CheckJob]:
    """Unequal models, some of them equal; ties, groups, newcomers and cycles."""
    for cell in _cells(request):
        yield partial(_ladder, request, cell)


def _equal(request: ValidationRequest, cell: VoteCell) -> list[CellRate]:
    boards = _boards(request, cell, _EQUALS)
    n_distinct = sum(told_apart(battles) for battles in cell.rated(request.seed, boards))
    label = cell.called("any pair significant")
    reading = counted_reading(label, cell.setting, n_distinct, boards, promised=ALPHA)
    return [replace(reading, role=cell.role)]


@CLAIMS.add(
    GROUP,
    "For equal models, `battles` reports any significant gap in at most 5% of boards.",
    "at most",
    advice={
        "": "Declare the groups of votes. If there are few groups, collect votes on more.",
    },
)
def equal_votes(request: ValidationRequest) -> Iterator[CheckJob]:
    """Equal models: ties, groups, newcomers and cycles in which nobody is ahead."""
    for cell in _cells(request):
        yield partial(_equal, request, cell.equal())


def _told_at_once(battles: Battles) -> bool:
    """Whether some pair would be told apart if this look were the only one (Bonferroni)."""
    conf = 1 - ALPHA / max(battles.n_pairs, 1)
    return not bool(intervals_cover(battles, np.zeros(len(battles)), conf).all())


def looks_at(cell: VoteCell, looks: int, seed: int, board: int) -> tuple[bool, bool]:
    """Whether equal models are told apart at any look: as planned, and as if it were the last.

    A look that is refused, for too few votes or groups of them, tells nobody apart.
    """
    votes, planned, naive = cell.votes(seed, board), False, False
    n = len(votes)
    for n_seen in np.linspace(n / looks, n, looks).astype(int):
        part = votes.select(np.arange(n) < n_seen)
        try:
            battles = rate(part, cell.question(board, planned=n), Execution(workers=1))
        except DataError:
            continue
        planned |= told_apart(battles)
        naive |= _told_at_once(battles)
    return planned, naive


def _looks(request: ValidationRequest, cell: VoteCell, looks: int) -> list[CellRate]:
    boards = max(4, round(request.effort.boards * _LOOKED))
    outcomes = np.array([looks_at(cell, looks, request.seed, k) for k in range(boards)])
    setting: CellSetting = {**cell.setting, "looks": looks}
    planned, naive = (int(n) for n in outcomes.sum(axis=0))
    warned = counted_reading("each look as the last", setting, naive, boards, promised=ALPHA)
    return [
        counted_reading("battles --planned", setting, planned, boards, promised=ALPHA),
        replace(warned, role="warning"),
    ]


@CLAIMS.add(
    GROUP,
    "For equal models and a planned number of votes, `battles` reports a significant gap at "
    "any look in at most 5% of boards.",
    "at most",
    advice={"": "Start the looks later, when every model has dozens of votes."},
)
def vote_looks(request: ValidationRequest) -> Iterator[CheckJob]:
    """20 looks at votes that come in; the same, each taken for the only one, as a warning."""
    five = VoteGenerator(strengths=np.zeros(5), votes=2000)
    cells = [
        VoteCell(name="35% ties", ballots=five),
        VoteCell(name="no ties", ballots=replace(five, ties=0.0, strengths=np.zeros(10))),
        VoteCell(name="35% ties, 500 prompts", ballots=replace(five, prompts=500)),
    ]
    for cell in cells if request.effort.full else cells[:1]:
        yield partial(_looks, request, cell, 20)
