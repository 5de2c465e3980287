"""Titles and numbers on the pages of items, runs, subsets, judges, and simulations."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nstar._verbs.gate import FalseAlarms
from nstar._verbs.items import Items
from nstar._verbs.judged import Judged
from nstar._verbs.judges import Judges
from nstar._verbs.race import RaceResult
from nstar._verbs.reference import Known
from nstar._verbs.runs import Runs
from nstar._verbs.shrink import Subset
from nstar._verbs.watch import WatchResult
from nstar.report.documents import Tile
from nstar.report.prose.comparison.headline import p_is, rounded
from nstar.report.prose.gap import coverage, gap, score, sequence_scale, span
from nstar.report.prose.numbers import count, items, name, percent, probability
from nstar.report.prose.page_top._tile import tile
from nstar.report.prose.runs.notes import plain_span, tasks

_MDE = "minimum detectable effect (MDE)"


def _detected(power: float) -> str:
    return f"A true gap of this size is detected with {probability(power)} power."


def _items(result: Items) -> Iterator[Tile]:
    counts = result.item_counts
    n, total = counts.n_non_discriminating, counts.n_items
    right, wrong = count(counts.n_all_correct), count(counts.n_all_wrong)
    text = f"All models answer {right} correctly and {wrong} incorrectly."
    explanation = text if result.is_binary else ""
    yield tile(percent(n / total, 1), "non-discriminating items", explanation)
    n_top, mde = int(result.pairs.n_discordant[0]), float(result.pairs.mde[0])
    yield tile(count(n_top), "items on which the top two differ", f"Of {items(total)}.")
    if math.isfinite(mde):
        yield tile(gap(result, mde), "MDE of the top two", _detected(result.criteria.power))
    n_suspect = int(np.count_nonzero(result.table.suspicion_rank > 0))
    explanation = "Items that better models answer incorrectly more often."
    yield tile(count(n_suspect), "answer keys to check", explanation)


def _items_title(result: Items) -> str:
    counts = result.item_counts
    n, total = counts.n_non_discriminating, counts.n_items
    if not n:
        return f"All {items(total)} discriminate between models"
    return f"{count(n)} of {items(total)} {'does' if n == 1 else 'do'} not discriminate"


def _runs(result: Runs) -> Iterator[Tile]:
    if result.estimate is not None and len(result.model_runs) == 2:
        yield from _two_runs(result)
        return
    for model in result.model_runs[:1]:
        ci = "" if model.ci is None else plain_span(result, model.ci)
        explanation = f"{coverage(result.confidence_level)} CI {ci}." if ci else ""
        yield tile(score(result, model.mean), "mean score", explanation)
        if model.flip_probability is not None:
            explanation = "Probability that two runs of a task have different outcomes."
            yield tile(probability(model.flip_probability), "of run pairs disagree", explanation)
        if model.pass_hat is not None and len(model.pass_hat.k) > 1:
            k, share = int(model.pass_hat.k[-1]), float(model.pass_hat.estimate[-1])
            yield tile(percent(share, 1), f"pass^{k}", f"Tasks on which all of {k} runs pass.")
        if model.removable_share is not None:
            explanation = "Share of the variance that unlimited runs would remove."
            yield tile(probability(model.removable_share), "run-to-run noise", explanation)


def _two_runs(result: Runs) -> Iterator[Tile]:
    one = result.estimate
    if one is None:
        return
    pair = one.comparison
    explanation = (
        f"{coverage(pair.confidence_level)} CI {span(pair, pair.ci)}, {p_is(pair.pvalue)}."
    )
    yield tile(gap(pair, pair.gap, sign=True), "gap, first minus second", explanation)
    if one.mde is not None:
        yield tile(gap(pair, one.mde), _MDE, _detected(result.criteria.power))
    if one.removable_share is not None:
        explanation = "Share of the variance that unlimited runs would remove."
        yield tile(probability(one.removable_share), "run-to-run noise", explanation)


def _runs_title(result: Runs) -> str:
    if result.estimate is not None and len(result.model_runs) == 2:
        pair = result.estimate.comparison
        words = {"better": "Significant", "worse": "Significant"}
        word = words.get(pair.verdict, pair.verdict.capitalize())
        return f"{word}: a gap of {gap(pair, pair.gap, sign=True)} on {tasks(pair.n_items)}"
    model = result.model_runs[0]
    return f"The mean score is {score(result, model.mean)} on {tasks(len(model.tasks))}"


def _subset(subset: Subset) -> Iterator[Tile]:
    share = percent(subset.n_items / subset.n_items_total, 0)
    explanation = f"{share} of {items(subset.n_items_total)}."
    yield tile(count(subset.n_items), "items in the subset", explanation)
    labels = {"new": "MDE of two new models", "known": "MDE of a new and a known model"}
    for against, label in labels.items():
        mde = subset.resolution(against, "benchmark").mde  # type: ignore[arg-type]
        if mde > 0:
            yield tile(gap(subset, mde), label, "In the score on the full benchmark.")


def _subset_title(subset: Subset) -> str:
    n, total = count(subset.n_items), items(subset.n_items_total)
    if subset.n_items == subset.n_items_total:
        return f"The subset has all {total}"
    mde = gap(subset, subset.resolution("new", "benchmark").mde)
    return f"{n} of {total} detect gaps of {mde}"


def _judges(result: Judges) -> Iterator[Tile]:
    row = next((j for j in result.judges if j.judge == result.best_judge), None)
    if row is not None and row.r is not None:
        ci = ""
        if row.r_ci is not None:
            low, high = (f"{float(end):.2f}".replace("-", "−") for end in row.r_ci)
            ci = f"{coverage(result.confidence_level)} CI {low} to {high}."
        yield tile(f"{row.r:.2f}".replace("-", "−"), "correlation with the labels", ci)
        if row.gain is not None:
            explanation = f"As precise as {count(row.n_labels)} labels with the judge."
            yield tile(rounded(row.gain * row.n_labels), "labels without a judge", explanation)
    explanation = f"Of {items(result.n_items)}."
    yield tile(count(result.n_labels), "labeled items", explanation)


def _judges_title(result: Judges) -> str:
    if not result.best_judge:
        return f"Agreement of {len(result.judges):,} judges"
    return f"{name(result.best_judge, limit=30)} agrees best with human labels"


def _judged(result: Judged) -> Iterator[Tile]:
    e = result.estimate
    conf = coverage(result.confidence_level)
    explanation = f"{conf} CI {span(result, e.ci)}, {p_is(e.pvalue)}."
    yield tile(gap(result, e.gap, sign=True), "corrected gap, first minus second", explanation)
    first, second = (model.judge_mean for model in result.model_estimates)
    explanation = "Without the labels."
    yield tile(gap(result, first - second, sign=True), "gap by the judge alone", explanation)
    if result.mde is not None:
        yield tile(gap(result, result.mde), _MDE, _detected(result.criteria.power))


def _verdict_title(result: Judged | Known) -> str:
    words = {"better": "Significant", "worse": "Significant"}
    word = words.get(result.verdict, result.verdict.capitalize())
    text = gap(result, result.estimate.gap, sign=True)
    return f"{word}: a gap of {text} on {items(result.n_items)}"


def _known(result: Known) -> Iterator[Tile]:
    e = result.estimate
    conf = coverage(result.confidence_level)
    explanation = f"{conf} CI {span(result, e.ci)}, {p_is(e.pvalue)}."
    yield tile(gap(result, e.gap, sign=True), "gap, new minus known", explanation)
    if result.significant_gap is not None:
        explanation = "An observed gap above this size is significant."
        yield tile(gap(result, result.significant_gap), "significant from", explanation)
    explanation = f"Of {items(result.n_items)} with known scores."
    yield tile(count(result.n_sampled), "items of the new model", explanation)


def _alarms(result: FalseAlarms) -> Iterator[Tile]:
    pairs = result.disjoint_pairs
    total = sum((pairs.n_pass, pairs.n_regression, pairs.n_inconclusive, pairs.n_invalid_data))
    ends = [percent(float(end), 0) for end in result.ci or ()]
    explanation = f"{coverage(result.confidence_level)} CI {' to '.join(ends)}." if ends else ""
    yield tile(f"{pairs.n_regression:,} of {total:,}", "false alarms", explanation)
    yield tile(f"{len(result.runs):,}", "runs of one model", f"{items(result.n_items)} each.")
    if result.question.margin is not None:
        margin = percent(result.question.margin).replace("%", " pp")
        yield tile(margin, "margin", "The largest acceptable loss.")


def _watch(result: WatchResult) -> Iterator[Tile]:
    explanation = f"Of {items(result.n_items_planned)} planned."
    yield tile(count(result.n_items), "items", explanation)
    if math.isfinite(result.gap):
        scale = sequence_scale(result, result.confidence_sequence)
        explanation = f"Confidence sequence {span(scale, result.confidence_sequence)}."
        yield tile(gap(scale, result.gap, sign=True), "gap", explanation)
    yield tile(f"{math.exp(min(result.log_e_value, 30)):.3g}", "e-value", "Against no gap.")


def _watch_title(result: WatchResult) -> str:
    state = "No decision yet" if result.decided_at is None else "Decided"
    return f"{state}: {count(result.n_items)} of {items(result.n_items_planned)}"


def _race(result: RaceResult) -> Iterator[Tile]:
    n, total = len(result.active_models), len(result.question.models)
    yield tile(f"{n:,} of {total:,}", "models remain", "The others are eliminated.")
    total_items = result.n_items + result.n_items_left
    yield tile(count(result.n_items), "items", f"Of {items(total_items)} planned.")
    explanation = "Answers that eliminated models no longer give."
    yield tile(count(result.n_answers_saved), "answers saved", explanation)


def _race_title(result: RaceResult) -> str:
    n, total = len(result.active_models), len(result.question.models)
    return f"{n:,} of {total:,} models remain after {items(result.n_items)}"


TILES: dict[str, Callable[[Any], Iterator[Tile]]] = {
    "Items": _items,
    "Runs": _runs,
    "Subset": _subset,
    "Judges": _judges,
    "Judged": _judged,
    "Known": _known,
    "FalseAlarms": _alarms,
    "WatchResult": _watch,
    "RaceResult": _race,
}
TITLES: dict[str, Callable[[Any], str]] = {
    "Items": _items_title,
    "Runs": _runs_title,
    "Subset": _subset_title,
    "Judges": _judges_title,
    "Judged": _verdict_title,
    "Known": _verdict_title,
    "WatchResult": _watch_title,
    "RaceResult": _race_title,
}
