"""The report of a validation: the worst cells, every claim, and advice where one fails."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from nstar._base.codec import streamed
from nstar._base.result import Format, Level
from nstar.report.documents import Document, TextTable, at_level, cleaned
from nstar.report.formats.json import dump
from nstar.report.formats.markdown import render_markdown
from nstar.report.formats.text import render_text
from nstar.report.prose.numbers import count, percent, pp
from validation.promise import EXACT_ALLOWANCE
from validation.result import FAMILY, CellVerdict, Validation

_WORST = 10
_SHORT = {"holds": "holds", "errs on the safe side": "safe side", "exceeds": "EXCEEDS"}


def _rate(cell: CellVerdict) -> str:
    if cell.exact:
        return f"{100 * cell.rate:.2f} exact"
    return f"{100 * cell.rate:.2f} ± {100 * cell.se:.2f}"


def _value(name: str, value: Any) -> str:
    if isinstance(value, str):  # several values, one for each stratum
        return value
    if name in {"gap", "margin"}:
        return pp(float(value))
    if name == "discordant":
        return percent(float(value))
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _where(cell: CellVerdict) -> str:
    return ", ".join(f"{k} {_value(k, v)}" for k, v in cell.setting.items())


def _promised(cell: CellVerdict) -> str:
    sign = "≤" if cell.bound == "at most" else "≥"
    return f"{sign} {100 * cell.promised:.3g}"


def _worst(cells: Sequence[CellVerdict]) -> TextTable:
    return TextTable(
        title=f"The {len(cells)} largest deviations beyond the tolerance, percent",
        header=("kind", "procedure", "used", "cell", "stated", "observed", "tolerance", "outcome"),
        rows=tuple(
            (
                c.group,
                c.procedure,
                c.role,
                _where(c),
                _promised(c),
                _rate(c),
                f"{100 * c.tolerance:.2f}",
                _SHORT[c.outcome],
            )
            for c in cells
        ),
    )


def _tally(cells: Sequence[CellVerdict]) -> tuple[str, ...]:
    counts = Counter(c.outcome for c in cells)
    return tuple(
        f"{counts[word]}" if counts[word] else "–"
        for word in ("holds", "errs on the safe side", "exceeds")
    )


def _claims(validation: Validation) -> TextTable:
    rows = []
    for claim in validation.claims:
        own_cells = [c for c in validation.own if c.claim == claim.name]
        if own_cells:
            exact = sum(c.exact for c in own_cells)
            counts = (f"{len(own_cells)}", f"{exact or '–'}", *_tally(own_cells))
            rows.append((claim.group, claim.name, *counts, claim.says))
    return TextTable(
        title="Claims and the outcomes of their cells",
        header=(
            "kind",
            "claim",
            "cells",
            "exact",
            "holds",
            "safe side",
            "exceeds",
            "claim in words",
        ),
        rows=tuple(rows),
    )


def _by_procedure(cells: Sequence[CellVerdict]) -> dict[tuple[str, str], list[CellVerdict]]:
    out: dict[tuple[str, str], list[CellVerdict]] = {}
    for c in cells:
        out.setdefault((c.claim, c.procedure), []).append(c)
    return out


def _span(cells: Sequence[CellVerdict]) -> str:
    rates = [100 * c.rate for c in cells]
    low, high = f"{min(rates):.2f}", f"{max(rates):.2f}"
    return low if low == high else f"{low} to {high}"


def _procedures(validation: Validation, group: str) -> TextTable:
    cells = [c for c in validation.own if c.group == group]
    rows = []
    for (claim, procedure), group_cells in _by_procedure(cells).items():
        worst = max(group_cells, key=lambda c: c.excess)
        promises = {_promised(c) for c in group_cells}
        rows.append(
            (
                claim,
                procedure,
                group_cells[0].role,
                f"{len(group_cells)}",
                promises.pop() if len(promises) == 1 else "by cell",
                _span(group_cells),
                *_tally(group_cells),
                _where(worst),
            )
        )
    return TextTable(
        title=f"{group}, percent",
        header=(
            *("claim", "procedure", "used", "cells", "stated", "observed"),
            *("holds", "safe side", "exceeds", "least favorable cell"),
        ),
        rows=tuple(rows),
    )


def _warnings(validation: Validation) -> TextTable:
    rows = []
    for (claim, procedure), group_cells in _by_procedure(validation.warnings).items():
        worst = max(group_cells, key=lambda c: c.excess)
        rows.append((claim, procedure, _promised(worst), _span(group_cells), _where(worst)))
    return TextTable(
        title="Rates of common mistakes, percent",
        header=("claim", "procedure", "stated", "observed", "worst cell"),
        rows=tuple(rows),
    )


def _limits(validation: Validation) -> Iterator[str]:
    """Known limits: the procedure, its largest deviation, and what to do."""
    claims = {c.name: c for c in validation.claims}
    for (name, procedure), group_cells in _by_procedure(validation.limits).items():
        worst = max(group_cells, key=lambda c: c.excess)
        cells = [c for c in validation.own if c.claim == name and c.procedure == procedure]
        side = "above" if worst.bound == "at most" else "below"
        yield (
            f"Known limit: {procedure} ({name}) is {side} the stated rate in "
            f"{len(group_cells)} of {len(cells)} cells, by at most {pp(worst.excess)} "
            f"({_where(worst)}). "
            f"{claims[name].advise(procedure) or 'No advice yet.'}"
        )


def _headline(validation: Validation) -> str:
    counts, total = validation.outcomes, len(validation)
    n_kept = total - counts["exceeds"]
    text = f"{count(n_kept)} of {count(total)} cells meet the stated rate"
    if not validation.limits:
        return f"{text}."
    defaults = [c for c in validation.limits if c.role == "default"]
    worst = validation.limits[0]
    return (
        f"{text}. {count(counts['exceeds'])} do not; "
        f"{count(len(defaults)) if defaults else 'none'} of them use a default of nstar. "
        f"The largest deviation: {worst.procedure} ({_where(worst)}), "
        f"{100 * worst.rate:.1f}% instead of {100 * worst.promised:.3g}%."
    )


def _rules(validation: Validation) -> Iterator[str]:
    exact = sum(c.exact for c in validation.own)
    simulated = [c for c in validation.own if not c.exact]
    yield (
        f"{count(exact)} cells are exact: every possible table of counts is weighted by its "
        f"probability. An exact cell may miss its rate by {100 * EXACT_ALLOWANCE:g} points, "
        "because tests and intervals of counts change in steps."
    )
    if simulated:
        yield (
            f"{count(len(simulated))} cells are simulated and compared with binomial tails. If "
            "all stated rates hold, the probability that any cell is marked is at most "
            f"{percent(FAMILY)} (Bonferroni)."
        )
    yield (
        "Safe side: the error rate is lower, or the coverage or power higher, than stated. "
        "Exceeds: the stated rate is missed by more than the tolerance."
    )
    if validation.data is not None:
        yield (
            "Real items are drawn without replacement, so a sample is more similar to the whole "
            "than a new benchmark would be. If a share f is drawn, power increases from 80% to "
            "about Φ(0.84 / √(1 − f)). With replacement, there is no such effect. Both are shown."
        )


def document(validation: Validation, *, level: Level = "full") -> Document:
    """Worst cells, claims, warnings, and a table for each kind of claim."""
    return cleaned(at_level(_document(validation), level))


def render(validation: Validation, format: Format = "text") -> str:  # noqa: A002
    """Return the report as text, Markdown, or JSON."""
    doc = document(validation)
    if format == "json":
        return dump(validation.schema_name(), doc, streamed(validation))
    return render_markdown(doc) if format == "markdown" else render_text(doc)


def _document(validation: Validation) -> Document:
    groups = list(dict.fromkeys(c.group for c in validation.own))
    grids = [_worst(validation.worst[:_WORST]), _claims(validation)]
    if validation.warnings:
        grids.append(_warnings(validation))
    grids += [_procedures(validation, group) for group in groups]
    return Document(
        headline=_headline(validation),
        grids=tuple(grids),
        notes=(*_limits(validation), *_rules(validation)),
        assumptions=(
            f"nstar {validation.nstar}, numpy {validation.numpy}; {validation.effort} run, seed "
            f"{validation.seed}, {validation.seconds:.0f} seconds.",
            "Level 5%, coverage 95%, and power 80% unless stated. Rates are shares of simulated "
            "evaluations with a known truth.",
        ),
    )
