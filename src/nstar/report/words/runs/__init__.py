"""A Runs in words."""

from nstar._verbs.runs import Runs
from nstar.report.documents import Chart, Document
from nstar.report.words.numbers import percent
from nstar.report.words.runs.headline import headline
from nstar.report.words.runs.notes import assumptions, notes
from nstar.report.words.runs.tables import grids

__all__ = ["document"]


def _chart(result: Runs) -> Chart | None:
    """pass@k above pass^k of the first model that has three points of them."""
    places = ("the first model", "the second model") if len(result.models) > 1 else ("",)
    for model, place in zip(result.models, places, strict=True):
        at, hat = model.pass_at, model.pass_hat
        if at is None or hat is None or len(at.k) < 3:
            continue
        last = int(at.k[-1])
        return Chart(
            title=f"pass@k (upper curve) and pass^k (lower){place and f' of {place}'}, by k",
            x=tuple(float(k) for k in at.k),
            y=tuple(float(v) for v in at.estimate),
            also=tuple(float(v) for v in hat.estimate),
            x_labels=("k = 1", f"k = {last:,}"),
            mark=(2.0, "2"),
            level=(model.mean, percent(model.mean, 0)),
        )
    return None


def document(result: Runs) -> Document:
    """Headline, the error of the gap, each model, pass curves, tasks."""
    return Document(
        headline=headline(result),
        grids=grids(result),
        chart=_chart(result),
        notes=notes(result),
        assumptions=assumptions(result),
    )
