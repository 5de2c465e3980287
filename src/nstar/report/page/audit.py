"""Page of an audit: the finding, the ladder, all models, and details."""

from collections.abc import Iterator
from html import escape

from nstar._verbs.audit import Audit
from nstar._verbs.verdict import ABSURD
from nstar.report import document
from nstar.report.page._document import shell
from nstar.report.page._ladder import audit_view, ladder
from nstar.report.page._markup import (
    as_run,
    callout,
    chip,
    closing,
    fold,
    footer,
    header,
    section,
    tables,
)
from nstar.report.page._ranking_data import deck
from nstar.report.prose.audit.assumptions import METHODS
from nstar.report.prose.audit.ranking import Ranking, rank_set, ranking_of
from nstar.report.prose.audit.tables import interval_header, pair_cells
from nstar.report.prose.comparison.headline import MAX_FACTOR, rounded
from nstar.report.prose.gap import points
from nstar.report.prose.numbers import items, listed, name, percent

__all__ = ["SCRIPTS", "body", "models_table", "page"]

SCRIPTS = (
    *("dom.js", "numbers.js", "detection.js", "unpack.js", "board.js", "judge.js", "pairs.js"),
    *("draw.js", "rules_panel.js", "said.js", "ladder.js", "link.js", "ranking_table.js"),
    *("pair_panel.js", "pair_items.js", "pair_table.js", "report.js"),
)
"""Scripts in the order of their dependencies."""

_MAX_DOTS = 60
"""Adjacent pairs up to which each has a mark at the top."""
_STATIC = (
    "This page shows the audit as it was run. To change settings or compare any two models, "
    "enable JavaScript."
)


def _about(result: Audit) -> str:
    """What was audited, in bold above the title."""
    if result.average is not None:
        return f"{result.average.capitalize()} average of {len(result.tasks):,} tasks"
    return name(result.task) or "Audit"


def _facts(result: Audit) -> Iterator[str]:
    m = len(result)
    yield f"{m:,} models"
    if len(result.tasks) == 1:
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


def _cell(text: str, kind: str, label: str = "") -> str:
    label_attribute = f' data-label="{escape(label)}"' if label else ""
    return f'<td class="{kind}"{label_attribute}>{text}</td>'


def models_head(ranking: Ranking) -> tuple[str, ...]:
    """Names of the columns of :func:`models_table`."""
    pp, percent_ = (", pp", ", %") if points(ranking.scale) else ("", "")
    return (
        *("Rank", "Model", f"Score{percent_}", "Rank range", "Tier", f"Gap to next{pp}"),
        interval_header(ranking.conf, adjusted=ranking.adjusted).capitalize(),
        *("Verdict", "Items needed"),
    )


def _row(ranking: Ranking, i: int, head: tuple[str, ...]) -> str:
    """A model; what waits for a tap in narrow windows names its column."""
    r, p = ranking.ranks, ranking.adjacent
    is_highlighted = i == ranking.asked
    starts = i > 0 and r.tier[i] != r.tier[i - 1]
    kinds = " ".join(k for k, on in (("line", starts), ("asked", is_highlighted)) if on)
    fewer = "†" if i in ranking.fewer() else ""
    model = escape(f"{'→ ' * is_highlighted}{name(r.model[i])} {fewer}".rstrip())
    cells = [
        _cell(f"{r.rank[i]:,}", "num"),
        f'<th scope="row" class="wrap">{model}</th>',
        _cell(ranking.mean(i), "num"),
        _cell(rank_set(r, i), "wide", head[3]),
        _cell(f"{r.tier[i]:,}", "wide num", head[4]),
    ]
    if i < len(p):
        value, interval, *_ = pair_cells(p, i, ranking.scale, draws=ranking.draws)
        cells += [
            _cell(escape(value), "wide num", head[5]),
            _cell(escape(interval), "wide", head[6]),
            _cell(chip(p.states[i]), "verdict"),
            _cell(needed(float(p.more_items[i]), float(p.n_items[i])), "wide num", head[8]),
        ]
    else:
        cells += [_cell("", "wide")] * 2 + [_cell("", "verdict"), _cell("", "wide")]
    kind = f' class="{kinds}"' if kinds else ""
    return f'<tr data-model="{i}"{kind}>{"".join(cells)}</tr>'


