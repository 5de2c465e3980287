"""Write what changed on a leaderboard since an older snapshot, and why."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from nstar._base.types import Interval
from nstar._base.units import join_words
from nstar._data.findings import abbreviate
from nstar._verbs.board_changes import (
    BoardChanges,
    ChangeReason,
    ModelChange,
    RankChange,
    VerdictChange,
)
from nstar.report.documents import Document, TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.numbers import name

_REASONS: dict[ChangeReason, str] = {
    "scores": "new scores on the same items",
    "votes": "new votes",
    "removed_models": "removed models",
    "items": "new and removed items",
    "new_models": "new models",
    "family_size": "the number of models",
}
_ROWS, _IN_DETAIL, _NAMED, _IN_HEADLINE = 20, 3, 5, 2
"""Rows of a table, sentences about single models, and names in a list or in the headline."""
_ALL_ROWS = 200
_VERDICT_HEADER = ("first", "second", "gap before", "gap now", "verdict before", "now")
_NOT_EVIDENCE = "A changed rank range is not evidence that a model changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWords:
    """How a leaderboard writes its gaps, and what it counts."""

    gap: Callable[[float], str]
    """Write a gap with its sign and unit."""
    span: Callable[[Interval], str]
    """Write an interval of a gap."""
    conf: str
    """Confidence level."""
    unit: str = "item"
    """Item or vote."""
    lower_is_better: bool = False
    one_step: bool = True
    """Whether one critical value holds for all pairs; Holm's method has one for each step."""


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _names(models: Sequence[str]) -> str:
    return abbreviate([name(m, limit=36) for m in models], _NAMED)


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _parts(c: BoardChanges, unit: str) -> Iterator[str]:
    """Yield the numbers of new and removed models and items."""
    for models, word in ((c.models_added, "new"), (c.models_removed, "removed")):
        if models:
            examples = f" ({_names(models)})" if len(models) <= _IN_HEADLINE else ""
            yield f"{len(models):,} {word} model{'' if len(models) == 1 else 's'}{examples}"
    for n, word in ((c.n_added, "new"), (c.n_removed, "removed"), (c.n_corrected, "corrected")):
        if n:
            yield f"{n:,} {word} {unit}{'' if n == 1 else 's'}"
    if c.n_added is None and c.n_units != c.n_units_old:
        yield f"{c.n_units:,} {unit}s instead of {c.n_units_old:,}"


def _because(c: BoardChanges, reason: ChangeReason) -> str:
    """Return a reason as a phrase; items may be new, removed, or both."""
    if reason != "items" or c.n_corrected or (c.n_added and c.n_removed):
        return _REASONS[reason]
    return "new items" if c.n_added else "removed items"


def _why(c: BoardChanges) -> str:
    """Return the number of changed ranges for each reason."""
    reasons = Counter(r.reasons[0] for r in c.rank_changes if r.reasons)
    if len(reasons) == 1:
        of_all = "all " if len(c.rank_changes) > 1 else ""
        return f", {of_all}because of {_because(c, next(iter(reasons)))}"
    texts = [f"{n:,} because of {_because(c, reason)}" for reason, n in reasons.most_common()]
    return f": {join_words(texts)}" if texts else ""


def change_sentences(c: BoardChanges, words: ChangeWords) -> list[str]:
    """Return what was added or removed, how many ranges changed and why, and new scores."""
    parts = list(_parts(c, words.unit))
    summary = join_words(parts) if parts else f"the same models and {words.unit}s"
    texts = [f"Since {name(c.since, limit=48)}: {summary}."]
    if not c.n_models_compared:
        return [
            *texts,
            "No model is in both snapshots. If models were renamed, use the same names in both "
            "files.",
        ]
    moved = len(c.rank_changes)
    if moved:
        verb = "range" if c.n_models_compared == 1 else "ranges"
        texts.append(f"{moved:,} of {c.n_models_compared:,} rank {verb} changed{_why(c)}.")
    else:
        texts.append("No rank range changed.")
    if words.unit == "item" and c.has_reasons:
        texts.append(_rerun_sentence(c, words))
    return texts


def _has_common_items(c: BoardChanges) -> bool:
    return c.n_removed is None or c.n_units_old > c.n_removed + c.n_corrected


def _rerun_sentence(c: BoardChanges, words: ChangeWords) -> str:
    if not _has_common_items(c):
        return "No item is in both snapshots."
    if not c.reruns:
        return "On the same items, no score changed."
    n, significant = len(c.reruns), [r for r in c.reruns if r.is_significant]
    have = f"{_count(n, 'model')} {'has' if n == 1 else 'have'} new scores on the same items"
    if not significant:
        return f"{have}; {'the change is not' if n == 1 else 'no change is'} significant."
    largest = max(significant, key=lambda r: abs(r.change))
    one = f"{name(largest.model, limit=36)} {words.gap(largest.change)}"
    if len(significant) == 1:
        return f"{have}; {'the' if n == 1 else 'one'} change is significant ({one})."
    return f"{have}; {len(significant):,} changes are significant (largest: {one})."


