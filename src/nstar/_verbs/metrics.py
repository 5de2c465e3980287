"""Metrics that are not averages, as one score per item: F1, AUROC, ratios, correlations, BLEU.

Each metric turns the columns of one model into jackknife pseudo-values, whose mean is the metric.
To add a metric, add an entry to ``METRICS``, and a case to its test.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from nstar import stats
from nstar._base.types import Array
from nstar._base.units import alternatives, join_words
from nstar.errors import DataError, ParameterError, QuestionError, arg

MetricColumns: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Values of the items of one model, by part."""

_FEWEST_OF_CLASS = 5
"""Fewest items of a class, below which intervals are too short."""
_ENOUGH_OF_CLASS = 20
"""Items of a class from which intervals are reliable."""
_TRUE = ("1", "yes")
"""Texts of the positive class, if none is named."""
_BLEU_ORDERS, _CHRF_ORDERS, _CHRF_BETA = 4, 6, 2
_CALLS = 20_000
"""Largest number of items for a metric from Python, which is computed once without each item."""


class MetricScores(NamedTuple):
    """A metric of one model."""

    value: float
    """The metric on all items."""
    scores: Array
    """One pseudo-value per item; their mean is the metric."""
    n_rare: int | None = None
    """Number of items that the metric rests on: those of the rarest class, or the effective number
    in a sum. None if all items count alike."""
    is_one_cutoff: bool = False
    """Whether the predictions of an area under a curve take two values."""


class Metric(NamedTuple):
    """A metric that is not an average."""

    label: str
    """Name in reports."""
    parts: tuple[str, ...]
    """Columns that it needs."""
    compute: Callable[[MetricColumns, str | None], MetricScores]
    """Function of the columns of one model and the positive class."""
    limits: tuple[float, float] | None = None
    """Worst and best possible value; None if there is no limit."""
    lower_is_better: bool = False
    """Whether a lower value is better."""
    is_text: bool = False
    """Whether the columns are texts that must not be read as numbers."""


def _label(value: object) -> str:
    """Return the text of a class, so that 1, 1.0, and True are one class."""
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return str(int(text.lower() == "true"))
    try:
        return f"{float(text):.12g}"
    except ValueError:
        return text


def _labels(values: npt.NDArray[Any]) -> npt.NDArray[np.str_]:
    """Return the class of each item."""
    if values.dtype == object:
        names = {value: _label(value) for value in set(values.tolist())}
        return np.array([names[value] for value in values.tolist()])
    different, place = np.unique(values, return_inverse=True)
    return np.array([_label(v) for v in different.tolist()])[place]


def _texts(values: npt.NDArray[Any]) -> list[str]:
    return [str(value) for value in values.tolist()]


def _classes(columns: MetricColumns) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.str_]]:
    """Return truth and predictions. Raise DataError if they have no class in common."""
    truth, guess = _labels(columns["truth"]), _labels(columns["prediction"])
    if not np.isin(guess, truth).any():
        classes, guesses = (join_words(sorted(set(x.tolist()))[:5]) for x in (truth, guess))
        msg = (
            f"No prediction is a class of the truth. The truth has {classes}; the predictions "
            f"have {guesses}."
        )
        raise DataError(msg)
    return truth, guess


def _numbers(columns: MetricColumns, part: str) -> Array:
    try:
        values = np.asarray(columns[part], dtype=np.float64)
    except (TypeError, ValueError) as error:
        example = next((v for v in columns[part].tolist() if not _is_number(v)), "text")
        msg = f"The column for {part} must contain numbers; got {example!r:.60}."
        raise DataError(msg) from error
    if not np.isfinite(values).all():
        msg = f"The column for {part} must contain finite numbers."
        raise DataError(msg)
    return values


def _correlated(columns: MetricColumns) -> tuple[Array, Array]:
    """Return truth and predictions. Raise DataError if either is constant."""
    pair = _numbers(columns, "truth"), _numbers(columns, "prediction")
    for part, values in zip(_PAIR, pair, strict=True):
        if np.ptp(values) == 0:
            msg = f"All values of {part} are equal, so the correlation is undefined."
            raise DataError(msg)
    return pair


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _positive_class(labels: Sequence[str], label: str | None, name: str = "f1") -> str:
    label = None if label is None else _label(label)
    classes = sorted(set(labels))
    if label is not None:
        if label not in classes:
            msg = f"The class {label!r} does not occur in the truth: {alternatives(classes[:10])}."
            raise DataError(msg)
        return label
    known_classes = [c for c in classes if c in _TRUE]
    if len(known_classes) == 1 and len(classes) <= 2:
        return known_classes[0]
    msg = (
        f"The positive class is unknown (classes: {join_words(classes[:10])}). Name it, as in "
        f"{arg('statistic', f'{name}:{classes[-1]}')}."
    )
    raise QuestionError(msg)


