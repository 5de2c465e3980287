"""Flags on single models, from findings of the audit.

A finding is a sentence; the models that it concerns are parsed from it, by kind.
"""

import re
from collections.abc import Iterator, Mapping

from nstar._verbs.audit import Audit
from nstar.report.prose.audit.ranking import MOST
from nstar.report.prose.numbers import items

_FORMS: dict[str, tuple[str, str]] = {
    "constant-scores": (r"{} scores \S+ on every item .*", "same score on every item"),
    "sorted-scores": (r"scores of {} are sorted along the items", "scores are sorted"),
    "identical-models": (
        r"(?:.*, )?{}(?:, .*)?(?: and .*)? have identical scores on every item.*"
        r"|.* and {} have identical scores on every item.*",
        "same scores as another model",
    ),
    "failed-run": (r"{}(?: on .*)? did not finish: .*", "run did not finish"),
    "stopped-early": (r"{}(?: on .*)? was stopped early .*", "stopped early"),
    "partial-run": (r"{}(?: on .*)? covers [\d,]+(?: of [\d,]+)? items.*", "partial run"),
    "mean-differs": (
        r"{}(?: on .*)?: .* but the harness reported .*",
        "mean differs from its log",
    ),
    "errors": (r"{}(?: on .*)?: [\d,]+ scores? of .* that ended in an error .*", "errors"),
}
"""How a finding names a model, and what to say in a word beside the model."""


def _about(audit: Audit) -> Iterator[tuple[str, str, str]]:
    """Findings about single models: their form, in a word, in full."""
    metric = "" if audit.metric == "score" else f"[{audit.metric}]"
    where = " ".join(filter(None, (audit.task, metric)))
    prefix = f"{where}: " if where else ""
    for finding in audit.findings:
        if finding.code in _FORMS:
            form, word = _FORMS[finding.code]
            yield form, word, finding.text.removeprefix(prefix)


def model_findings(audit: Audit) -> Mapping[int, list[tuple[str, str]]]:
    """Place of each model that a finding names → in a word, in full."""
    by_model: dict[int, list[tuple[str, str]]] = {}
    for form, word, text in _about(audit):
        for i, name in enumerate(audit.ranking.model):
            pattern = form.replace("{}", re.escape(name))
            if name in text and re.fullmatch(pattern, text, re.DOTALL):
                by_model.setdefault(i, []).append((word, text))
    return by_model


def fewer_items(audit: Audit, i: int) -> str | None:
    """That a model's mean is over clearly fewer items than that of others; None if it is not."""
    n_items, max_items = int(audit.ranking.n_items[i]), int(audit.ranking.n_items.max())
    return (
        f"mean over {n_items:,} of {items(audit.n_items)}" if n_items < MOST * max_items else None
    )
