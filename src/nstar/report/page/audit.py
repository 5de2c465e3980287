"""An audit as a page: the answer first, then what the reader may change, then the detail."""

from collections.abc import Iterator

from nstar._verbs.audit import Audit
from nstar.report import document
from nstar.report.charts.ladder import NARROW, WIDE, ladder
from nstar.report.page._document import shell
from nstar.report.page._markup import (
    as_run,
    closing,
    contents,
    footer,
    header,
    rules,
    section,
    table,
    tables,
)
from nstar.report.page._ranking_data import deck
from nstar.report.prose.audit.assumptions import METHODS
from nstar.report.prose.numbers import items, name, percent

__all__ = ["SCRIPTS", "body", "page"]

SCRIPTS = (
    *("dom.js", "numbers.js", "detection.js", "unpack.js", "board.js", "judge.js", "pairs.js"),
    *("draw.js", "rules_panel.js", "said.js", "ladder.js", "link.js", "ranking_table.js"),
    *("pair_panel.js", "pair_items.js", "pair_table.js", "report.js"),
)
"""In the order in which one builds on another."""

_MAX_MODELS_TABULATED = 120
"""Models up to which the data behind the ladder stand below it; the ranking has them all."""
_STATIC = (
    "This page shows the audit as it was run. To change settings or compare any two models, "
    "enable JavaScript."
)


def _title(result: Audit) -> str:
    if result.average is not None:
        return f"{result.average.capitalize()} average of {len(result.tasks):,} tasks"
    return name(result.task) or f"Audit of {len(result):,} models"


def _facts(result: Audit) -> Iterator[str]:
    m = len(result)
    yield f"{m:,} models"
    yield f"{m * (m - 1) // 2:,} pairs"
    if len(result.tasks) == 1:
        yield f"{'' if result.is_complete else 'up to '}{items(result.n_items)}"


def _rules(result: Audit) -> str:
    c = result.criteria
    return f"α = {c.alpha:g}, {percent(c.power)} power, {METHODS[result.adjust]}"


def _ladder(result: Audit, where: str | None) -> str:
    """The ladder for wide and for narrow windows, with the data behind it if they are few."""
    wide, narrow = (ladder(result, where=where, width=w, titled=False) for w in (WIDE, NARROW))
    data = f"{as_run()}\n{table(wide.table)}" if len(result) <= _MAX_MODELS_TABULATED else ""
    behind = f"<details>\n<summary>Data behind the picture</summary>\n{data}\n</details>"
    return (
        '<figure class="picture" id="ladder">\n'
        f'<div class="wide">\n{wide.fragment()}</div>\n'
        f'<div class="narrow">\n{narrow.fragment()}</div>\n'
        f"{f'<figcaption>{behind}</figcaption>' if data else ''}\n</figure>"
    )


def body(result: Audit, *, where: str | None = None) -> str:
    """Everything that can be read without a script, and room for what needs one."""
    doc = document(result, paragraph=True, where=where)
    others = "Tasks" if len(result.tasks) > 1 else "Sensitivity analysis"
    sections = (
        section("ranking", "Ranking", table(doc.grids[0], identity="ranking-as-run")),
        section("pair", "Two models", live=True),
        section("pairs", "All pairs", live=True),
        section("readings", others, as_run(), tables(doc.grids[1:])),
    )
    links = {
        "ranking": "Ranking",
        "pair": "Two models",
        "pairs": "All pairs",
        "readings": others,
        "notes": "Notes",
        "paragraph": "Paragraph",
        "cite": "Cite",
    }
    return "\n".join(
        (
            '<a class="skip" href="#ranking">Skip to the ranking</a>',
            header(_title(result), doc, _facts(result), _rules(result)),
            "<main>",
            f'<p class="remark" id="without-script">{_STATIC}</p>',
            rules(),
            _ladder(result, where),
            contents(links, live=("pair", "pairs")),
            *sections,
            *closing(doc),
            "</main>",
            footer(),
        )
    )


def page(result: Audit, *, where: str | None = None) -> str:
    """The whole file."""
    return shell(
        title=f"{_title(result)}: what the ranking supports",
        body=body(result, where=where),
        data=deck(result, where),
        scripts=SCRIPTS,
    )
