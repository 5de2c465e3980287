"""Write the report of a TableClaim, for a reviewer: the table with the supported marks."""

from collections.abc import Iterable, Iterator, Sequence

from nstar._base.types import Interval
from nstar._base.units import join_words
from nstar._verbs.claim import TableClaim, TableColumn
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.wins import WORDS, among_equals
from nstar.report.prose.numbers import name, percent, pp, pvalue

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


def _what(claim: TableClaim) -> str:
    return "bold" if claim.has_bold else "best"


def _causes(claim: TableClaim, columns: Iterable[TableColumn]) -> str:
    """Return what decides whether the scores of these columns are supported."""
    causes = []
    for column in columns:
        if not column.readings:
            causes.append("how the models correlate")
            continue
        if _n_meanings(column) > 1:
            causes.append("the meaning of ±")
        causes.append("rounding" if claim.n_seeds else "how the errors correlate")
    return join_words(dict.fromkeys(causes), "or")


def _n_meanings(column: TableColumn) -> int:
    return len({reading[:2] for reading in column.readings})


def _answer(claim: TableClaim) -> str:
    """Return the first sentence, with the counts."""
    if len(claim.columns) == 1:
        (column,) = claim.columns
        text = f"the {_what(claim)} score on {name(column.benchmark)}"
        if column.verdict == "depends":
            cause = _causes(claim, [column])
            return f"Depends: {cause} decides whether {text} leads significantly."
        verb = "leads" if column.verdict == "supported" else "does not lead"
        however = "" if column.readings else ", however the models correlate"
        return f"{WORDS[column.verdict]}: {text} {verb} significantly{however}."
    supported = _columns(claim, "supported")
    names_text = f" ({_names(column.benchmark for column in supported)})" if supported else ""
    verb = "are" if len(supported) > 1 else "is"
    parts = [
        f"{len(supported) or 'None'} of {len(claim.columns):,} {_what(claim)} scores {verb} "
        f"supported{names_text}"
    ]
    if n_depends := claim.n_depends:
        cause = _causes(claim, _columns(claim, "depends"))
        parts.append(f"{n_depends:,} depend{'s' if n_depends == 1 else ''} on {cause}")
    if out := claim.n_not_supported:
        parts.append(f"{_are(out)} not supported")
    return f"{'; '.join(parts)}."


def _meanings(claim: TableClaim) -> str:
    """Return the tested meanings of ±: ``an SD, an SE, or a 95% CI``."""
    readings = {reading[:2] for column in claim.columns for reading in column.readings}
    ci = f"a {percent(claim.confidence_level)} CI"
    return join_words(
        [w for k, w in (("sd", "an SD"), ("se", "an SE"), ("ci", ci)) if k in readings], "or"
    )


def _error_assumption(claim: TableClaim) -> str:
    """Return what the report assumes about reported errors; empty if there are none."""
    if not claim.has_errors:
        return ""
    if not any(column.readings for column in claim.columns):
        return (
            "Reported errors are not used: each score is treated as one run (set "
            f"{arg('seeds')} for means over runs)."
        )
    over = f"over {claim.n_seeds:,} runs" if claim.n_seeds else "over items"
    if claim.pm_is is not None:
        return f"± is {_meanings(claim)} {over}, as declared."
    if all(r[:2] == "ci" for column in claim.columns for r in column.readings):
        return f"Assumption: intervals are {percent(claim.confidence_level)} CIs {over}."
    seeds = "" if claim.n_seeds else f" (for an SD or for runs, set {arg('seeds')})"
    return f"Assumption: ± is {_meanings(claim)} {over}{seeds}."


def _headline(claim: TableClaim) -> str:
    parts = [_answer(claim), _error_assumption(claim)]
    if many := len(claim.skipped):
        names_text = _names(column.benchmark for column in claim.skipped).removesuffix(".")
        parts.append(
            f"Caution: {many:,} column{' was' if many == 1 else 's were'} skipped: {names_text}."
        )
    return " ".join(part for part in parts if part)


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
        title="Reported scores (bold: supported; †: depends)",
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


def _lead(column: TableColumn) -> str:
    gap = column.leads[0].gap
    if gap == 0:
        return "tie"
    if column.n_items is not None:
        return pp(gap, column=True)
    digits = max(max(column.decimals) - (2 if column.is_percent else 0), 0)
    return f"{gap * (100 if column.is_percent else 1):.{digits}f}".replace("-", "−")


def _has_error_tests(claim: TableClaim) -> bool:
    return any(column.readings for column in claim.columns)


