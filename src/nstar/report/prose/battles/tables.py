"""Write the tables of votes: ratings, groupings, effects, and lack of fit."""

from nstar._verbs.battles import Battles
from nstar.report.documents import TextTable
from nstar.report.prose.audit.ranking import shown_models
from nstar.report.prose.battles.headline import elo_number, groups_of, rounded, too_many
from nstar.report.prose.cross_references import as_csv
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, name, percent, pvalue, ratio

_SCREEN = (20, 12, 3)
_MAX_NAME_WIDTH, _NARROW = 36, 28
_WHY = {
    "won all": "won all its votes: no upper limit",
    "lost all": "lost all its votes: no lower limit",
    "never met": "no votes connect it to the rated models",
    "one group": "one cluster holds more than 60% of its votes",
    "few groups": "its votes come from too few or too unequal clusters for a standard error",
}


def _rank_set(result: Battles, i: int) -> str:
    low, high = int(result.ratings.rank_low[i]), int(result.ratings.rank_high[i])
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _more(result: Battles, i: int) -> str:
    word, votes = result.adjacent.states[i], float(result.adjacent.more_direct_votes[i])
    if word == "significant":
        return "–"
    return "over 10×" if too_many(result, votes) else count(rounded(votes))


def ratings(result: Battles, where: str | None = None, *, short: bool = False) -> TextTable:
    """Return the models from best to worst, each with the gap to the next."""
    r, gaps = result.ratings, result.adjacent
    highlight = r.model.index(where) if where in r.model else None
    indices = (
        shown_models(len(r), highlight, _SCREEN) if short else shown_models(len(r), highlight)
    )
    limit = _NARROW if short else _MAX_NAME_WIDTH
    plain = r.uncontrolled_rating is not None
    header = [
        "rank",
        "model",
        "Elo",
        f"{coverage(result.confidence_level)} CI",
        "rank range",
        "votes",
        "gap to next",
    ]
    header[3:3] = ["unadjusted"] * plain
    header += [] if short else ["adj. p", "verdict"]
    header.append("more votes needed")
    rows, lines, marked, last = [], [], None, -1
    for i in indices:
        if i != last + 1:
            rows.append(tuple("…" for _ in header))
        if i and r.tier[i] != r.tier[i - 1]:
            lines.append(len(rows))
        marked = len(rows) if i == highlight else marked
        row = [f"{r.rank[i]:,}", name(r.model[i], limit=limit), f"{r.rating[i]:,.0f}"]
        if plain and r.uncontrolled_rating is not None:
            row.append(f"{r.uncontrolled_rating[i]:,.0f}")
        row += [
            f"{r.ci_low[i]:,.0f}–{r.ci_high[i]:,.0f}",
            _rank_set(result, i),
            f"{r.n_votes[i]:,}",
        ]
        if i < len(gaps):
            row.append(elo_number(float(gaps.elo[i])))
            row += [] if short else [pvalue(float(gaps.pvalue_adjusted[i])), gaps.states[i]]
            row.append(_more(result, i))
        rows.append(tuple(row + [""] * (len(header) - len(row))))
        last = i
    kind = "ties count half" if result.elo_scale == "score" else "decisive votes"
    hidden = 0 if short else len(r) - len(indices)
    overflow_text = f"; {hidden:,} models only in {as_csv()}" if hidden else ""
    return TextTable(
        title=f"Elo ratings ({kind}){overflow_text}",
        header=tuple(header),
        rows=tuple(rows),
        lines=tuple(lines),
        marked=marked,
    )


def groupings(result: Battles) -> TextTable:
    """Return the results under all groupings of votes, side by side."""
    rows = [("independent votes", f"{result.n_votes:,}", "1", "1.00", *_counts_alone(result))]
    for g in result.groupings:
        known = g.n_could_be_best is not None
        declared_text = "" if not g.is_declared else " (declared)"
        effect = "–" if g.design_effect is None else ratio(g.design_effect)
        rows.append(
            (
                f"{groups_of(g.columns)}{declared_text}",
                f"{g.n_groups:,}",
                f"{g.n_votes_largest:,}",
                effect,
                f"{g.n_could_be_best:,}" if known else "–",
                f"{g.n_inconclusive:,}" if known else "–",
            )
        )
    return TextTable(
        title="Design effect of votes that share a prompt or judge (median over pairs)",
        header=(
            *("votes share", "groups", "largest", "design effect"),
            *("could be best", "inconclusive"),
        ),
        rows=tuple(rows) if result.groupings else (),
    )


def _counts_alone(result: Battles) -> tuple[str, str]:
    """Return whether the counts of the report treat votes as independent."""
    if result.cluster:
        return "–", "–"
    return f"{result.n_could_be_best:,}", f"{result.n_inconclusive:,}"


def effects(result: Battles) -> TextTable:
    """Return the effects on all votes other than the models."""
    all_effects = [e for e in (result.position_effect, *result.control_effects) if e is not None]
    rows = [
        (
            "shown first" if e.name == "position" else f"one more SD of {name(e.name)}",
            elo_number(e.elo, sign=True),
            f"{elo_number(e.ci_low, sign=True)} to {elo_number(e.ci_high, sign=True)}",
            pvalue(e.pvalue),
        )
        for e in all_effects
    ]
    return TextTable(
        title="Effects other than that of the model (Elo)",
        header=("effect", "Elo", f"{coverage(result.confidence_level)} CI", "p"),
        rows=tuple(rows),
    )


def misfits(result: Battles) -> TextTable:
    """Return the pairs whose own votes contradict the ratings."""
    rows = [
        (
            name(m.model_a, limit=_MAX_NAME_WIDTH),
            name(m.model_b, limit=_MAX_NAME_WIDTH),
            f"{m.n_votes:,}",
            percent(m.observed_score, 1),
            percent(m.expected_score, 1),
            f"{m.z:+.1f}".replace("-", "−"),
            pvalue(m.pvalue_adjusted),
        )
        for m in result.lack_of_fit.worst_pairs
        if m.pvalue_adjusted <= result.criteria.alpha
    ]
    return TextTable(
        title="Pairs that deviate from the ratings",
        header=("first", "second", "votes", "score", "expected", "z", "adj. p"),
        rows=tuple(rows),
    )


def unrated(result: Battles) -> TextTable:
    """Return the models without a rating, with the reasons."""
    rows = [
        (name(u.model, limit=_MAX_NAME_WIDTH), f"{u.n_votes:,}", _WHY[u.reason])
        for u in result.unrated
    ]
    return TextTable(
        title="Models without a rating", header=("model", "votes", "why"), rows=tuple(rows)
    )
