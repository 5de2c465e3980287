"""Write the report of a WinsClaim, for a reviewer."""

from nstar._verbs.claim import WinsClaim
from nstar._verbs.verdict import ClaimVerdict
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.numbers import pvalue


def _wins(claim: WinsClaim) -> str:
    shared = f" ({claim.n_ties} shared)" if claim.n_ties else ""
    return f"{claim.n_wins} of {claim.n_benchmarks} wins{shared} among {claim.n_models:,} models"


def _picked(claim: WinsClaim) -> bool:
    return claim.n_benchmarks_run > claim.n_benchmarks


def among_equals(verdict: ClaimVerdict, p: float, rival: float, alpha: float) -> str | None:
    """Return whether the wins exceed chance for any model; None if the selection decides.

    Examples
    --------
    >>> among_equals("depends", 0.0016, 0.18, 0.05)
    'beat chance (p = 0.0016) unless one rival is as good (p = 0.18)'
    """
    if verdict == "supported":
        return f"beat chance ({p_is(p)})"
    if verdict == "not_supported":
        return f"are within chance ({p_is(p)})"
    if p <= alpha:
        return f"beat chance ({p_is(p)}) unless one rival is as good ({p_is(rival)})"
    return None


def _against_chance(claim: WinsClaim) -> str:
    p = claim.pvalue_picked if _picked(claim) else claim.pvalue_any
    sentence = among_equals(claim.verdict, p, claim.pvalue_rival, claim.criteria.alpha)
    if sentence is not None:
        return sentence
    condition = "the model and the benchmarks were" if _picked(claim) else "the model was"
    return (
        f"beat chance only if {condition} chosen in advance ({p_is(claim.pvalue_named)}; "
        f"otherwise {p_is(p)})"
    )


WORDS = {"supported": "Supported", "depends": "Depends", "not_supported": "Not supported"}
"""Verdicts at the start of a headline."""


def _finding(claim: WinsClaim) -> str:
    return f"{WORDS[claim.verdict]}: {_wins(claim)} {_against_chance(claim)}."


def _grid(claim: WinsClaim) -> TextTable:
    outright, decided = claim.n_wins - claim.n_ties, claim.n_benchmarks - claim.n_ties
    rows = [
        ("model chosen in advance", f"{outright} of {decided}", pvalue(claim.pvalue_named)),
        ("any model could have won", f"{outright} of {decided}", pvalue(claim.pvalue_any)),
    ]
    if _picked(claim):
        run = f"{outright} of {claim.n_benchmarks_run - claim.n_ties:,}"
        rows.append(("benchmarks selected for wins", run, pvalue(claim.pvalue_picked)))
    if claim.n_models > 2:
        rows.append(("one rival is as good", rows[-1][1], pvalue(claim.pvalue_rival)))
    if claim.n_ties:
        counted = f"{claim.n_wins} of {claim.n_benchmarks}"
        rows.append(("shared wins counted", counted, pvalue(claim.pvalue_counted)))
    return TextTable(
        title="Chance of so many wins among equal models, by assumption",
        header=("assumption", "wins", "p"),
        rows=tuple(rows),
    )


def _notes(claim: WinsClaim) -> tuple[str, ...]:
    out = []
    if claim.n_wins_needed is None:
        out.append(
            f"There are too few benchmarks: even {claim.n_benchmarks} of {claim.n_benchmarks} "
            "wins would be within chance."
        )
    else:
        out.append(
            f"A model beats chance with at least {claim.n_wins_needed} of {claim.n_benchmarks} "
            "wins, if no wins are shared and no benchmarks were selected."
        )
    if claim.picked_turn is not None and not _picked(claim):
        out.append(
            f"If {claim.picked_turn:,} or more benchmarks were run and only these "
            f"{claim.n_benchmarks} were reported, chance explains the wins ({arg('picked_from')})."
        )
    if claim.ties_turn is not None and claim.n_ties < claim.ties_turn:
        many = claim.ties_turn
        out.append(
            f"If {many} of the {claim.n_wins} wins {'is' if many == 1 else 'are'} shared with "
            f"another model, chance explains the rest ({arg('ties')})."
        )
    out.append(
        "A count of wins ignores the size of each lead, which may be below the MDE of its "
        "benchmark."
    )
    return tuple(out)


_ADVICE = {
    "supported": "The wins beat chance if the benchmarks are independent.",
    "not_supported": "The number of wins is no evidence that the model is better than the others.",
    "depends": (
        "Please report which benchmarks were run and whether the model was chosen before the "
        "results, and compare it with its closest rival."
    ),
}


def paragraph(claim: WinsClaim) -> str:
    """Return a paragraph for a review."""
    turn = rival = run = ""
    if claim.picked_turn is not None and not _picked(claim):
        turn = (
            f"If {claim.picked_turn:,} or more benchmarks were run and only "
            f"{claim.n_benchmarks} were reported, selection alone explains the wins."
        )
    if claim.n_models > 2:
        rival = f"If one rival is as good and the others are not, {p_is(claim.pvalue_rival)}."
    if _picked(claim):
        run = (
            f"For a selection from {claim.n_benchmarks_run:,} benchmarks, "
            f"{p_is(claim.pvalue_picked)}."
        )
    parts = (
        f"The paper reports {_wins(claim)}. If all models were equal, each would be expected to "
        f"win {claim.expected_wins:.2g} of the {claim.n_benchmarks - claim.n_ties} benchmarks "
        f"that have no tie. By the sign test, {p_is(claim.pvalue_named)} for a model chosen in "
        f"advance and {p_is(claim.pvalue_any)} for any of the {claim.n_models:,} models.",
        run,
        rival,
        turn,
        _ADVICE[claim.verdict],
        "Benchmarks that share items, skills, or training data are not independent evidence.",
    )
    return " ".join(part for part in parts if part)


def document(claim: WinsClaim) -> Document:
    """Return the report: headline, p by assumption, and a paragraph."""
    return Document(
        headline=(
            f"{_finding(claim)} By chance alone, each model is expected to win "
            f"{claim.expected_wins:.2g}."
        ),
        opening=_finding(claim),
        grids=(_grid(claim),),
        notes=_notes(claim),
        basis=f"independent benchmarks; shared wins are excluded; α = {claim.criteria.alpha:g}.",
        assumptions=(
            "By chance alone, every model is equally likely to win a benchmark.",
            "Benchmarks are independent. Related benchmarks make p larger.",
            "Shared wins are excluded, as the sign test excludes ties.",
        ),
    )
