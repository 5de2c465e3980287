"""Page of an audit: the finding, the ladder, all models, and details."""

from collections.abc import Iterator
from dataclasses import replace
from html import escape

from nstar._base.units import join_words
from nstar._verbs.audit import Audit
from nstar._verbs.board_changes import BoardChanges
from nstar._verbs.verdict import ABSURD
from nstar.report import document
from nstar.report.page._document import shell
from nstar.report.page._ladder import audit_view, ladder
from nstar.report.page._markup import (
    as_run,
    callout,
    closing,
    fold,
    footer,
    header,
    listing,
    section,
    tables,
)
from nstar.report.page._models_table import NAME, VERDICT, ModelColumn, ModelRow, models_table
from nstar.report.page._ranking_data import deck
from nstar.report.prose.audit import change_words
from nstar.report.prose.audit.assumptions import METHODS
from nstar.report.prose.audit.ranking import Ranking, rank_set, ranking_of
from nstar.report.prose.audit.tables import interval_header, pair_cells
from nstar.report.prose.audit.task_sample import MEASURES
from nstar.report.prose.board_changes import (
    ChangeWords,
    change_notes,
    change_sentences,
    change_tables,
)
from nstar.report.prose.comparison.headline import MAX_FACTOR, rounded
from nstar.report.prose.gap import page_units
from nstar.report.prose.numbers import items, name, percent

__all__ = [
    "MAX_DOTS",
    "SCRIPTS",
    "below",
    "body",
    "changes_section",
    "facts",
    "model_cells",
    "model_columns",
    "needed",
    "page",
    "table_caption",
]

SCRIPTS = (
    *("dom.js", "numbers.js", "detection.js", "unpack.js", "board.js", "judge.js", "pairs.js"),
    *("verdicts.js", "draw.js", "rules_panel.js", "said.js", "ladder.js", "link.js"),
    *(
        "models_table.js",
        "ranking_table.js",
        "pair_panel.js",
        "pair_items.js",
        "pair_table.js",
        "report.js",
    ),
)
"""Scripts in the order of their dependencies."""

MAX_DOTS = 60
"""Adjacent pairs up to which each has a mark at the top."""
_STATIC = (
    "This page shows the audit as it was run. To change settings or compare any two models, "
    "enable JavaScript."
)


def _about(result: Audit) -> str:
    """What was audited, in bold above the title."""
    if result.average is not None:
        return f"{result.average.capitalize()} average of {len(result.tasks):,} tasks"
    if result.task_sample is not None:
        return f"Tasks as a sample, by {MEASURES[result.task_sample.rank_by]}"
    return name(result.task) or "Audit"


def facts(result: Audit) -> Iterator[str]:
    """Yield how many models, items, and pairs there are."""
    m = len(result)
    yield f"{m:,} models"
    if result.task_sample is not None:
        yield f"{len(result.task_sample.tasks):,} tasks"
    elif len(result.tasks) == 1:
        yield f"{'' if result.is_complete else 'up to '}{items(result.n_items)}"
    yield f"{m * (m - 1) // 2:,} pairs"


def _rules(result: Audit) -> str:
    c = result.criteria
    return f"α = {c.alpha:g}, {percent(c.power)} power, {METHODS[result.adjust]}"


def needed(n_more: float, current: float) -> str:
    """Return the total items that a gap needs, as a cell.

    Examples
    --------
    >>> needed(0, 12032), needed(41000, 12032), needed(1e6, 12032)
    ('enough', '53,000', 'over 10×')
    """
    if n_more == 0:
        return "enough"
    if not n_more <= min((MAX_FACTOR - 1) * current, ABSURD):
        return f"over {MAX_FACTOR}×"
    return rounded(current + n_more)


def model_columns(ranking: Ranking) -> tuple[ModelColumn, ...]:
    """Return the columns of :func:`model_row`."""
    pp, percent_ = page_units(ranking.scale)
    interval = interval_header(ranking.conf, adjusted=ranking.adjusted)
    interval = f"{interval[0].upper()}{interval[1:]}"
    return (
        *(ModelColumn("Rank"), NAME, ModelColumn(f"Score{percent_}")),
        *(ModelColumn("Rank range", "wide"), ModelColumn("Tier", "wide num")),
        *(
            ModelColumn(f"Gap to next{pp}", "wide num"),
            ModelColumn(interval, "wide"),
            VERDICT,
        ),
        ModelColumn(f"{ranking.noun.capitalize()} needed", "wide num"),
    )


def model_cells(ranking: Ranking, i: int) -> list[str]:
    """Return the texts of a model, without its name and the verdict."""
    r, p = ranking.ranks, ranking.adjacent
    texts = [f"{r.rank[i]:,}", ranking.mean(i), rank_set(r, i), f"{r.tier[i]:,}"]
    if i >= len(p):
        return [*texts, "", "", ""]
    value, interval, *_ = pair_cells(p, i, ranking.scale, draws=ranking.draws)
    n_needed = needed(float(p.more_items[i]), float(p.n_items[i]))
    return [*texts, value, interval, n_needed]


