"""Write the report of a TableClaim, for a reviewer: the table with the supported marks."""

from collections.abc import Iterable, Iterator, Sequence

from nstar._base.types import Interval
from nstar._base.units import join_words
from nstar._verbs.claim import TableClaim, TableColumn
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.wins import WORDS, among_equals
from nstar.report.prose.numbers import name, pp, pvalue

_SCREEN = 12
"""Maximum number of models whose rows fit on a screen with the other table."""
_NAMED = 4
"""Maximum number of names in a sentence."""
_NAME = 24
"""Maximum number of characters of a name in a table."""


def _names(benchmarks: Iterable[str]) -> str:
    names = [name(x, limit=40) for x in benchmarks]
    n_more = len(names) - _NAMED
    return join_words([*names[:_NAMED], f"{n_more:,} more"] if n_more > 0 else names)


def _columns(claim: TableClaim, word: str) -> list[TableColumn]:
    return [column for column in claim.columns if column.verdict == word]


def _are(n: int) -> str:
    return "none is" if n == 0 else f"{n:,} {'is' if n == 1 else 'are'}"


def _answer(claim: TableClaim) -> str:
    """Return the first sentence, with the counts."""
    if len(claim.columns) == 1:
        (column,) = claim.columns
        best = f"the best score on {name(column.benchmark)}"
        reasons = {
            "supported": "leads significantly, however the models correlate",
            "depends": "leads significantly only for some correlations between models",
            "not_supported": "does not lead significantly, however the models correlate",
        }[column.verdict]
        return f"{WORDS[column.verdict]}: {best} {reasons}."
    supported = _columns(claim, "supported")
    names_text = f" ({_names(column.benchmark for column in supported)})" if supported else ""
    verb = "are" if len(supported) > 1 else "is"
    parts = [
        f"{len(supported) or 'None'} of {len(claim.columns):,} best scores {verb} "
        f"supported{names_text}"
    ]
    if n_depends := claim.n_depends:
        parts.append(
            f"{n_depends:,} depend{'s' if n_depends == 1 else ''} on how the models correlate"
        )
    if out := claim.n_not_supported:
        parts.append(f"{_are(out)} not supported")
    return f"{'; '.join(parts)}."


def _headline(claim: TableClaim) -> str:
    parts = [_answer(claim)]
    if many := len(claim.skipped):
        names_text = _names(column.benchmark for column in claim.skipped).removesuffix(".")
        parts.append(
            f"Caution: {many:,} column{' was' if many == 1 else 's were'} skipped: {names_text}."
        )
    return " ".join(parts)


def _printed(column: TableColumn, k: int) -> str:
    """Return a value as it was reported."""
    share, digits = column.shares[k], column.decimals[k]
    if share is None:
        return "–"
    return f"{100 * share:.{max(digits - 2, 0)}f}" if column.is_percent else f"{share:.{digits}f}"


def _marked(claim: TableClaim) -> TextTable:
    """Return the table: bold if supported, a dagger if it depends, plain otherwise."""
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
            "Supported marks. Bold: best at every correlation between models; †: best at some; "
            f"unmarked: not shown to be best (α = {claim.alpha:g} for the table)"
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
        WORDS[column.verdict].lower(),
    )


def _verdicts(claim: TableClaim) -> TextTable:
    header = ("benchmark", "items", "best", "lead", "p", "p, typical", "beats", "verdict")
    known = any(column.rho_assumed is not None for column in claim.columns)
    columns = [k for k, head in enumerate(header) if known or head != "p, typical"]
    rows = map(_row, claim.columns)
    return TextTable(
        title=(
            "Best score by benchmark: lead over the second model, adjusted p of the weakest lead "
            f"over all correlations{' and over typical ones' * known}, and models beaten at every "
            "correlation"
        ),
        header=tuple(header[k] for k in columns),
        rows=tuple(tuple(row[k] for k in columns) for row in rows),
    )


def _elsewhere(claim: TableClaim) -> Iterator[str]:
    """Yield the paper's bold marks that are not on the best value."""
    columns = [c for c in claim.columns if c.bold and not set(c.bold) & set(c.best)]
    if columns:
        where = _names(f"{c.benchmark} ({c.best[0]} exceeds {c.bold[0]})" for c in columns)
        yield f"In bold in the source, but not the highest: {where}."


