"""``audit``: which statements of a leaderboard does its benchmark support; with what cautions?"""

import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nstar import stats
from nstar._base.parameter_types import Adjust
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram import popcount
from nstar._engine.pairs import ItemDesign, panel
from nstar._engine.work import Execution, WorkerPool, one_thread
from nstar._verbs.audit.checkpoint import CheckpointStore, audit_fingerprint
from nstar._verbs.audit.pair_analysis import MOST_HELD, PairAnalysis, analyze_pairs
from nstar._verbs.audit.pairs import PairSetting, describe
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.ranking import ranking
from nstar._verbs.audit.result import TaskAudit
from nstar._verbs.audit.selection import AuditedModels, select_models
from nstar._verbs.audit.sensitivity import stress_rows, top
from nstar._verbs.audit.stability import stabilities
from nstar._verbs.audit.tables import NO_PAIRS, OrderFlip, PairTable, ShortcutCheck
from nstar._verbs.audit.tile_grid import TileGrid
from nstar._verbs.audit.tiles import Tile
from nstar._verbs.data_summary.finding_text import limits as limits_of
from nstar._verbs.verdict import Criteria
from nstar.errors import DegenerateDataWarning, ParameterError, arg


def _shortcut(pairs: PairTable, rule: Criteria) -> ShortcutCheck:
    """What (1 - rho) K² / h² with one arm's variance would have made of these pairs."""
    none = ShortcutCheck(n_false_resolved=0, n_pairs=0, ratio=None)
    if pairs.n10 is None:
        return none
    usable = (pairs.gap != 0) & np.isfinite(pairs.rho) & (np.abs(pairs.rho) < 1)
    if not usable.any():
        return none
    n = stats.shortcut_n(
        pairs.mean_a[usable],
        pairs.mean_b[usable],
        pairs.rho[usable],
        alpha=rule.alpha,
        power=rule.power,
    )
    truth = pairs.n_star[usable]
    items = pairs.n_items[usable]
    return ShortcutCheck(
        n_false_resolved=int(((items >= n) & (items < truth)).sum()),
        n_pairs=int(usable.sum()),
        ratio=float(np.median(n / truth)),
    )


def _flips(pairs: PairTable, field: AuditedModels) -> Iterator[OrderFlip]:
    """Neighbors whose order is the other way on the items both have."""
    if field.complete:
        return
    for k in np.flatnonzero(field.better * pairs.gap < 0).tolist():
        yield OrderFlip(
            model_a=pairs.model_a[k],
            model_b=pairs.model_b[k],
            own_mean_a=float(field.means[k]),
            own_mean_b=float(field.means[k + 1]),
            n_items=int(pairs.n_items[k]),
            gap=float(pairs.gap[k]),
        )


def _caution(design: ItemDesign) -> str | None:
    """What the kernel warns of when clusters are few or one of them is large."""
    if design.kind != "cluster":
        return None
    sizes = design.layout.sizes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDataWarning)
        stats.cluster_pvalue(np.zeros(len(sizes)), sizes)
    return str(caught[0].message) if caught else None


def _refuse_many(ask: AuditQuestion, models: int, out: str | None) -> None:
    """More pairs in full than memory should hold; refused before work starts."""
    wanted = ask.best
    if wanted is None or (wanted == 0 and out is not None):
        return
    count = models if wanted == 0 else min(wanted, models)
    if count > MOST_HELD:
        msg = (
            f"{count * (count - 1) // 2:,} pairs are too many to list; write them to a directory "
            f"({arg('out', 'DIR')}), or ask for top:{MOST_HELD} at most"
        )
        raise ParameterError(msg)


def _asked(seen: PairAnalysis, ask: AuditQuestion) -> Tile | None:
    """The pairs that are wanted in full beside the neighbors."""
    k = ask.best
    if k is None or (k == 0 and seen.held is None):
        return None
    return seen.best(min(k, len(seen.panel)) or len(seen.panel))


def _writer(
    about: AuditedModels, mosaic: TileGrid, ask: AuditQuestion, out: str
) -> Callable[[PairAnalysis], None]:
    """What writes every pair; the directory is checked before work starts."""
    from nstar._verbs.audit.write_pairs import open_parts, write_pairs  # noqa: PLC0415 loads pyarrow

    parts = open_parts(about, mosaic.panel.design.name, ask, out)
    return lambda seen: write_pairs(seen, mosaic, about.names, parts, ask)