def _rows(ranking: Ranking) -> Iterator[ModelRow]:
    r, states, fewer = ranking.ranks, ranking.adjacent.states, ranking.fewer()
    for i in range(len(r)):
        is_marked = i == ranking.highlight
        model = f"{'→ ' * is_marked}{name(r.model[i])}{' †' * (i in fewer)}"
        rank, *others = map(escape, model_cells(ranking, i))
        yield ModelRow(
            cells=(rank, escape(model), *others),
            state=states[i] if i < len(states) else None,
            starts_tier=i > 0 and bool(r.tier[i] != r.tier[i - 1]),
            is_marked=is_marked,
        )


def table_caption(tiers: int, needed_column: str = "items needed") -> str:
    """Return what lines and columns of a table of models mean."""
    lines = "Lines separate the tiers. " if tiers > 1 else ""
    return (
        f"{lines}Gap, CI, verdict and {needed_column} compare a model with the next one in rank."
    )


def below(ranking: Ranking) -> Iterator[str]:
    """Return what the cells of the table leave unsaid."""
    r, fewer = ranking.ranks, sorted(ranking.fewer())
    if fewer:
        fewer_texts = [f"{name(r.model[i])} {r.n_items[i]:,}" for i in fewer]
        rest = [f"{len(fewer_texts) - 5:,} more"] if len(fewer_texts) > 5 else []
        yield f"† Fewer {ranking.noun} than other models: {join_words([*fewer_texts[:5], *rest])}."
    if ranking.adjacent.delta is None:
        goal = "the true gap equals the observed one"
    else:
        goal = "the true gap is the declared one"
    yield (
        f"{ranking.noun.capitalize()} needed: the size of a new evaluation that detects the gap "
        f"if {goal}. "
        f"“over {MAX_FACTOR}×” means over {MAX_FACTOR} times the current {ranking.noun}."
    )


def changes_section(changes: BoardChanges | None, words: ChangeWords) -> str:
    """Return what changed since an older snapshot; empty without one."""
    if changes is None:
        return ""
    title, *sentences = change_sentences(changes, words)
    parts = [f'<p class="prose"><b>{escape(title)}</b> {escape(" ".join(sentences))}</p>']
    return section(
        "changes",
        "What changed",
        *parts,
        tables(change_tables(changes, words)),
        listing(change_notes(changes, words)),
    )


def body(result: Audit, *, where: str | None = None) -> str:
    """Return the parts that are readable without a script, and places for the others."""
    doc = document(replace(result, changes=None), paragraph=True, where=where)
    ranking = ranking_of(result, where)
    others = "Tasks" if len(result.tasks) > 1 else "Sensitivity analysis"
    is_live = result.task_sample is None
    if not is_live:
        others = "Ranks by measure"
    states = ranking.adjacent.states if len(ranking.adjacent) <= MAX_DOTS else ()
    caption = table_caption(ranking.tiers, f"{ranking.noun} needed")
    models = models_table(model_columns(ranking), _rows(ranking), caption)
    notes = "".join(f'<p class="remark">{escape(text)}</p>' for text in below(ranking))
    return "\n".join(
        (
            '<a class="skip" href="#ranking">Skip to the ranking</a>',
            header(_about(result), doc, facts(result), states),
            "<main>",
            callout(doc.caution),
            changes_section(result.changes, change_words(result)) if result.changes else "",
            f'<p class="remark" id="without-script">{_STATIC}</p>' if is_live else "",
            section("ranks", "Which ranks are supported", ladder(audit_view(result, where))),
            section("ranking", "All models", models, notes),
            *((section("pair", "Compare two models", live=True),) if is_live else ()),
            *closing(
                doc,
                *(_live_folds(result) if is_live else ()),
                fold("readings", others, as_run(), tables(doc.grids[1:])),
            ),
            "</main>",
            footer(live=is_live),
        )
    )


def _live_folds(result: Audit) -> Iterator[str]:
    """Yield the parts that a script fills from the statistics of all pairs."""
    yield fold("rules", "Settings", aside=_rules(result), live=True)
    yield fold("pairs", "All pairs", live=True)


def page(result: Audit, *, where: str | None = None) -> str:
    """Return the complete file."""
    doc = document(result, where=where)
    if result.task_sample is not None:  # settings would need the sign flips
        return shell(
            title=f"{doc.title} · nstar audit",
            body=body(result, where=where),
            scripts=("dom.js", "models_table.js"),
        )
    return shell(
        title=f"{doc.title} · nstar audit",
        body=body(result, where=where),
        data=deck(result, where),
        scripts=SCRIPTS,
    )