def _range_grid(c: BoardChanges) -> TextTable:
    """Return the changed rank ranges, those that only moved with new models last."""
    caused = [r for r in c.rank_changes if set(r.reasons) - {"new_models", "removed_models"}]
    visible_rows = (caused or list(c.rank_changes))[:_ROWS]
    hidden = len(c.rank_changes) - len(visible_rows)
    others = f" ({hidden:,} more{_displaced(c, caused)}: {as_json()})" if hidden else ""
    return TextTable(
        title=f"Changed rank ranges{others}",
        header=("model", "rank range before", "now", *(("reason",) if c.has_reasons else ())),
        rows=tuple(
            (
                name(r.model, limit=36),
                _range(r.old_low, r.old_high),
                _range(r.low, r.high),
                *((", ".join(_because(c, x) for x in r.reasons),) if c.has_reasons else ()),
            )
            for r in visible_rows
        ),
    )


def _displaced(c: BoardChanges, caused: Sequence[RankChange]) -> str:
    """Return that all other ranges changed because models were added or removed, if so."""
    is_all = bool(caused) and len(caused) <= _ROWS and c.has_reasons
    return " changed only because models were added or removed" if is_all else ""


def _rerun_grid(c: BoardChanges, words: ChangeWords) -> TextTable:
    hidden = len(c.reruns) - _ROWS
    clearest = sorted(c.reruns, key=lambda r: (r.pvalue_adjusted, -abs(r.change)))[:_ROWS]
    others = f" ({hidden:,} more: {as_json()})" if hidden > 0 else ""
    return TextTable(
        title=f"Models with new scores on the same items, new minus old{others}",
        header=("model", "items", "changed", "change", f"adjusted {words.conf} CI", "verdict"),
        rows=tuple(
            (
                name(r.model, limit=36),
                f"{r.n_items:,}",
                f"{r.n_changed:,}",
                words.gap(r.change),
                words.span(r.ci),
                "significant" if r.is_significant else "inconclusive",
            )
            for r in clearest
        ),
    )


def _verdict_grid(c: BoardChanges, words: ChangeWords) -> TextTable:
    visible_rows = c.verdict_changes[:_ALL_ROWS]
    others = (c.n_verdict_changes or len(c.verdict_changes)) - len(visible_rows)
    overflow_text = f" ({others:,} more among models that are not adjacent)" if others else ""
    reason_header = ("reason",) if c.has_reasons else ()
    return TextTable(
        title=f"Changed verdicts{overflow_text}",
        header=(
            "first",
            "second",
            "gap before",
            "gap now",
            "verdict before",
            "now",
            *reason_header,
        ),
        rows=tuple(
            (
                name(v.model_a, limit=28),
                name(v.model_b, limit=28),
                "–" if v.old_gap is None else words.gap(v.old_gap),
                "–" if v.gap is None else words.gap(v.gap),
                v.old_verdict,
                v.verdict,
                *(("–" if v.reason is None else _because(c, v.reason),) if reason_header else ()),
            )
            for v in visible_rows
        ),
    )


def key_tables(c: BoardChanges, words: ChangeWords) -> Iterator[TextTable]:
    """Yield the tables of one screen."""
    if c.reruns:
        yield _rerun_grid(c, words)
    if c.rank_changes:
        yield _range_grid(c)


def change_tables(c: BoardChanges, words: ChangeWords) -> Iterator[TextTable]:
    """Yield all tables of the changes."""
    yield from key_tables(c, words)
    if c.verdict_changes:
        yield _verdict_grid(c, words)


def _gap_words(v: VerdictChange, words: ChangeWords) -> str:
    """Return how a gap changed, with its adjusted intervals."""
    if v.old_gap is None or v.gap is None or v.old_ci is None or v.ci is None:
        return ""
    return (
        f"the gap to {name(v.model_b, limit=36)} was {words.gap(v.old_gap)} (adjusted "
        f"{words.conf} CI {words.span(v.old_ci)}) and is {words.gap(v.gap)} ({words.span(v.ci)})"
    )


def _seen_from(model: str, v: VerdictChange) -> VerdictChange:
    """Return a pair with the given model first."""
    if v.model_a == model:
        return v

    def turned(gap: float | None, ci: Interval | None) -> tuple[float | None, Interval | None]:
        return (
            None if gap is None else -gap,
            None if ci is None else Interval(-ci.high, -ci.low),
        )

    (old_gap, old_ci), (gap, ci) = turned(v.old_gap, v.old_ci), turned(v.gap, v.ci)
    return replace(
        v, model_a=model, model_b=v.model_a, old_gap=old_gap, old_ci=old_ci, gap=gap, ci=ci
    )


