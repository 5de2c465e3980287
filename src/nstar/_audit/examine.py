"""``audit``: which statements of a leaderboard does its benchmark support?"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nstar import stats
from nstar._audit.field import Field, field
from nstar._audit.parts import (
    Adjust,
    Family,
    Flip,
    ItemChoice,
    Pairs,
    Shortcut,
    Stability,
    Stress,
)
from nstar._audit.pvalues import pvalues
from nstar._audit.question import Question
from nstar._audit.ranking import ranking
from nstar._audit.result import Audit
from nstar._audit.stability import MOST_GROUPS, stability
from nstar._audit.stress import POLICIES, absent, fixed, middle, policies
from nstar._audit.survey import MOST_HELD, Survey, survey
from nstar._audit.table import Setting, describe
from nstar._audit.tiles import Progress, Tile, neighbours
from nstar._coverage.words import limits as limits_of
from nstar._findings import Finding
from nstar._gram import engine
from nstar._matrix import ScoreMatrix
from nstar._pairs import Design, Kind, PairStats, Panel, pair_stats, panel
from nstar._verdict import Criteria
from nstar.errors import DegenerateDataWarning, ParameterError

__all__ = ["audit", "examine", "in_full"]


def _fixed_designs(field: Field) -> Iterator[tuple[Kind, str | None]]:
    """Every reading of the groups that says something."""
    yield "items", None
    for column, grouping in field.matrix.groups.items():
        groups = np.unique(grouping.codes[field.items]).size
        if 1 < groups < len(field.items):
            yield "strata", column
            yield "cluster", column


def _fixed(seen: Survey, field: Field, ask: Question) -> Iterator[Stress]:
    """Fixed n under every reading of the groups."""
    m, k, rule = len(field.models), _top(ask, field), ask.criteria
    for kind, column in _fixed_designs(field):
        same = (kind, column) == (seen.panel.design.kind, seen.panel.design.column)
        one = seen.panel if same else panel(field.matrix, field.models, field.items, kind, column)
        name = one.design.name
        families: dict[Family, PairStats] = {"adjacent": neighbours(one), "top": _upper(one[:k])}
        if m <= MOST_HELD:
            families["all"] = _upper(one)
        for family, pairs in families.items():
            yield fixed(name, family, pairs, pvalues(pairs, one.design, seen.table), rule)
        if m <= MOST_HELD:
            continue
        if same:
            yield _counted(name, "", seen)
        else:
            why = f"not counted for more than {MOST_HELD} models unless declared"
            yield absent(name, "all", m * (m - 1) // 2, why)


def _upper(part: Panel) -> PairStats:
    return pair_stats(part, part).take(np.triu_indices(len(part), 1))


def _top(ask: Question, field: Field) -> int:
    return max(2, min(ask.top, len(field.models)))


def _counted(name: str, reading: str, seen: Survey) -> Stress:
    """All pairs, from what was counted tile by tile."""
    r, tally, df = seen.counting.rulers[reading], seen.tally, seen.freedom()
    return Stress(
        reading=name,
        family="all",
        pairs=tally.pairs,
        critical=middle(r.critical(df)),
        needed=middle(r.needed(df)),
        unresolved=tally.unresolved[reading],
        insignificant=tally.insignificant[reading],
    )


def _policies(seen: Survey, field: Field, ask: Question, adjacent: Tile) -> Iterator[Stress]:
    """Every policy for the number of comparisons, in each family, under the declared design."""
    rule, k = ask.criteria, _top(ask, field)
    yield from policies("adjacent", adjacent, rule, seen.stepped(adjacent, rule))
    best = seen.best(k)
    yield from policies("top", best, rule, seen.stepped_among(best, k, rule))
    if seen.held is not None:
        yield from policies("all", seen.held, rule, seen.step)
        return
    for reading in POLICIES:
        if reading in seen.counting.rulers:
            yield _counted(reading, reading, seen)
        else:
            yield absent(reading, "all", seen.tally.pairs, str(seen.step))


def _stability(field: Field, ask: Question, seen: Survey) -> Iterator[Stability]:
    needed = seen.counting.rulers[""].needed()
    for column, grouping in field.matrix.groups.items():
        groups = np.unique(grouping.codes[field.items]).size
        if 1 < groups <= min(MOST_GROUPS, len(field.items) - 1):
            grouped = panel(field.matrix, field.models, field.items, "cluster", column)
            yield stability(grouped, ask.kind if column == ask.column else "items", needed)


def _shortcut(pairs: Pairs, rule: Criteria) -> Shortcut:
    """What (1 - rho) K² / h² with one arm's variance would have made of these pairs."""
    none = Shortcut(flips=0, pairs=0, ratio=None)
    if pairs.n10 is None:
        return none
    usable = (pairs.delta != 0) & np.isfinite(pairs.rho) & (np.abs(pairs.rho) < 1)
    if not usable.any():
        return none
    n = stats.shortcut_n(
        pairs.mean_a[usable],
        pairs.mean_b[usable],
        pairs.rho[usable],
        alpha=rule.alpha,
        power=rule.power,
    )
    k = stats.k_factor(rule.alpha, rule.power)
    truth = np.square(k * pairs.sigma[usable] / pairs.delta[usable])
    items = pairs.n[usable]
    return Shortcut(
        flips=int(((items >= n) & (items < truth)).sum()),
        pairs=int(usable.sum()),
        ratio=float(np.median(n / truth)),
    )


