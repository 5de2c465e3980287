"""Run an audit: compute the conclusions about a leaderboard that its benchmark supports."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nstar import stats
from nstar._base.parameter_types import Adjust
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram import popcount
from nstar._engine.pairs import panel
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
from nstar.errors import ParameterError, arg
from nstar.stats.cluster import caution


def _shortcut(pairs: PairTable, rule: Criteria) -> ShortcutCheck:
    """Return the sample sizes of the one-arm shortcut, (1 - rho) K² / h², for these pairs."""
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


def _order_flips(pairs: PairTable, field: AuditedModels) -> Iterator[OrderFlip]:
    """Yield the adjacent models whose order is reversed on their shared items."""
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


def _refuse_many(question: AuditQuestion, models: int, out: str | None) -> None:
    """Raise an error before work starts if the requested pairs need too much memory."""
    n_best = question.best
    if n_best is None or (n_best == 0 and out is not None):
        return
    count = models if n_best == 0 else min(n_best, models)
    if count > MOST_HELD:
        msg = (
            f"{count * (count - 1) // 2:,} pairs are too many to list. Write them with "
            f"{arg('out', 'DIR')}, or list top:{MOST_HELD}."
        )
        raise ParameterError(msg)


def _requested_pairs(analysis: PairAnalysis, question: AuditQuestion) -> Tile | None:
    """Return the requested pairs in addition to adjacent ones, or None."""
    k = question.best
    if k is None or (k == 0 and analysis.held is None):
        return None
    return analysis.best(min(k, len(analysis.panel)) or len(analysis.panel))


def _writer(
    selection: AuditedModels, grid: TileGrid, question: AuditQuestion, out: str
) -> Callable[[PairAnalysis], None]:
    """Return the writer of all pairs, after checking the directory."""
    from nstar._verbs.audit.write_pairs import open_parts, write_pairs  # noqa: PLC0415 loads pyarrow

    parts = open_parts(selection, grid.panel.design.name, question, out)
    return lambda analysis: write_pairs(analysis, grid, selection.names, parts, question)


def _checkpoint_store(
    selection: AuditedModels, design: str, question: AuditQuestion, work: str
) -> CheckpointStore:
    """Return the store of intermediate counts."""
    from nstar._data.export.audit_folders import Checkpoints  # noqa: PLC0415

    return Checkpoints(work, audit_fingerprint(selection, design, question))


def examine(
    matrix: ScoreMatrix,
    models: Sequence[str] | None,
    question: AuditQuestion,
    execution: Execution,
    workers: WorkerPool,
) -> TaskAudit:
    """Audit one task, with one BLAS thread per worker thread."""
    with one_thread():
        return _examined(matrix, models, question, execution, workers)


def _examined(
    matrix: ScoreMatrix,
    models: Sequence[str] | None,
    question: AuditQuestion,
    execution: Execution,
    workers: WorkerPool,
) -> TaskAudit:
    question.check_gaps(limits_of(matrix))
    matrix, values = matrix.as_binary() or (matrix, (0.0, 1.0))
    question = question.in_units_of(values[1] - values[0])
    limits = limits_of(matrix)
    selection = select_models(matrix, models, question.items)
    rule = question.criteria
    _refuse_many(question, len(selection.names), execution.out)
    chosen = panel(matrix, selection.models, selection.items, question.kind, question.column)
    grid = TileGrid(chosen, workers, execution.progress, execution.memory)
    write = None if execution.out is None else _writer(selection, grid, question, execution.out)
    checkpoints = (
        None
        if execution.work is None
        else _checkpoint_store(selection, chosen.design.name, question, execution.work)
    )
    analysis = analyze_pairs(selection, grid, question, limits[1] - limits[0], checkpoints)
    setting = PairSetting(
        names=selection.names,
        design=chosen.design,
        criteria=rule,
        limits=limits,
        offset=chosen.block.offset,
        counting=analysis.counting,
        delta=question.delta,
    )
    used = analysis.adjust(question.adjust)
    if write is not None:
        write(analysis)
    adjacent = analysis.adjacent()
    neighboring = in_full(analysis, adjacent, used, setting)
    tile = _requested_pairs(analysis, question)
    weighed = chosen.design.effective is not None  # weighting hides the pairing gain
    sizes = chosen.design.layout.sizes
    return TaskAudit(
        task=matrix.task,
        metric=matrix.metric,
        statistic=None if matrix.correction is None else matrix.correction.statistic,
        is_binary=chosen.block.binary,
        lower_is_better=matrix.lower_is_better,
        score_range=limits,
        binary_values=values,
        criteria=rule,
        confidence_level=setting.conf,
        design=chosen.design.name,
        item_set=question.items,
        n_items=len(selection.items),
        n_items_left_out=selection.left_out,
        is_complete=selection.complete,
        adjust=used,
        adjust_reason=None if used == question.adjust else str(analysis.step),
        rank_method=analysis.rank_method,
        critical_value=analysis.critical(),
        interval_alpha=analysis.counting.interval,
        n_draws=analysis.drawn,
        seed=question.seed,
        delta=question.delta,
        margin=question.margin,
        ranking=ranking(
            analysis,
            selection,
            limits,
            rule.alpha,
            question.seed,
            simulate_marginal=question.unit == "item" and not question.ranks_only,
            workers=workers,
        ),
        pairs=NO_PAIRS if tile is None else in_full(analysis, tile, used, setting),
        pairs_requested=question.pairs,
        adjacent=neighboring,
        verdict_counts=analysis.tally.verdict_counts(),
        n_underpowered=analysis.tally.underpowered,
        n_pairs=analysis.tally.pairs,
        n_top=top(question, selection),
        sensitivity=()
        if question.unit == "task" or question.ranks_only
        else stress_rows(analysis, selection, question, adjacent),
        gap_bins=analysis.tally.bins(analysis.counting.edges),
        rho=None if weighed else analysis.tally.correlation.spread(),
        pairing_gain=None if weighed else analysis.tally.saving.spread(),
        shortcut_check=_shortcut(neighboring, rule),
        leave_one_group_out=()
        if question.ranks_only
        else tuple(stabilities(selection, question, analysis.counting.rulers[""])),
        order_flips=tuple(_order_flips(neighboring, selection)),
        n_groups=selection.groups,
        n_effective=chosen.design.effective,
        caution=None
        if chosen.design.kind != "cluster"
        else caution(sizes, stats.bell_mccaffrey_df(sizes)),
        engine=popcount.name(),
        matrix=matrix,
        columns=selection.items if selection.left_out else None,
        survey=analysis,
    )


def in_full(analysis: PairAnalysis, tile: Tile, used: Adjust, setting: PairSetting) -> PairTable:
    """Return some pairs of an analysis, with all statistics."""
    return describe(tile, analysis.adjusted(tile, used), setting)
