"""Write the report of a repeated study: its rates next to the published ones."""

from nstar._verbs.simulate.study import RateComparison, Study
from nstar.report.documents import Document, TextTable
from nstar.report.prose import simulation as each
from nstar.report.prose.numbers import count
from nstar.report.prose.simulation.rates import grids, rate_text

_EXPECTED = ((1, "68%"), (2, "95%"), (3, "99.7%"))
"""Numbers of standard errors, and the share of differences that chance keeps within them."""
_MAX_ROWS_SHOWN = 10
_FULL = 0.99


def _where(beside: RateComparison) -> tuple[str, ...]:
    p = beside.printed
    return (p.scenario, p.test, count(p.n_items), f"{p.delta:g}", f"{p.rho:g}")


def _row(beside: RateComparison) -> tuple[str, ...]:
    p = beside.printed
    off = f"{beside.errors:+.1f}".replace("-", "−")
    return (*_where(beside), f"{100 * p.rate:.1f}", rate_text(beside.ours, 1), off, p.section)


def _counts(study: Study) -> TextTable:
    total = len(study.beside)
    return TextTable(
        title="Differences from the published rates (Monte Carlo SEs of both)",
        header=("within", "rates", "share", "by chance alone"),
        rows=tuple(
            (f"{k}", f"{n} of {total}", f"{100 * n / total:.0f}%", by)
            for n, (k, by) in zip(study.within, _EXPECTED, strict=True)
        ),
    )


def _farthest(study: Study) -> TextTable:
    order = sorted(study.beside, key=lambda b: -abs(b.errors))
    return TextTable(
        title=f"The {_MAX_ROWS_SHOWN} largest differences (%)",
        header=("scores", "test", "items", "delta", "rho", "published", "here", "SEs", "section"),
        rows=tuple(_row(b) for b in order[:_MAX_ROWS_SHOWN]),
    )


def _headline(study: Study) -> str:
    total, two = len(study.beside), study.within[1]
    worst = study.worst
    return (
        f"{two} of {total} published rates agree with this simulation within two Monte Carlo "
        f"standard errors. The largest difference is {abs(worst.errors):.1f} SEs "
        f"({worst.printed.scenario}, {worst.printed.test}, {count(worst.printed.n_items)} items)."
    )


def document(study: Study) -> Document:
    """Return the report: the number of rates that agree, the farthest ones, and all tables."""
    full = sum(b.printed.rate > _FULL and b.ours.rate > _FULL for b in study.beside)
    tables = []
    for part in study.simulations:
        for grid in grids(part, part.levels):
            title = f"{part.scenario.capitalize()} scores. {grid.title}"
            tables.append(
                TextTable(title=title, header=grid.header, rows=grid.rows, lines=grid.lines)
            )
    first = each.document(study.simulations[0])
    return Document(
        headline=_headline(study),
        grids=(_counts(study), _farthest(study), *tables),
        notes=(
            f"In {full} of these cells, both rates exceed 99%, so their agreement is "
            "uninformative.",
            "The t and Wilcoxon tests use the same scores, so their differences are correlated.",
            *(
                f"{p.scenario.capitalize()} scores: {'; '.join(each.findings(p))}."
                for p in study.simulations
            ),
            *first.notes,
        ),
        assumptions=(
            "Published rates: clawRxiv 2604.01075, 1,000 replications per cell. Gaps here are "
            "first minus second; published gaps are second minus first.",
            *(a for part in study.simulations for a in each.document(part).assumptions[:1]),
            first.assumptions[-1],
        ),
    )


def paragraph(study: Study) -> str:
    """Return a paragraph for a paper."""
    return f"{_headline(study)} " + " ".join(each.paragraph(part) for part in study.simulations)
