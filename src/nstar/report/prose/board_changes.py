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
    RankMethod,
    VerdictChange,
)
from nstar.report.documents import Document, TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.numbers import name

_REASONS: dict[ChangeReason, str] = {
    "scores": "new scores on the same items",
    "items": "new and removed items",
    "removed_models": "removed models",
    "new_models": "new models",
    "family_size": "the number of models",
}
_OF_VOTES: dict[ChangeReason, str] = {
    "votes": "new and removed votes",
    "removed_models": "models without a rating now",
    "new_models": "newly rated models",
}
"""Reasons of votes, which differ because a model can have votes and no rating."""
_METHODS: dict[RankMethod, str] = {
    "maxt": "max-T",
    "holm": "Holm's method",
    "anytime": "Bonferroni at every look",
    "none": "no adjustment",
}
_ROWS, _IN_DETAIL, _NAMED, _IN_HEADLINE = 20, 3, 5, 2
"""Rows of a table, sentences about single models, and names in a list or in the headline."""
_ALL_ROWS = 200
_VERDICT_HEADER = ("first", "second", "gap before", "gap now", "verdict before", "now")


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
    new, removed = ("newly rated {}", "{} without a rating now")
    if unit == "item":
        new, removed = ("new {}", "removed {}")
    for models, phrase in ((c.models_added, new), (c.models_removed, removed)):
        if models:
            examples = f" ({_names(models)})" if len(models) <= _IN_HEADLINE else ""
            noun = "model" if len(models) == 1 else "models"
            yield f"{len(models):,} {phrase.format(noun)}{examples}"
    for n, word in ((c.n_added, "new"), (c.n_removed, "removed"), (c.n_corrected, "corrected")):
        if n:
            yield _count(n, f"{word} {unit}")
    if c.n_added is None and c.n_units != c.n_units_old:
        yield f"{c.n_units:,} {unit}s instead of {c.n_units_old:,}"


def _because(c: BoardChanges, words: ChangeWords, reason: ChangeReason) -> str:
    """Return a reason as a phrase; items and votes may be new, removed, or both."""
    is_both = c.n_corrected or (c.n_added and c.n_removed)
    if reason in ("items", "votes") and not is_both:
        return f"{'new' if c.n_added else 'removed'} {reason}"
    return {**_REASONS, **(_OF_VOTES if words.unit == "vote" else {})}[reason]


def _why(c: BoardChanges, words: ChangeWords) -> str:
    """Return the number of changed ranges for each reason."""
    reasons = Counter(r.reasons[0] for r in c.rank_changes if r.reasons)
    later = Counter(reason for r in c.rank_changes for reason in r.reasons[1:])
    texts, others = (
        join_words([f"{n:,} {because} {_because(c, words, x)}" for x, n in counts.most_common()])
        for counts, because in ((reasons, "because of"), (later, "also because of"))
    )
    later_texts = f" ({others})" if others else ""
    if len(reasons) == 1:
        of_all = "all " if len(c.rank_changes) > 1 else ""
        return f", {of_all}because of {_because(c, words, next(iter(reasons)))}{later_texts}"
    return f": {texts}{later_texts}" if texts else ""


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
    n_changed = len(c.rank_changes)
    if n_changed:
        of_all = f"{n_changed:,} of {_count(c.n_models_compared, 'rank range')}"
        texts.append(f"{of_all} changed{_why(c, words)}.")
    else:
        texts.append("No rank range changed.")
    if c.method != c.old_method and not _uses_holm_for_both(c):
        texts.append(
            f"The older results use {_METHODS[c.old_method]}, and these use {_METHODS[c.method]}, "
            "which alone can change rank ranges and verdicts."
        )
    if words.unit == "item" and c.has_reasons:
        texts.append(_rerun_sentence(c, words))
    return texts


def _uses_holm_for_both(c: BoardChanges) -> bool:
    """Return whether the older data were analyzed again, with the method of the newer ones."""
    return c.n_added is not None and c.method == "holm"


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


def _range_grid(c: BoardChanges, words: ChangeWords) -> TextTable:
    """Return the changed rank ranges, those that only changed with other models last."""
    main = [r for r in c.rank_changes if set(r.reasons) - {"new_models", "removed_models"}]
    visible_rows = (main or list(c.rank_changes))[:_ROWS]
    n_more = len(c.rank_changes) - len(visible_rows)
    is_all = bool(main) and len(main) <= _ROWS and c.has_reasons
    cause = " changed only because models were added or removed" if is_all else ""
    others = f" ({n_more:,} more{cause}: {as_json()})" if n_more else ""
    return TextTable(
        title=f"Changed rank ranges{others}",
        header=("model", "rank range before", "now", *("reason",) * c.has_reasons),
        rows=tuple(
            (
                name(r.model, limit=36),
                _range(r.old_low, r.old_high),
                _range(r.low, r.high),
                *(", ".join(_because(c, words, x) for x in r.reasons),) * c.has_reasons,
            )
            for r in visible_rows
        ),
    )


