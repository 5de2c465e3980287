"""Write the report of an Audit of several tasks: their average, and each task."""

from collections.abc import Iterator

from nstar._data.findings import abbreviate
from nstar._verbs.audit import Audit, TaskAudit
from nstar._verbs.audit.result import Averaged
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.audit.assumptions import (
    METHODS,
    direction,
    downwards,
    family,
    guarantees,
    intervals,
    second_look,
)
from nstar.report.prose.audit.headline import average_sentences
from nstar.report.prose.audit.notes import flips, later_steps, own_items, underpowered
from nstar.report.prose.audit.page_top import page_top
from nstar.report.prose.audit.ranking import Ranking, rank_set, ranking_of, shown_models
from nstar.report.prose.audit.tables import read_as, unadjusted_pairs
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, name, percent

_ACROSS = 6
"""Maximum number of tasks whose ranks are shown side by side."""
_ROWS = 200
"""Maximum number of tasks in the text. JSON contains all tasks."""

_COUNTS: dict[Averaged | None, str] = {
    "macro": "tasks count equally",
    "micro": "items count equally",
    "weighted": "tasks are weighted as declared",
}


def _task_name(board: Audit, audit: TaskAudit, limit: int = 32) -> str:
    task = name(audit.task, limit=limit) or "–"
    has_many_metrics = len({a.metric for a in board.tasks}) > 1
    return f"{task} [{name(audit.metric, limit=16)}]" if has_many_metrics else task


def _tasks(board: Audit) -> TextTable:
    rows = []
    for audit in board.tasks[:_ROWS]:
        one = ranking_of(audit)
        best = [k for k, low in enumerate(audit.ranking.rank_low) if low == 1]
        leader = name(audit.ranking.model[best[0]], limit=28) if best else ""
        rows.append(
            (
                _task_name(board, audit),
                percent(board.weights[audit.task], 1),
                count(len(audit)),
                count(audit.n_items),
                count(one.tiers),
                f"{int(audit.adjacent.is_resolved.sum()):,} of {len(audit.adjacent):,}",
                leader if len(best) == 1 else f"{len(best):,} models",
            )
        )
    hidden = len(board.tasks) - len(rows)
    overflow_text = f" ({hidden:,} more in {as_json()})" if hidden else ""
    return TextTable(
        title=f"Results by task{overflow_text}",
        header=(
            "task",
            "weight",
            "models",
            "items",
            "tiers",
            "resolved gaps",
            "could be best",
        ),
        rows=tuple(rows),
    )


def _sets(board: Audit, ranking: Ranking) -> TextTable | None:
    """Return the rank ranges of the models by task, if they fit side by side."""
    if len(board.tasks) > _ACROSS:
        return None
    sets = [
        {model: rank_set(audit.ranking, k) for k, model in enumerate(audit.ranking.model)}
        for audit in board.tasks
    ]
    models = [board.ranking.model[k] for k in shown_models(len(board), ranking.highlight)]
    return TextTable(
        title="Rank ranges by task",
        header=("model", *(_task_name(board, audit, 16) for audit in board.tasks)),
        rows=tuple((name(m, limit=36), *(of.get(m, "–") for of in sets)) for m in models),
        marked=None if ranking.where is None else models.index(ranking.where),
    )


def _notes(board: Audit, ranking: Ranking) -> Iterator[str]:
    if not all(a.is_complete for a in board.tasks):
        yield own_items(ranking)
    has_flips = any(a.order_flips for a in board.tasks)
    other_findings = [f for f in board.findings if not (has_flips and f.code == "order-flips")]
    yield from findings(other_findings, ("fatal", "warning"))
    if board.models_left_out:
        gone = abbreviate([name(m) for m in board.models_left_out], 5)
        n = len(board.models_left_out)
        count_ = "1 model has" if n == 1 else f"{n:,} models have"
        yield f"{count_} no average, because of a missing task: {gone}."
    for text in (ranking.astray(), ranking.needs()):
        if text is not None:
            yield text
    yield from underpowered(ranking, board.criteria.power)
    yield from later_steps(board, ranking)
    pairs_choice = board.tasks[0].pairs_requested
    also = (
        ""
        if pairs_choice == "adjacent"
        else f" The requested pairs ({pairs_choice}) of each task are in {as_json()}."
    )
    yield f"To see one task in detail, set {arg('tasks', 'NAME')}.{also}"
    if board.adjust_reason is not None:
        yield f"The adjustment method is {METHODS[board.adjust]} ({board.adjust_reason})."
    for audit in board.tasks:
        yield from (f"{_task_name(board, audit)}: {text}" for text in flips(audit))
    yield from findings(board.findings, ("note",))


def _assumptions(board: Audit, ranking: Ranking) -> tuple[str, ...]:
    up = direction(lower_is_better=board.tasks[0].lower_is_better)
    designs = ", ".join(dict.fromkeys(read_as(a.design) for a in board.tasks))
    c = board.criteria
    m = len(board)
    return (
        f"The average is over these tasks ({_COUNTS[board.average]}); its standard error reflects "
        "item sampling, not the choice of tasks.",
        f"Items are paired within each task ({designs}); tasks are independent; {up}.",
        f"{family(board, m * (m - 1) // 2)} CIs and tests use Student's t with Satterthwaite's "
        "degrees of freedom.",
        intervals(board),
        *guarantees(1 - c.alpha, method=board.rank_method, draws=board.n_draws, seed=board.seed),
        *second_look(ranking),
    )


def document(board: Audit, *, where: str | None = None) -> Document:
    """Return the report: headline, average ranking, tasks, and notes."""
    ranking = ranking_of(board, where)
    texts = average_sentences(board, ranking)
    title = (
        f"Ranking by {board.average} average ({_COUNTS[board.average]}), {coverage(ranking.conf)} "
        "rank ranges"
    )
    grids = (
        ranking.grid(title),
        _tasks(board),
        _sets(board, ranking),
        *unadjusted_pairs(board),
    )
    return Document(
        headline=" ".join(texts),
        opening=texts[0],
        **page_top(board, ranking),
        enough=ranking.needs() or "",
        key=(ranking.key(title),),
        grids=tuple(g for g in grids if g is not None),
        notes=tuple(_notes(board, ranking)),
        basis="items are paired within each task, and these tasks define the benchmark"
        f"{downwards(board.tasks[0])}; rank ranges and tiers hold simultaneously at "
        f"{coverage(ranking.conf)} ({METHODS[board.rank_method]}).",
        assumptions=_assumptions(board, ranking),
    )


def paragraph(board: Audit) -> str:
    """Return a paragraph for a paper."""
    c = board.criteria
    return (
        f"{len(board):,} models are ranked by the {board.average} average of {len(board.tasks):,} "
        f"tasks ({_COUNTS[board.average]}). Items were paired within each task, and the standard "
        "error of the average reflects item sampling, not the choice of tasks. Rank ranges and "
        f"tier lines hold simultaneously at {coverage(1 - c.alpha)} "
        f"({METHODS[board.rank_method]}). The ranking {ranking_of(board).supported()}. "
        "Inconclusive is not evidence of equality."
    )
