"""A TableClaim in words, for a reviewer: the table again, its marks earned."""

from collections.abc import Iterable, Sequence

from nstar._base.types import Interval
from nstar._verbs.claim import TableClaim, TableColumn
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import name, pp, pvalue

_SCREEN = 12
"""Models whose rows fit a screen beside the other table."""
_NAMED = 4
"""Names in a sentence."""
_NAME = 24
"""Signs of a name in a table."""
_WORDS = {"supported": "supported", "depends": "depends", "not_supported": "not supported"}


def _names(found: Iterable[str]) -> str:
    listed = [name(x, limit=40) for x in found]
    if len(listed) > _NAMED:
        return f"{', '.join(listed[:_NAMED])} and {len(listed) - _NAMED:,} more"
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def _columns(claim: TableClaim, word: str) -> list[TableColumn]:
    return [column for column in claim.columns if column.verdict == word]


def _are(n: int) -> str:
    return "none is" if n == 0 else f"{n:,} {'is' if n == 1 else 'are'}"


def _answer(claim: TableClaim) -> str:
    """One sentence that counts."""
    if len(claim.columns) == 1:
        word = {
            "supported": "is supported, however the models correlate",
            "depends": "is supported or not depending on how the models correlate",
            "not_supported": "is not supported, however the models correlate",
        }[claim.columns[0].verdict]
        return f"The best value of {name(claim.columns[0].benchmark)} {word}."
    said = [f"{_are(claim.n_supported)} supported"]
    if turn := claim.n_depends:
        said.append(f"{turn:,} depend{'s' if turn == 1 else ''} on how the models correlate")
    if out := claim.n_not_supported:
        said.append(f"{_are(out)} not supported whatever the correlation")
    last = f" and {said[-1]}" if len(said) > 1 else ""
    return f"Of {len(claim.columns):,} best values {', '.join(said[:-1]) or said[0]}{last}."


def _headline(claim: TableClaim) -> str:
    parts = [_answer(claim)]
    if len(claim.columns) > 1 and claim.n_supported:
        named = _names(column.benchmark for column in _columns(claim, "supported"))
        parts.append(f"Supported: {named}.")
    if many := len(claim.skipped):
        named = _names(column.benchmark for column in claim.skipped).removesuffix(".")
        parts.append(
            f"{many:,} {'column was' if many == 1 else 'columns were'} not judged: {named}."
        )
    return " ".join(parts)


def _printed(column: TableColumn, k: int) -> str:
    """A value as it was printed."""
    share, digits = column.shares[k], column.decimals[k]
    if share is None:
        return "–"
    return f"{100 * share:.{max(digits - 2, 0)}f}" if column.is_percent else f"{share:.{digits}f}"


def _marked(claim: TableClaim) -> TextTable:
    """The table: bold if supported, a dagger if it depends, plain otherwise."""
    strong, rows = [], []
    for i, model in enumerate(claim.models):
        cells = [name(model, limit=_NAME)]
        for k, column in enumerate(claim.columns, start=1):
            best = model in column.best
            dagger = "†" if best and column.verdict == "depends" else ""
            if best and column.verdict == "supported":
                strong.append((i, k))
            cells.append(_printed(column, i) + dagger)
        rows.append(tuple(cells))
    return TextTable(
        title=(
            "The table with marks that are supported. Bold: best, whatever the correlation "
            "between models; †: best for some correlations only; no mark: not shown to be best "
            f"(level {claim.alpha:g} for all columns together)"
        ),
        header=("model", *(name(column.benchmark, limit=_NAME) for column in claim.columns)),
        rows=tuple(rows),
        strong=tuple(strong),
    )


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else pvalue(p)


def _span(bounds: Interval | None) -> str:
    if bounds is None:
        return "–"
    low, high = (_p(float(x)) for x in bounds)
    return low if low == high else f"{low}–{high}"