def _rerun_grid(c: BoardChanges, words: ChangeWords) -> TextTable:
    n_more = len(c.reruns) - _ROWS
    clearest = sorted(c.reruns, key=lambda r: (r.pvalue_adjusted, -abs(r.change)))[:_ROWS]
    others = f" ({n_more:,} more: {as_json()})" if n_more > 0 else ""
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
    remainder = f" ({others:,} more among other pairs)" if others else ""
    return TextTable(
        title=f"Changed verdicts{remainder}",
        header=(*_VERDICT_HEADER, *("reason",) * c.has_reasons),
        rows=tuple(
            (
                name(v.model_a, limit=28),
                name(v.model_b, limit=28),
                "–" if v.old_gap is None else words.gap(v.old_gap),
                "–" if v.gap is None else words.gap(v.gap),
                v.old_verdict,
                v.verdict,
                *("–" if v.reason is None else _because(c, words, v.reason),) * c.has_reasons,
            )
            for v in visible_rows
        ),
    )


def key_tables(c: BoardChanges, words: ChangeWords) -> Iterator[TextTable]:
    """Yield the tables of one screen."""
    if c.reruns:
        yield _rerun_grid(c, words)
    if c.rank_changes:
        yield _range_grid(c, words)


def change_tables(c: BoardChanges, words: ChangeWords) -> Iterator[TextTable]:
    """Yield all tables of the changes."""
    yield from key_tables(c, words)
    if c.verdict_changes:
        yield _verdict_grid(c, words)


def _gap_words(v: VerdictChange, model: str, words: ChangeWords) -> str:
    """Return how the gap of a model to the other one changed, with its adjusted intervals."""
    if v.old_gap is None or v.gap is None or v.old_ci is None or v.ci is None:
        return ""
    other, gaps, intervals = v.model_b, (v.old_gap, v.gap), (v.old_ci, v.ci)
    if v.model_a != model:
        other, gaps = v.model_a, (-v.old_gap, -v.gap)
        intervals = (Interval(-v.old_ci.high, -v.old_ci.low), Interval(-v.ci.high, -v.ci.low))
    return (
        f": the gap to {name(other, limit=36)} was {words.gap(gaps[0])} (adjusted {words.conf} CI "
        f"{words.span(intervals[0])}) and is {words.gap(gaps[1])} ({words.span(intervals[1])})"
    )


def _one(r: RankChange, c: BoardChanges, words: ChangeWords) -> str:
    """Return a sentence on one model: its ranges, the reason, and its rerun change."""
    rerun = next((x for x in c.reruns if x.model == r.model), None)
    reasons = join_words([_because(c, words, reason) for reason in r.reasons])
    text = (
        f"{name(r.model, limit=36)} changed from rank range {_range(r.old_low, r.old_high)} to "
        f"{_range(r.low, r.high)} because of {reasons}"
    )
    if r.pair is not None:
        text += _gap_words(r.pair, r.model, words)
    if words.unit != "item" or not _has_common_items(c):
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
    items = f"The {_because(c, words, 'items')}"
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


def _without_reasons(c: BoardChanges, words: ChangeWords) -> str:
    if c.n_added is not None:  # the votes are known
        return (
            "The votes between the models of both snapshots cannot rate all of them, so the "
            "report cannot give reasons."
        )
    data = "votes" if words.unit == "vote" else "scores"
    content = "votes" if words.unit == "vote" else "item scores"
    return (
        f"{name(c.since, limit=48)} has no {content}, so the report cannot give reasons. To get "
        f"reasons, compare with the older {data}."
    )


def _data(c: BoardChanges, words: ChangeWords) -> Iterator[str]:
    """Yield the names of many models, and the corrected items."""
    titles = ("New models", "Removed models")
    if words.unit == "vote":
        titles = ("Newly rated models", "Models without a rating now")
    for models, title in zip((c.models_added, c.models_removed), titles, strict=True):
        if len(models) > _IN_HEADLINE:
            yield f"{title}: {_names(models)}."
    if c.n_corrected:
        have = "item has" if c.n_corrected == 1 else "items have"
        count_as = "It counts" if c.n_corrected == 1 else "They count"
        yield (
            f"{c.n_corrected:,} {have} the same id but a different text. {count_as} as new: "
            f"{abbreviate([name(i, limit=36) for i in c.items_corrected], _NAMED)}."
        )


def _ranges(c: BoardChanges, words: ChangeWords) -> Iterator[str]:
    """Yield what changed ranges show, with examples."""
    if not c.rank_changes:
        return
    is_tested = words.unit == "item" and c.has_reasons
    tests = " Only its scores on the same items test that." if is_tested else ""
    yield f"A changed rank range is not evidence that a model changed.{tests}"
    if c.has_reasons:
        examples = [r for r in c.rank_changes if r.pair is not None]
        yield from (_one(r, c, words) for r in examples[:_IN_DETAIL])


def change_notes(c: BoardChanges, words: ChangeWords) -> Iterator[str]:
    """Yield notes on the changes, the most important first."""
    if not c.has_reasons and c.n_models_compared > 1:
        yield _without_reasons(c, words)
    if c.method != c.old_method and _uses_holm_for_both(c):
        yield (
            f"Both snapshots are compared with Holm's method. The older results alone use "
            f"{_METHODS[c.old_method]}, so their own rank ranges can differ."
        )
    yield from _ranges(c, words)
    yield from _data(c, words)
    yield from _effects(c, words)
    if words.one_step:
        yield from _family(c)
    only_size = sum(v.reason == "family_size" for v in c.verdict_changes)
    if only_size:
        yield (
            f"{_count(only_size, 'verdict')} changed only because of the number of models: the "
            "data of these pairs are the same."
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