_WORDED = ("Model", "Rank range", "Verdict")
_WAITING = (3, 4, 5, 6, 8)
"""Columns that narrow windows show after a tap."""


def models_table(ranking: Ranking) -> str:
    """All models with their gaps to the next; a line stands above the first one of a tier."""
    head = models_head(ranking)
    numbers = ["" if h in _WORDED or k == 6 else "num" for k, h in enumerate(head)]
    kinds = [f"wide {n}".rstrip() if k in _WAITING else n for k, n in enumerate(numbers)]
    kinds[7] = "verdict"
    heads = "".join(
        f'<th scope="col" class="{kind}">{escape(h)}</th>'
        for h, kind in zip(head, kinds, strict=True)
    )
    rows = "\n".join(_row(ranking, i, head) for i in range(len(ranking.ranks)))
    lines = "Lines separate the tiers. " if ranking.tiers > 1 else ""
    caption = (
        f"{lines}Gap, CI, verdict and items needed compare a model with the next one in rank."
    )
    return (
        f'<table class="models full">\n<caption>{caption}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _below(ranking: Ranking) -> Iterator[str]:
    """What the cells of the table leave unsaid."""
    r, fewer = ranking.ranks, sorted(ranking.fewer())
    if fewer:
        fewer_texts = [f"{name(r.model[i])} {r.n_items[i]:,}" for i in fewer]
        rest = [f"{len(fewer_texts) - 5:,} more"] if len(fewer_texts) > 5 else []
        yield f"† Fewer items than other models: {listed([*fewer_texts[:5], *rest])}."
    if ranking.adjacent.delta is None:
        goal = "the true gap equals the observed one"
    else:
        goal = "the true gap is the declared one"
    yield (
        f"Items needed: the size of a new evaluation that detects the gap if {goal}. "
        f"“over {MAX_FACTOR}×” means over {MAX_FACTOR} times the current items."
    )


def body(result: Audit, *, where: str | None = None) -> str:
    """Return the parts that are readable without a script, and places for the others."""
    doc = document(result, paragraph=True, where=where)
    ranking = ranking_of(result, where)
    others = "Tasks" if len(result.tasks) > 1 else "Sensitivity analysis"
    states = ranking.adjacent.states if len(ranking.adjacent) <= _MAX_DOTS else ()
    notes = "".join(f'<p class="remark">{escape(text)}</p>' for text in _below(ranking))
    return "\n".join(
        (
            '<a class="skip" href="#ranking">Skip to the ranking</a>',
            header(
                _about(result), doc, _facts(result), states if len(states) <= _MAX_DOTS else ()
            ),
            "<main>",
            f'<p class="remark" id="without-script">{_STATIC}</p>',
            section("ranks", "Which ranks are inconclusive", ladder(audit_view(result, where))),
            callout(doc.caution),
            section("ranking", "All models", models_table(ranking), notes),
            section("pair", "Compare two models", live=True),
            *closing(
                doc,
                fold("rules", "Settings", aside=_rules(result), live=True),
                fold("pairs", "All pairs", live=True),
                fold("readings", others, as_run(), tables(doc.grids[1:])),
            ),
            "</main>",
            footer(),
        )
    )


def page(result: Audit, *, where: str | None = None) -> str:
    """Return the complete file."""
    doc = document(result, where=where)
    return shell(
        title=f"{doc.title} · nstar audit",
        body=body(result, where=where),
        data=deck(result, where),
        scripts=SCRIPTS,
    )