def _rates(kind: Literal["f1", "precision", "recall"]) -> Callable[[Array], Array]:
    """Return the function of sums of true positives, false positives, and false negatives."""

    def rate(sums: Array) -> Array:
        hits, false_positives, misses = (sums[..., k] for k in range(3))
        bottom = {
            "f1": hits + (false_positives + misses) / 2,
            "precision": hits + false_positives,
            "recall": hits + misses,
        }[kind]
        if np.any(bottom <= 0):
            msg = (
                f"The {kind} is undefined if an item is left out, because there are too few true "
                "or predicted positives."
            )
            raise DataError(msg)
        return np.asarray(hits / bottom)

    return rate


def _outcomes(truth: npt.NDArray[Any], guess: npt.NDArray[Any]) -> Array:
    return np.stack([truth & guess, ~truth & guess, truth & ~guess], axis=1).astype(np.float64)


def _binary(kind: Literal["f1", "precision", "recall"]) -> Metric:
    def compute(columns: MetricColumns, positive: str | None) -> MetricScores:
        truth, guess = _classes(columns)
        label = _positive_class(truth.tolist(), positive)
        is_true = truth == label
        value, scores = stats.jackknife_pseudo_values(
            _outcomes(is_true, guess == label), _rates(kind)
        )
        return MetricScores(value, scores, int(is_true.sum()))

    label = {"f1": "F1", "precision": "precision", "recall": "recall"}[kind]
    return Metric(label, ("truth", "prediction"), compute, (0.0, 1.0))


def _macro(kind: Literal["f1", "precision", "recall"]) -> Metric:
    """Return the mean over the classes of the truth."""

    def compute(columns: MetricColumns, positive: str | None) -> MetricScores:
        _refuse_class(positive)
        truth, guess = _classes(columns)
        classes, counts = np.unique(truth, return_counts=True)
        parts = [
            stats.jackknife_pseudo_values(_outcomes(truth == c, guess == c), _rates(kind))
            for c in classes
        ]
        return MetricScores(
            float(np.mean([value for value, _ in parts])),
            np.mean([scores for _, scores in parts], axis=0),
            int(counts.min()),
        )

    return Metric(
        f"macro {'F1' if kind == 'f1' else kind}", ("truth", "prediction"), compute, (0.0, 1.0)
    )


def _refuse_class(positive: str | None) -> None:
    if positive is not None:
        msg = f"This statistic has no positive class. Remove {positive!r} from {arg('statistic')}."
        raise QuestionError(msg)


def _of_sums(
    terms: Callable[[MetricColumns], Array], function: Callable[[Array], Any]
) -> Callable[[MetricColumns, str | None], MetricScores]:
    """Return the computation of a metric that is a function of sums over items."""

    def compute(columns: MetricColumns, positive: str | None) -> MetricScores:
        _refuse_class(positive)
        value, scores = stats.jackknife_pseudo_values(terms(columns), function)
        if not np.isfinite(scores).all():
            msg = "The metric is undefined if an item is left out, because a sum is then 0."
            raise DataError(msg)
        return MetricScores(value, scores)

    return compute


def _ratio_terms(columns: MetricColumns) -> Array:
    return np.stack([_numbers(columns, "numerator"), _numbers(columns, "denominator")], axis=1)


def _ratio(sums: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def _ratio_scores(columns: MetricColumns, positive: str | None) -> MetricScores:
    """Return a ratio of sums, and the effective number of items in its denominator."""
    result = _of_sums(_ratio_terms, _ratio)(columns, positive)
    weights = np.abs(_numbers(columns, "denominator"))
    return result._replace(n_rare=int(weights.sum() ** 2 / max((weights**2).sum(), 1e-300)))


def _error_terms(columns: MetricColumns) -> Array:
    error = _numbers(columns, "truth") - _numbers(columns, "prediction")
    return np.stack([error**2, np.ones_like(error)], axis=1)


def _root_mean(sums: Array) -> Array:
    return np.sqrt(_ratio(sums))


def _product_terms(columns: MetricColumns) -> Array:
    x, y = _correlated(columns)
    x, y = x - x.mean(), y - y.mean()
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)


