"""A WinsClaim in words, for a reviewer."""

from nstar._verbs.claim import WinsClaim
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import level, percent, pvalue


def _best(claim: WinsClaim) -> str:
    shared = f" ({claim.n_ties} shared)" if claim.n_ties else ""
    wins = f"{claim.n_wins} of {claim.n_benchmarks}"
    return f"Best of {claim.n_models} models on {wins} benchmarks{shared}"


def _picked(claim: WinsClaim) -> bool:
    return claim.n_benchmarks_run > claim.n_benchmarks


def _headline(claim: WinsClaim) -> str:
    alike = f"among models that are alike each would be best on {claim.expected_wins:.2g}"
    ps = f"sign test: p = {pvalue(claim.pvalue_named)} if the model was named beforehand"
    last = claim.pvalue_picked if _picked(claim) else claim.pvalue_any
    other = f"{pvalue(last)} if any could have been the best"
    if _picked(claim):
        other += f" and these were picked from {claim.n_benchmarks_run:,}"
    word = {
        "supported": "is more than chance",
        "not_supported": "is within chance",
        "depends": "is more than chance only under kind assumptions",
    }[claim.verdict]
    rival = ""
    if claim.n_models > 2:
        rival = f" If just one other model is as good, p is {pvalue(claim.pvalue_rival)}."
    return f"{_best(claim)} {word}: {alike} ({ps}, {other}).{rival}"


def _grid(claim: WinsClaim) -> TextTable:
    outright, decided = claim.n_wins - claim.n_ties, claim.n_benchmarks - claim.n_ties
    rows = [
        ("the model was named beforehand", f"{outright} of {decided}", pvalue(claim.pvalue_named)),
        (
            "any of the models could have been it",
            f"{outright} of {decided}",
            pvalue(claim.pvalue_any),
        ),
    ]
    if _picked(claim):
        run = f"{outright} of {claim.n_benchmarks_run - claim.n_ties:,}"
        rows.append(("benchmarks were picked for their wins", run, pvalue(claim.pvalue_picked)))
    if claim.n_models > 2:
        rows.append(("just one other model is as good", rows[-1][1], pvalue(claim.pvalue_rival)))
    if claim.n_ties:
        counted = f"{claim.n_wins} of {claim.n_benchmarks}"
        rows.append(("shared best values count as wins", counted, pvalue(claim.pvalue_counted)))
    return TextTable(
        title="Chance of so many wins among models that are alike, by what is not said",
        header=("if", "wins", "p"),
        rows=tuple(rows),
    )


def _notes(claim: WinsClaim) -> tuple[str, ...]:
    out = []
    if claim.n_wins_needed is None:
        out.append(
            f"Even {claim.n_benchmarks} of {claim.n_benchmarks} would be within chance: too few "
            "benchmarks."
        )
    else:
        out.append(
            f"More than chance, whoever wins: from {claim.n_wins_needed} of "
            f"{claim.n_benchmarks} on, if none "
            f"is shared and none was picked ({level(claim.criteria.alpha, 2)})."
        )
    if claim.picked_turn is not None and not _picked(claim):
        out.append(
            f"If {claim.picked_turn:,} or more benchmarks were run and these "
            f"{claim.n_benchmarks} shown for "
            f"their wins, chance explains it; {arg('picked_from')} takes their number."
        )
    if claim.ties_turn is not None and claim.n_ties < claim.ties_turn:
        many = claim.ties_turn
        out.append(
            f"If {many} of the {claim.n_wins} best values {'is' if many == 1 else 'are'} shared "
            f"with another model, chance explains the rest; {arg('ties')} takes their number."
        )
    out.append(
        "Wins say nothing of their size: each may be below what its benchmark can detect. Judge "
        "the columns one by one, with their items."
    )
    return tuple(out)


_ADVICE = {
    "supported": "The wins are more than chance, if the benchmarks are independent of each other.",
    "not_supported": "The count of wins is no evidence that the model is better than the others.",
    "depends": (
        "Please say which benchmarks were run, whether the model was chosen before the results "
        "were seen, and compare it with its closest rival."
    ),
}


def paragraph(claim: WinsClaim) -> str:
    """What a reviewer may write."""
    best = _best(claim)
    turn = ""
    if claim.picked_turn is not None and not _picked(claim):
        turn = (
            f" Had {claim.picked_turn:,} or more benchmarks been run and {claim.n_benchmarks} "
            "of them "
            "shown, picking alone would explain it."
        )
    rival = ""
    if claim.n_models > 2:
        rival = (
            f" If only one of the others is as good and the rest are not, it is "
            f"{pvalue(claim.pvalue_rival)}."
        )
    run = ""
    if _picked(claim):
        picked = pvalue(claim.pvalue_picked)
        run = f" Picked from {claim.n_benchmarks_run:,} benchmarks it is {picked}."
    return (
        f"The paper reports a model that is {best[0].lower()}{best[1:]}. If all models were "
        f"alike, each would be best on {claim.expected_wins:.2g} of the "
        f"{claim.n_benchmarks - claim.n_ties} without "
        f"a tie; by the sign test the chance of so many wins is {pvalue(claim.pvalue_named)} "
        "for a "
        f"model named beforehand and {pvalue(claim.pvalue_any)} for any of the "
        f"{claim.n_models}.{run}"
        f"{rival}{turn} {_ADVICE[claim.verdict]} Benchmarks that share items, skills or "
        "training data count for fewer."
    )


def document(claim: WinsClaim) -> Document:
    """Headline, p by what is not said, a paragraph to paste."""
    return Document(
        headline=_headline(claim),
        grids=(_grid(claim),),
        notes=_notes(claim),
        assumptions=(
            "Under chance every model is as likely as any other to be best on a benchmark, and "
            "benchmarks are independent of each other; related ones make p larger.",
            "Shared best values are left out, as the sign test does with ties.",
            f"More than chance: p at most {percent(claim.criteria.alpha)}.",
        ),
    )