def _one(r: RankChange, c: BoardChanges, words: ChangeWords) -> str:
    """Return a sentence on one model: its ranges, the reason, and its rerun change."""
    rerun = next((x for x in c.reruns if x.model == r.model), None)
    text = (
        f"{name(r.model, limit=36)} changed from rank range {_range(r.old_low, r.old_high)} to "
        f"{_range(r.low, r.high)} because of {join_words([_because(c, x) for x in r.reasons])}"
    )
    if r.pair is not None:
        gap = _gap_words(_seen_from(r.model, r.pair), words)
        text += f": {gap}" if gap else ""
    if words.unit != "item":
        return f"{text}."
    if not _has_common_items(c):
        return f"{text}."
    if rerun is None:
        return f"{text}. Its scores on the same items did not change."
    is_clear = "" if rerun.is_significant else "not significantly, "
    return (
        f"{text}. Its own score changed {is_clear}by {words.gap(rerun.change)} "
        f"({words.span(rerun.ci)}) on the same items."
    )


def _effects(c: BoardChanges, words: ChangeWords) -> Iterator[str]:
    """Yield which models the other items favor."""
    if not c.item_effects:
        return
    items = f"The {_because(c, 'items')}"
    significant = [x for x in c.item_effects if x.is_significant]
    for x in sorted(significant, key=lambda x: -abs(x.change))[:_IN_DETAIL]:
        favors = (x.change > 0) is not words.lower_is_better
        yield (
            f"{items} {'favor' if favors else 'disfavor'} "
            f"{name(x.model, limit=36)}: they change its score relative to the mean of all models "
            f"by {words.gap(x.change)} (adjusted {words.conf} CI {words.span(x.ci)})."
        )
    if not significant:
        largest: ModelChange = max(c.item_effects, key=lambda x: abs(x.change))
        yield (
            f"{items} favor no model significantly (largest effect relative to "
            f"the mean of all models: {words.gap(largest.change)}, "
            f"{name(largest.model, limit=36)})."
        )


def _family(c: BoardChanges) -> Iterator[str]:
    """Yield how the critical value changed with the number of models."""
    if len(c.boards) < 2:
        return
    first, last = c.boards[0], c.boards[-1]
    if first.n_models == last.n_models or first.critical_value is None:
        return
    if last.critical_value is not None:
        yield (
            f"With {last.n_models:,} models, a gap is significant from "
            f"{last.critical_value:.2f} standard errors. With {first.n_models:,} models before, "
            f"it was significant from {first.critical_value:.2f}."
        )


def change_notes(c: BoardChanges, words: ChangeWords) -> Iterator[str]:
    """Yield notes on the changes, the most important first."""
    if not c.has_reasons and c.n_models_compared > 1:
        yield (
            f"{name(c.since, limit=48)} has no item scores, so the report cannot give "
            "reasons. To get reasons, compare with the older scores."
        )
    if c.rank_changes:
        tests = (
            ""
            if words.unit != "item" or not c.has_reasons
            else " Only its scores on the same items test that."
        )
        yield f"{_NOT_EVIDENCE}{tests}"
    detailed = [r for r in c.rank_changes if r.pair is not None]
    yield from (_one(r, c, words) for r in detailed[:_IN_DETAIL])
    for models, word in ((c.models_added, "New"), (c.models_removed, "Removed")):
        if len(models) > _IN_HEADLINE:
            yield f"{word} models: {_names(models)}."
    if c.n_corrected:
        have = "item has" if c.n_corrected == 1 else "items have"
        count_as = "It counts" if c.n_corrected == 1 else "They count"
        yield (
            f"{c.n_corrected:,} {have} the same id but a different text. {count_as} as new: "
            f"{abbreviate([name(i, limit=36) for i in c.items_corrected], _NAMED)}."
        )
    yield from _effects(c, words)
    if words.one_step:
        yield from _family(c)
    only_size = sum(v.reason == "family_size" for v in c.verdict_changes)
    if only_size:
        verdicts = "1 verdict" if only_size == 1 else f"{only_size:,} verdicts"
        yield (
            f"{verdicts} changed only because of the number of models: the data of these pairs "
            "are the same."
        )


def with_changes(doc: Document, c: BoardChanges | None, words: ChangeWords) -> Document:
    """Return a report of a leaderboard that begins with the changes."""
    if c is None:
        return doc
    texts = change_sentences(c, words)
    first, *others = doc.grids
    return replace(
        doc,
        headline=" ".join((*texts, doc.headline)),
        opening=texts[0],
        key=(*key_tables(c, words), *(doc.key or doc.grids[:1])),
        grids=(first, *change_tables(c, words), *others),
        notes=(*change_notes(c, words), *doc.notes),
    )