def _correlation(sums: Array) -> Array:
    n, x, y, xx, yy, xy = (sums[..., k] for k in range(6))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))


def _spearman(columns: MetricColumns, positive: str | None) -> MetricScores:
    _refuse_class(positive)
    return MetricScores(*stats.spearman_pseudo_values(*_correlated(columns)))


def _auroc(columns: MetricColumns, positive: str | None) -> MetricScores:
    truth = _labels(columns["truth"])
    is_true = truth == _positive_class(truth.tolist(), positive, "auroc")
    n_rare = int(min(is_true.sum(), (~is_true).sum()))
    _refuse_rare("AUROC", n_rare)
    predictions = _numbers(columns, "prediction")
    value, scores = stats.auroc_pseudo_values(is_true, predictions)
    return MetricScores(value, scores, n_rare, is_one_cutoff=np.unique(predictions).size == 2)


def _bleu_terms(columns: MetricColumns) -> Array:
    """Return the matches, totals, and lengths of every segment, by sacrebleu."""
    try:
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 an optional package
    except ImportError as error:
        msg = "BLEU needs the package sacrebleu. Install it with: pip install 'nstar[bleu]'."
        raise ParameterError(msg) from error
    metric = BLEU(effective_order=True)
    rows = []
    for guess, truth in zip(_texts(columns["prediction"]), _texts(columns["truth"]), strict=True):
        s = metric.sentence_score(str(guess), [str(truth)])
        rows.append([*s.counts, *s.totals, s.sys_len, s.ref_len])
    return np.array(rows, dtype=np.float64)


