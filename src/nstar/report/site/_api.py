"""Data of a benchmark as plain files: for people's programs as JSON, for its pages deflated."""

import json
import zlib
from typing import Any

from nstar._base.version import __version__
from nstar.report.page._packed import planes
from nstar.report.site._badge import badge_text
from nstar.report.site._bench import Bench
from nstar.report.site._json import text
from nstar.report.site._rows import fields_of, model_columns

_LEVEL = 9


def models_json(bench: Bench) -> bytes:
    """``models.json``: models from best to worst as columns, and where their pairs lie."""
    ranks = bench.audit.ranks
    numbers = ("mean", "n", "rank", "rank_lo", "rank_hi", "tier")
    return text(
        {
            "schema": "nstar.models/1",
            "nstar": __version__,
            "task": bench.audit.task,
            "metric": bench.audit.metric,
            "rows": f"rows-{bench.pairs_key}/",
            "fields": [list(f) for f in fields_of(bench.source)],
            "name": list(ranks.name),
            "id": list(bench.ids),
            **{key: getattr(ranks, key).tolist() for key in numbers},
        }
    )


def model_table(bench: Bench) -> bytes:
    """The same for the pages: length and text of a JSON list of names and addresses, columns."""
    mixed = [text for pair in zip(bench.audit.ranks.name, bench.ids, strict=True) for text in pair]
    names = json.dumps(mixed, separators=(",", ":")).encode()
    columns = (planes(values, kind) for _, kind, values in model_columns(bench.source))
    raw = b"".join((len(names).to_bytes(4, "little"), names, *columns))
    return zlib.compress(raw, _LEVEL)


def entry(bench: Bench) -> dict[str, Any]:
    """The benchmark in ``index.json``."""
    audit = bench.audit
    return {
        "slug": bench.slug,
        "url": f"b/{bench.slug}/index.html",
        "name": bench.given,
        "title": bench.title,
        "task": audit.task,
        "metric": audit.metric,
        "design": audit.design,
        "models": len(audit),
        "items": audit.n,
        "tiers": bench.ranking.tiers,
        "neighbours": bench.neighbours,
        "resolved": bench.resolved,
        "share": bench.resolved / bench.neighbours,
        "adjust": audit.adjust,
        "alpha": audit.criteria.alpha,
        "level": bench.level,
        "badge": badge_text(bench),
        "nstar": __version__,
    }