def _row(column: TableColumn) -> tuple[str, ...]:
    beaten = sum(lead.verdict == "supported" for lead in column.leads)
    best = " = ".join(name(x, limit=_NAME // len(column.best[:2])) for x in column.best[:2])
    return (
        name(column.benchmark, limit=_NAME),
        f"{column.n_items:,}",
        best + " = …" * (len(column.best) > 2),
        pp(column.leads[0].gap, column=True) if column.leads[0].gap else "tie",
        _span(column.pvalue),
        _span(column.pvalue_typical),
        f"{beaten:,} of {len(column.leads):,}",
        _WORDS[column.verdict],
    )


def _verdicts(claim: TableClaim) -> TextTable:
    header = ("benchmark", "items", "best", "lead", "p", "p, typical", "beats", "verdict")
    known = any(column.rho_assumed is not None for column in claim.columns)
    kept = [k for k, head in enumerate(header) if known or head != "p, typical"]
    rows = map(_row, claim.columns)
    return TextTable(
        title=(
            "The best of each column: its lead over the second, the adjusted p of its weakest "
            f"lead over all correlations{' and over the typical ones' * known}, the models it "
            "beats under all"
        ),
        header=tuple(header[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in rows),
    )


def _settle(claim: TableClaim) -> str | None:
    if not claim.n_depends:
        return None
    return (
        "What depends is settled by results per item, or by two counts for each rival: the items "
        "only the best model got right and those only the other did."
    )


def _typical(claim: TableClaim) -> str | None:
    known = [c for c in _columns(claim, "depends") if c.rho_assumed is not None]
    if not known:
        return None
    held = [c for c in known if c.verdict_typical == "supported"]
    by_source: dict[str, list[str]] = {}
    for t in (c.rho_assumed for c in known if c.rho_assumed is not None):
        by_source.setdefault(t.source, []).append(f"{t.name} {t.low:.2f}–{t.high:.2f}")
    said = "; ".join(f"{_names(rhos)}, {source}" for source, rhos in by_source.items())
    return (
        f"Of those that depend {_are(len(held))} supported at correlations typical of the "
        f"benchmark ({said})."
    )


def _elsewhere(claim: TableClaim) -> str | None:
    """Bold marks of the paper that are not on the best value."""
    found = [c for c in claim.columns if c.bold and not set(c.bold) & set(c.best)]
    if not found:
        return None
    where = _names(f"{c.benchmark} ({c.best[0]} is larger than {c.bold[0]})" for c in found)
    return f"Printed in bold without being the largest value: {where}."


def _not_shares(claim: TableClaim) -> str | None:
    values = [(c, model) for c in claim.columns for model in c.not_shares]
    if not values:
        return None
    where = _names(f"{model} on {c.benchmark} (of {c.n_items:,})" for c, model in values)
    cut = sum(len(c.truncations) for c in claim.columns)
    if cut == len(values):
        return (
            f"No whole number of right answers rounds to the value of {where}. The digits may "
            "have been truncated: ask for more digits."
        )
    some = f" {cut:,} of these {len(values):,} fit if digits were truncated." if cut else ""
    return (
        f"No whole number of right answers prints as the value of {where}: is it a mean of runs "
        f"or of graded scores, or over another number of items?{some}"
    )


def _left_out(claim: TableClaim) -> Sequence[str]:
    by_reason: dict[str, list[str]] = {}
    for column in claim.skipped:
        by_reason.setdefault(column.reason, []).append(column.benchmark)
    return [f"Not judged, {_names(names)}: {why}." for why, names in by_reason.items()]


def _wins(claim: TableClaim) -> str | None:
    found = claim.most_wins
    if found is None or len(claim.columns) < 2:
        return None
    word = {
        "supported": "more than chance",
        "not_supported": "within chance",
        "depends": "more than chance only under kind assumptions",
    }[found.verdict]
    rival = ""
    if len(claim.models) > 2:
        rival = f", {pvalue(found.pvalue_rival)} if just one other is as good"
    return (
        f"{name(found.model)} is best on {found.n_wins} of {len(claim.columns)}"
        f"{f' ({found.n_ties} shared)' if found.n_ties else ''}, {word} (sign test among models "
        "that "
        f"are alike: p = {pvalue(found.pvalue_any)}{rival})."
    )


def _notes(claim: TableClaim) -> tuple[str, ...]:
    first = (_not_shares(claim), _elsewhere(claim), _typical(claim), _settle(claim), _wins(claim))
    return (*(note for note in first if note), *_left_out(claim))


def _family(claim: TableClaim) -> str:
    return (
        f"level {claim.alpha:g} for the whole table, divided by its columns "
        f"({len(claim.columns):,}) and in each by the models that the best is compared with "
        "(Bonferroni)"
    )


def paragraph(claim: TableClaim) -> str:
    """What a reviewer may write."""
    said = []
    for word, text in (
        ("depends", "depends on the correlation"),
        ("not_supported", "not supported"),
    ):
        if found := _columns(claim, word):
            said.append(f"{_names(c.benchmark for c in found)} ({text})")
    open_ = f" Not established: {'; '.join(said)}." if said else ""
    ask = ""
    if claim.n_depends:
        ask = (
            " Please report, for the best model and its closest rivals, the items that only one "
            "of the two answered correctly (or release results per item), with paired tests."
        )
    return (
        f"The table compares {len(claim.models):,} models on {len(claim.columns):,} benchmarks. "
        f"{_answer(claim)} All models answered the same items, so the printed accuracies bound "
        "the paired test only between the smallest and the largest correlation that they allow; "
        f"each best value was tested against every other model ({_family(claim)}).{open_}{ask} "
        "Values that are not supported should not be set in bold."
    )


def document(claim: TableClaim) -> Document:
    """Headline, the table with its marks, a row for each column, a paragraph to paste."""
    grids = (_marked(claim), _verdicts(claim))
    return Document(
        headline=_headline(claim),
        opening=_answer(claim),
        grids=grids,
        key=grids if len(claim.models) <= _SCREEN else grids[1:],
        notes=_notes(claim),
        assumptions=(
            "All models answered the same items of a benchmark once, scored 0/1, and higher is "
            f"better; {_family(claim)}.",
            "A best value is supported if it beats every other model of its column; supported "
            "wrongly it must beat the truly best one, so the chance of any such error in the "
            "table is at most the level.",
            "Bounds are over every count that prints so and every number of items on which two "
            "models can disagree, pair by pair.",
            "Items are independent draws; if they come in passages or repositories less is "
            "supported.",
        ),
    )