def _bleu(sums: Array) -> Array:
    matches, totals = sums[..., :_BLEU_ORDERS], sums[..., _BLEU_ORDERS : 2 * _BLEU_ORDERS]
    length, reference = sums[..., -2], sums[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_precision = np.log(matches / totals).mean(axis=-1)
        brevity = np.minimum(1 - reference / length, 0.0)
    return np.asarray(100 * np.exp(log_precision + brevity))


def _grams(text: str, order: int) -> Counter[str]:
    return Counter(text[k : k + order] for k in range(len(text) - order + 1))


def _chrf_terms(columns: MetricColumns) -> Array:
    """Return the n-grams of characters in prediction and truth, and their matches, by order."""
    rows = []
    for guess, truth in zip(_texts(columns["prediction"]), _texts(columns["truth"]), strict=True):
        row: list[int] = []
        one, other = ("".join(str(text).split()) for text in (guess, truth))
        for order in range(1, _CHRF_ORDERS + 1):
            a, b = _grams(one, order), _grams(other, order)
            row += [a.total() if b else 0, b.total(), (a & b).total()]
        rows.append(row)
    return np.array(rows, dtype=np.float64)


def _chrf(sums: Array) -> Array:
    guess, truth, matches = (sums[..., k::3] for k in range(3))
    is_effective = (guess > 0) & (truth > 0)
    orders = np.maximum(is_effective.sum(axis=-1), 1)
    p, r = (
        np.where(is_effective, matches / np.maximum(grams, 1), 0.0).sum(axis=-1) / orders
        for grams in (guess, truth)
    )
    weighted = _CHRF_BETA**2 * p + r
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (1 + _CHRF_BETA**2) * p * r / weighted
    return np.asarray(100 * np.where(weighted > 0, score, 0.0))


def _refuse_rare(label: str, n_rare: int) -> None:
    if n_rare < _FEWEST_OF_CLASS:
        msg = (
            f"{label} rests on {n_rare} items of one class or sum. It needs at least "
            f"{_FEWEST_OF_CLASS}, because intervals with fewer are too short."
        )
        raise DataError(msg)


_PAIR = ("truth", "prediction")
METRICS: Mapping[str, Metric] = {
    "f1": _binary("f1"),
    "precision": _binary("precision"),
    "recall": _binary("recall"),
    "macro-f1": _macro("f1"),
    "macro-precision": _macro("precision"),
    "macro-recall": _macro("recall"),
    "auroc": Metric("AUROC", _PAIR, _auroc, (0.0, 1.0)),
    "ratio": Metric("ratio of sums", ("numerator", "denominator"), _of_sums(_ratio_terms, _ratio)),
    "rmse": Metric("RMSE", _PAIR, _of_sums(_error_terms, _root_mean), lower_is_better=True),
    "pearson": Metric("Pearson's r", _PAIR, _of_sums(_product_terms, _correlation), (-1.0, 1.0)),
    "spearman": Metric("Spearman's rho", _PAIR, _spearman, (-1.0, 1.0)),
    "bleu": Metric("BLEU", _PAIR, _of_sums(_bleu_terms, _bleu), (0.0, 100.0), is_text=True),
    "chrf": Metric("chrF", _PAIR, _of_sums(_chrf_terms, _chrf), (0.0, 100.0), is_text=True),
}
"""Metrics by the name that ``statistic`` takes."""


def metric_of(
    statistic: str | Callable[[MetricColumns], float], parts: Sequence[str]
) -> tuple[Metric, str | None]:
    """Return a metric by its name, such as ``f1:spam``, and its positive class if one is named.

    A function from Python takes the columns of one model by part, and returns a number.
    """
    if callable(statistic):
        return _called(statistic, tuple(parts)), None
    name, colon, positive = str(statistic).partition(":")
    metric = METRICS.get(name)
    if quantile_level(statistic) is not None:
        msg = (
            f"{arg('statistic', statistic)} compares two models, because leaderboards need "
            "pseudo-values, and quantiles have none. Use nstar compare."
        )
        raise QuestionError(msg)
    if metric is None:
        names = alternatives([*METRICS, "median", "p95"])
        msg = f"{arg('statistic')} must be {names}; got {statistic!r:.60}"
        raise ParameterError(msg)
    return metric, positive if colon else None


def quantile_level(statistic: object) -> float | None:
    """Return the level of a quantile by its name; None for any other statistic.

    >>> quantile_level("median"), quantile_level("p95"), quantile_level("f1")
    (0.5, 0.95, None)
    """
    if statistic == "median":
        return 0.5
    match = re.fullmatch(r"[pP](\d{1,2}(?:\.\d{1,3})?)", str(statistic))
    percent = float(match[1]) if match else 0.0
    return percent / 100 if percent > 0 else None


def quantile_label(level: float) -> str:
    """Return the name of a quantile in reports.

    >>> quantile_label(0.5), quantile_label(0.95)
    ('median', 'P95')
    """
    return "median" if level == 0.5 else f"P{100 * level:.6g}"


def _called(function: Callable[[MetricColumns], float], parts: tuple[str, ...]) -> Metric:
    """Return the metric of a function, which is called once without each item."""
    if not parts:
        columns_text = arg("columns", {"truth": "NAME"})
        msg = f"A function needs the columns that it takes, as in {columns_text}."
        raise QuestionError(msg)

    def of_rows(columns: MetricColumns) -> float:
        try:
            return float(function(columns))
        except Exception as error:
            msg = f"The statistic failed with {type(error).__name__}: {error}"
            raise DataError(msg) from error

    def compute(columns: MetricColumns, _positive: str | None) -> MetricScores:
        n = next(iter(columns.values())).size
        if n > _CALLS:
            msg = f"A function is called once per item, so at most {_CALLS:,} items are allowed."
            raise ParameterError(msg)
        keep = np.ones(n, dtype=np.bool_)
        without = np.empty(n)
        for k in range(n):
            keep[k] = False
            without[k] = of_rows({p: v[keep] for p, v in columns.items()})
            keep[k] = True
        value = of_rows(columns)
        if not (math.isfinite(value) and np.isfinite(without).all()):
            msg = "The statistic is not finite on all items, or without one of them."
            raise DataError(msg)
        return MetricScores(value, value + (n - 1) * (without.mean() - without))

    name = getattr(function, "__name__", "").strip("<>")
    return Metric("the statistic" if name in ("", "lambda") else name, parts, compute)


def measured(metric: Metric, columns: MetricColumns, positive: str | None) -> MetricScores:
    """Return the metric of one model. Raise DataError if a class has too few items."""
    result = metric.compute(columns, positive)
    if result.n_rare is not None:
        _refuse_rare(metric.label, result.n_rare)
    return result


def is_rare(n_rare: int | None) -> bool:
    """Return whether a class has so few items that intervals are slightly too short."""
    return n_rare is not None and n_rare < _ENOUGH_OF_CLASS