def _flips(pairs: Pairs, field: Field) -> Iterator[Flip]:
    """Neighbours whose order is the other way on the items both have."""
    if field.complete:
        return
    for k in np.flatnonzero(field.better * pairs.delta < 0).tolist():
        yield Flip(
            a=pairs.a[k],
            b=pairs.b[k],
            own_a=float(field.means[k]),
            own_b=float(field.means[k + 1]),
            n=int(pairs.n[k]),
            delta=float(pairs.delta[k]),
        )


def _asked(seen: Survey, ask: Question, adjacent: Tile) -> Tile:
    """The pairs that are wanted in full."""
    k = ask.best
    if k is None or (k == 0 and ask.out is not None and seen.held is None):
        return adjacent
    if k > 0:
        return seen.best(min(k, len(seen.panel)))
    if seen.held is None:
        msg = (
            f"{seen.tally.pairs:,} pairs are too many to hold; write them to a directory (--out "
            "DIR), or ask for top:K"
        )
        raise ParameterError(msg)
    return seen.held


def _caution(design: Design) -> str | None:
    """What the kernel warns of when clusters are few or one of them is large."""
    if design.kind != "cluster":
        return None
    sizes = design.layout.sizes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDataWarning)
        stats.cluster_pvalue(np.zeros(len(sizes)), sizes)
    return str(caught[0].message) if caught else None


def _writer(about: Field, chosen: Panel, ask: Question) -> Callable[[Survey], None]:
    """What writes every pair; the directory is looked at first, before any work."""
    from nstar._audit.writing import open_parts, write_pairs  # noqa: PLC0415 loads pyarrow

    parts = open_parts(about, chosen.design.name, ask)
    return lambda seen: write_pairs(seen, about.names, parts, ask)