def _kept(about: AuditedModels, design: str, ask: AuditQuestion, work: str) -> CheckpointStore:
    """Where counts are kept while they grow."""
    from nstar._data.export.audit_folders import Checkpoints  # noqa: PLC0415

    return Checkpoints(work, audit_fingerprint(about, design, ask))


def examine(
    matrix: ScoreMatrix,
    models: Sequence[str] | None,
    ask: AuditQuestion,
    how: Execution,
    crew: WorkerPool,
) -> TaskAudit:
    """One task; threads are ours, so BLAS gets one each."""
    with one_thread():
        return _examined(matrix, models, ask, how, crew)


def _examined(
    matrix: ScoreMatrix,
    models: Sequence[str] | None,
    ask: AuditQuestion,
    how: Execution,
    crew: WorkerPool,
) -> TaskAudit:
    ask.check_gaps(limits_of(matrix))
    matrix, values = matrix.as_binary() or (matrix, (0.0, 1.0))
    ask = ask.in_units_of(values[1] - values[0])
    limits = limits_of(matrix)
    about = select_models(matrix, models, ask.items)
    rule = ask.criteria
    _refuse_many(ask, len(about.names), how.out)
    chosen = panel(matrix, about.models, about.items, ask.kind, ask.column)
    mosaic = TileGrid(chosen, crew, how.progress, how.memory)
    write = None if how.out is None else _writer(about, mosaic, ask, how.out)
    kept = None if how.work is None else _kept(about, chosen.design.name, ask, how.work)
    seen = analyze_pairs(about, mosaic, ask, limits[1] - limits[0], kept)
    setting = PairSetting(
        names=about.names,
        design=chosen.design,
        criteria=rule,
        limits=limits,
        offset=chosen.block.offset,
        counting=seen.counting,
        delta=ask.delta,
    )
    used = seen.adjust(ask.adjust)
    if write is not None:
        write(seen)
    adjacent = seen.adjacent()
    neighboring = in_full(seen, adjacent, used, setting)
    asked = _asked(seen, ask)
    weighed = chosen.design.effective is not None  # weighted scores say nothing of pairing
    return TaskAudit(
        task=matrix.task,
        metric=matrix.metric,
        is_binary=chosen.block.binary,
        lower_is_better=matrix.lower_is_better,
        score_range=limits,
        binary_values=values,
        criteria=rule,
        confidence_level=setting.conf,
        design=chosen.design.name,
        item_set=ask.items,
        n_items=len(about.items),
        n_items_left_out=about.left_out,
        is_complete=about.complete,
        adjust=used,
        adjust_reason=None if used == ask.adjust else str(seen.step),
        rank_method=seen.rank_method,
        critical_value=seen.critical(),
        interval_alpha=seen.counting.interval,
        n_draws=seen.drawn,
        seed=ask.seed,
        delta=ask.delta,
        margin=ask.margin,
        ranking=ranking(seen, about, limits, rule.alpha, ask.seed, crew=crew),
        pairs=NO_PAIRS if asked is None else in_full(seen, asked, used, setting),
        pairs_requested=ask.pairs,
        adjacent=neighboring,
        verdict_counts=seen.tally.verdict_counts(),
        n_underpowered=seen.tally.underpowered,
        n_pairs=seen.tally.pairs,
        n_top=top(ask, about),
        sensitivity=stress_rows(seen, about, ask, adjacent),
        gap_bins=seen.tally.bins(seen.counting.edges),
        rho=None if weighed else seen.tally.correlation.spread(),
        pairing_gain=None if weighed else seen.tally.saving.spread(),
        shortcut_check=_shortcut(neighboring, rule),
        leave_one_group_out=tuple(stabilities(about, ask, seen.counting.rulers[""])),
        order_flips=tuple(_flips(neighboring, about)),
        n_groups=about.groups,
        n_effective=chosen.design.effective,
        caution=_caution(chosen.design),
        engine=popcount.name(),
        matrix=matrix,
        columns=about.items if about.left_out else None,
        survey=seen,
    )


def in_full(seen: PairAnalysis, tile: Tile, used: Adjust, setting: PairSetting) -> PairTable:
    """Some pairs of a survey, with every number."""
    return describe(tile, seen.adjusted(tile, used), setting)