def _not_shares(claim: TableClaim) -> Iterator[str]:
    values = [(c, model) for c in claim.columns for model in c.not_shares]
    if values:
        where = _names(f"{model} on {c.benchmark} (of {c.n_items:,})" for c, model in values)
        cut = sum(len(c.truncations) for c in claim.columns)
        if cut == len(values):
            yield (
                f"No whole number of correct answers rounds to the value of {where}. The digits "
                "may be truncated. Ask for more digits."
            )
        else:
            truncated_text = (
                f" {cut:,} of these {len(values):,} fit if digits are truncated." if cut else ""
            )
            yield (
                f"No whole number of correct answers rounds to the value of {where}. Is it "
                f"averaged over runs, graded, or for another number of items?{truncated_text}"
            )


def _left_out(claim: TableClaim) -> Sequence[str]:
    by_reason: dict[str, list[str]] = {}
    for column in claim.skipped:
        by_reason.setdefault(column.reason, []).append(column.benchmark)
    return [f"Skipped {_names(names)}: {reason}." for reason, names in by_reason.items()]


def _wins(claim: TableClaim) -> str | None:
    wins = claim.most_wins
    if wins is None or len(claim.columns) < 2:
        return None
    shared = f" ({wins.n_ties} shared)" if wins.n_ties else ""
    beat = among_equals(wins.verdict, wins.pvalue_any, wins.pvalue_rival, claim.alpha)
    beat = beat or "beat chance only if the model was chosen in advance"
    return (
        f"{name(wins.model)} wins {wins.n_wins} of {len(claim.columns)} benchmarks{shared}; "
        f"these wins {beat}."
    )


def _notes(claim: TableClaim) -> Iterator[str]:
    yield from _not_shares(claim)
    yield from _elsewhere(claim)
    known = [c for c in _columns(claim, "depends") if c.rho_assumed is not None]
    if known:
        supported = [c for c in known if c.verdict_typical == "supported"]
        by_source: dict[str, list[str]] = {}
        for t in (c.rho_assumed for c in known if c.rho_assumed is not None):
            by_source.setdefault(t.source, []).append(f"{t.name} {t.low:.2f}–{t.high:.2f}")
        sources_text = "; ".join(f"{_names(rhos)}, {source}" for source, rhos in by_source.items())
        yield (
            f"Of the scores that depend, {_are(len(supported))} supported at the typical "
            f"correlations of the benchmark ({sources_text})."
        )
    if claim.n_depends:
        yield (
            "To resolve the rest, ask for per-item results, or for the two disagreement counts "
            "per rival."
        )
    if (wins := _wins(claim)) is not None:
        yield wins
    yield from _left_out(claim)


def _family(claim: TableClaim) -> str:
    return (
        f"α = {claim.alpha:g} for the table, Bonferroni-adjusted for {len(claim.columns):,} "
        "columns and the rivals in each"
    )


def paragraph(claim: TableClaim) -> str:
    """Return a paragraph for a review."""
    open_ = ""
    for word, text in (
        ("depends", "Supported at only some correlations"),
        ("not_supported", "Not supported"),
    ):
        if columns := _columns(claim, word):
            open_ += f" {text}: {_names(c.benchmark for c in columns)}."
    request = ""
    if claim.n_depends:
        request = (
            " Please report, for the best model and its closest rivals, how many items only one "
            "of the two answered correctly (or release per-item results), with paired tests."
        )
    return (
        f"The table compares {len(claim.models):,} models on {len(claim.columns):,} benchmarks. "
        f"{_answer(claim)} All models answered the same items, so the reported accuracies bound "
        "the paired test over all possible correlations. Each best score was tested against every "
        f"other model ({_family(claim)}).{open_}{request} Scores that are not supported should "
        "not be set in bold."
    )


def document(claim: TableClaim) -> Document:
    """Return the report: headline, the table with marks, a row per column, and a paragraph."""
    grids = (_marked(claim), _verdicts(claim))
    return Document(
        headline=_headline(claim),
        opening=_answer(claim),
        grids=grids,
        key=grids if len(claim.models) <= _SCREEN else grids[1:],
        notes=tuple(_notes(claim)),
        basis=(
            "all models answered the same independent items once, scored 0/1; higher is better; "
            f"{_family(claim)}."
        ),
        assumptions=(
            "All models answered the same items of a benchmark once, scored 0/1, and higher is "
            f"better; {_family(claim)}.",
            "A best score is supported if it beats every other model of its column. The chance of "
            f"any false positive in the table is at most {claim.alpha:g}.",
            "Bounds cover every count that rounds to the reported values and every possible "
            "number of items on which two models disagree.",
            "Items are independent. Items from shared passages or repositories make the "
            "scores less certain.",
        ),
    )