def examine(matrix: ScoreMatrix, models: Sequence[str] | None, ask: Question) -> Audit:
    """One task."""
    limits = limits_of(matrix)
    ask.check_gaps(limits)
    about = field(matrix, models, ask.items)
    rule = ask.criteria
    chosen = panel(matrix, about.models, about.items, ask.kind, ask.column)
    write = None if ask.out is None else _writer(about, chosen, ask)
    seen = survey(about, chosen, ask, limits[1] - limits[0])
    setting = Setting(
        names=about.names,
        design=chosen.design,
        criteria=rule,
        limits=limits,
        offset=chosen.block.offset,
        counting=seen.counting,
        delta0=ask.delta,
    )
    used = seen.adjust(ask.adjust)
    if write is not None:
        write(seen)
    adjacent = seen.adjacent()
    neighbouring = in_full(seen, adjacent, used, setting)
    asked = _asked(seen, ask, adjacent)
    return Audit(
        task=matrix.task,
        metric=matrix.metric,
        scale="binary" if chosen.block.binary else "graded",
        lower_is_better=matrix.lower_is_better,
        limits=limits,
        criteria=rule,
        conf=setting.conf,
        design=chosen.design.name,
        items=ask.items,
        n=len(about.items),
        n_left_out=about.left_out,
        complete=about.complete,
        adjust=used,
        adjust_why=None if used == ask.adjust else str(seen.step),
        rank_method="holm" if isinstance(seen.step, str) else "maxt",
        critical=seen.critical(),
        draws=None if isinstance(seen.step, str) else seen.step.draws,
        seed=ask.seed,
        delta0=ask.delta,
        margin=ask.margin,
        ranks=ranking(seen, about, rule.alpha, ask.seed),
        pairs=neighbouring if asked is adjacent else in_full(seen, asked, used, setting),
        pairs_asked=ask.pairs,
        adjacent=neighbouring,
        words=seen.tally.word_counts(),
        all_pairs=seen.tally.pairs,
        top=_top(ask, about),
        stress_rows=(*_fixed(seen, about, ask), *_policies(seen, about, ask, adjacent)),
        bins=seen.tally.bins(seen.counting.edges),
        correlation=seen.tally.correlation.spread(),
        saving=seen.tally.saving.spread(),
        shortcut=_shortcut(neighbouring, rule),
        stability=tuple(_stability(about, ask, seen)),
        flips=tuple(_flips(neighbouring, about)),
        caution=_caution(chosen.design),
        engine=engine.name(),
        matrix=matrix,
    )


def in_full(seen: Survey, tile: Tile, used: Adjust, setting: Setting) -> Pairs:
    return describe(tile, seen.adjusted(tile, used), setting)


def audit(  # noqa: PLR0913 one verb, one call
    matrix: ScoreMatrix,
    *,
    models: Sequence[str] | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    delta: float | None = None,
    margin: float | None = None,
    criteria: Criteria | None = None,
    adjust: Adjust = "maxt",
    pairs: str = "adjacent",
    items: ItemChoice = "pairwise",
    top: int = 10,
    draws: int | None = None,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
    out: str | None = None,
    findings: Sequence[Finding] = (),
) -> Audit:
    """Which statements of a leaderboard does its benchmark support?

    Parameters
    ----------
    matrix
        Models × items of one task.
    models
        Which of its models; all by default.
    strata, cluster
        Group column that says how items come about, at most one of the two. Strata define the
        benchmark (subjects); clusters are a sample (passages). Without either, items are
        independent and the stress table shows the other readings.
    delta
        Smallest gap of interest, declared before looking, in score units.
    margin
        Largest gap that does not matter, for equivalence, in score units.
    criteria
        Level and power; two-sided.
    adjust
        How verdicts allow for the number of pairs: ``maxt`` (step-down, family-wise; Holm where
        that cannot be had), ``holm``, ``bonferroni``, ``bh`` (false discoveries) or ``none``.
    pairs
        Pairs to list in full: ``adjacent``, ``top:K`` or ``all``.
    items
        ``pairwise``: each pair on the items both have; ``common``: items that all models have.
    top
        k of the top-k family in the stress table.
    draws, seed
        Draws of max-T and their seed.
    workers
        Threads; 0 for as many as processors. Results do not depend on it.
    progress
        Called with pairs done and pairs in all.
    out
        Directory to write every pair to, as a Parquet dataset with a manifest. A run that was
        stopped goes on where it was.
    findings
        What was found when the logs were read, to be told with the result.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = rng.random((3, 900)) < [[0.8], [0.79], [0.6]]
    >>> found = audit(ScoreMatrix.from_arrays(scores, models=["a", "b", "c"]))
    >>> found.ranks.rank_lo.tolist(), found.ranks.rank_hi.tolist(), found.ranks.tier.tolist()
    ([1, 1, 3], [2, 2, 3], [1, 1, 2])
    """
    ask = Question(
        strata=strata,
        cluster=cluster,
        delta=delta,
        margin=margin,
        criteria=criteria or Criteria(),
        adjust=adjust,
        pairs=pairs,
        items=items,
        top=top,
        draws=draws,
        seed=seed,
        workers=workers,
        progress=progress,
        out=out,
    )
    return replace(examine(matrix, models, ask), findings=tuple(findings))