def _row(column: TableColumn) -> tuple[str, ...]:
    beaten = sum(lead.verdict == "supported" for lead in column.leads)
    claimed = column.bold or column.best
    best = " = ".join(name(x, limit=_NAME // len(claimed[:2])) for x in claimed[:2])
    return (
        name(column.benchmark, limit=_NAME),
        "–" if column.n_items is None else f"{column.n_items:,}",
        best + " = …" * (len(claimed) > 2),
        _lead(column),
        _span(column.pvalue),
        _span(column.pvalue_typical),
        f"{beaten:,} of {len(column.leads):,}",
        WORDS[column.verdict].lower(),
    )


def _verdicts(claim: TableClaim) -> TextTable:
    kind = _what(claim)
    header = ("benchmark", "items", kind, "lead", "p", "p, typical", "beats", "verdict")
    known = any(column.rho_assumed is not None for column in claim.columns)
    left_out = {"p, typical"} if not known else set()
    if all(column.n_items is None for column in claim.columns):
        left_out.add("items")
    columns = [k for k, head in enumerate(header) if head not in left_out]
    rows = map(_row, claim.columns)
    return TextTable(
        title=f"{_what(claim).capitalize()} score by benchmark",
        header=tuple(header[k] for k in columns),
        rows=tuple(tuple(row[k] for k in columns) for row in rows),
    )


def _columns_note(claim: TableClaim) -> str:
    """Return what the columns of the table of verdicts contain."""
    over, rival = "all correlations", "the second model"
    if any(column.rho_assumed is not None for column in claim.columns):
        over += " and over typical ones"
    if _has_error_tests(claim):
        over, rival = "meanings of ± and rounding, for independent errors", "the closest model"
        if any(column.n_items for column in claim.columns):
            over += " (with items: over all correlations)"
    return (
        f"The lead is over {rival}. The p-value is that of the weakest lead, adjusted for the "
        f"table, over {over}."
    )


def _elsewhere(claim: TableClaim) -> Iterator[str]:
    """Yield the paper's bold marks that are not on the best value."""
    columns = [c for c in claim.columns if c.bold and not set(c.bold) & set(c.best)]
    if columns:
        where = _names(
            f"{c.benchmark} ({c.best[0]} {'is below' if c.is_lower_better else 'exceeds'} "
            f"{c.bold[0]})"
            for c in columns
        )
        highest = "best" if any(c.is_lower_better for c in columns) else "highest"
        yield f"In bold in the source, but not the {highest}: {where}."


def _not_shares(claim: TableClaim) -> Iterator[str]:
    values = [(c, model) for c in claim.columns for model in c.not_shares]
    if values:
        where = _names(f"{model} on {c.benchmark} (of {c.n_items or 0:,})" for c, model in values)
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
    yield _columns_note(claim)
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
    if len(_directions(claim)) == 1 and any(c.is_lower_better for c in claim.columns):
        yield f"Lower is better: {_names(_lower(claim))}."
    elif lower := _lower(claim):
        yield f"Lower is better on {_names(lower)}, higher on the others."
    if claim.n_seeds and _has_error_tests(claim):
        yield "Errors over runs describe reruns on the same items. Other items would add variance."
    if any(not c.readings for c in _columns(claim, "depends")):
        yield (
            "To resolve the rest, ask for per-item results, or for the two disagreement counts "
            "per rival."
        )
    if (wins := _wins(claim)) is not None:
        yield wins
    yield from _left_out(claim)


def _lower(claim: TableClaim) -> list[str]:
    return [column.benchmark for column in claim.columns if column.is_lower_better]


def _directions(claim: TableClaim) -> set[bool]:
    return {column.is_lower_better for column in claim.columns}


def _family(claim: TableClaim) -> str:
    n = len(claim.columns)
    columns = f"{n:,} columns and the rivals in each" if n > 1 else "the rivals"
    return f"α = {claim.alpha:g} for the table, Bonferroni-adjusted for {columns}"


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
    method = (
        "All models answered the same items, so the reported accuracies bound the paired test "
        "over all possible correlations."
    )
    if _has_error_tests(claim):
        method = f"{_error_assumption(claim)} Errors were compared by Welch's test."
        request = " Please report the meaning of ±, the number of runs, and per-item results."
    return (
        f"The table compares {len(claim.models):,} models on {len(claim.columns):,} benchmarks. "
        f"{_answer(claim)} {method} Each {_what(claim)} score was tested against every "
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
        basis=f"{_basis(claim)}; {_family(claim)}.",
        assumptions=(
            f"{_basis(claim).capitalize()}; {_family(claim)}.",
            f"A {_what(claim)} score is supported if it beats every other model of its column. "
            f"The chance of any false positive in the table is at most {claim.alpha:g}.",
            *(
                ("Errors are nearly normal and, over runs, independent (Welch's test).",)
                if _has_error_tests(claim)
                else (
                    "Bounds cover every count that rounds to the reported values and every "
                    "possible number of items on which two models disagree.",
                )
            ),
            "Items are independent. Items from shared passages or repositories make the "
            "scores less certain.",
        ),
    )


def _basis(claim: TableClaim) -> str:
    direction = "" if _lower(claim) else "; higher is better"
    if not _has_error_tests(claim):
        return f"all models answered the same independent items once, scored 0/1{direction}"
    return f"nearly normal errors on the same scale{direction}"
