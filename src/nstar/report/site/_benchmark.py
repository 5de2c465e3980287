"""Data that the pages of a benchmark on the site share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from nstar._verbs.audit import Audit, RankTable
from nstar._verbs.verdict import PairState
from nstar.report.documents import Document
from nstar.report.page._ladder import LadderView, audit_view
from nstar.report.prose.audit.assumptions import METHODS, family
from nstar.report.prose.audit.ranking import Ranking, ranking_of
from nstar.report.prose.gap import gap, points
from nstar.report.prose.numbers import items, name, percent
from nstar.report.site._board import SiteBoard
from nstar.report.site._flags import fewer_items, model_findings
from nstar.report.site._items import ItemFiles
from nstar.report.site._names import fragment, model_ids
from nstar.report.site._rows import model_columns
from nstar.report.site._source import AuditFolder


def number(text: str) -> str:
    """A cell of a column of numbers."""
    return f'<td class="num">{escape(text)}</td>'


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchmarkSite(SiteBoard):
    """What every page of a benchmark needs."""

    source: AuditFolder
    """Its folder, as it was read."""
    items: ItemFiles | None = None
    """Which model solved which item, if that is to be shown."""

    kind = "audit"

    @property
    def audit(self) -> Audit:
        """Ranks, neighbors, counts."""
        return self.source.audit

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.source.folder

    @property
    def result(self) -> Audit:
        """What its pages are about."""
        return self.source.audit

    @property
    def words(self) -> Document:
        """Headline, notes, assumptions, paragraph."""
        return self.source.words

    @property
    def ranks(self) -> RankTable:
        """Models from best to worst."""
        return self.source.audit.ranking

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Addresses of the models, in rank order."""
        return model_ids(self.audit.ranking.model)

    @cached_property
    def pairs_key(self) -> str:
        """Name of these pairs in this order."""
        return self.source.pairs_key()

    @cached_property
    def audit_key(self) -> str:
        """Name of all that is said of them."""
        return self.source.audit_key()

    @cached_property
    def ranking(self) -> Ranking:
        """Models with their neighbors."""
        return ranking_of(self.audit)

    @property
    def title(self) -> str:
        """The benchmark as it is shown."""
        return name(self.label) or f"Benchmark of {items(self.audit.n_items)}"

    @cached_property
    def facts(self) -> str:
        """Models, items, tiers in a line."""
        audit = self.audit
        prefix = "" if audit.is_complete else "up to "
        return f"{len(audit):,} models · {prefix}{items(audit.n_items)} · {self.tier_words}"

    @property
    def level(self) -> str:
        """Policy and level in a few words."""
        c = self.audit.criteria
        return f"{METHODS[self.audit.adjust]}, α = {c.alpha:g}, {percent(c.power)} power"

    @cached_property
    def policy(self) -> str:
        """Which verdicts hold at once, and at which level."""
        return family(self.audit, self.audit.n_pairs)

    @property
    def detectable_gap(self) -> str | None:
        """The gap that the benchmark detects, with its unit; None if it is not known."""
        resolvable = self.audit.resolvable_gap
        if resolvable is None:
            return None
        size = gap(self.audit, resolvable.median)
        return size if points(self.audit) else f"{size} score units"

    @cached_property
    def findings(self) -> Mapping[int, list[tuple[str, str]]]:
        """What is to be known of single models: in a word, in full."""
        return model_findings(self.audit)

    def flags(self, i: int) -> list[str]:
        """What stands beside the name of a model, in a few words each."""
        words = [word for word, _ in self.findings.get(i, ())]
        fewer = fewer_items(self.audit, i)
        return list(dict.fromkeys([*words, fewer] if fewer else words))

    @cached_property
    def states(self) -> tuple[PairState, ...]:
        """Verdicts on adjacent models."""
        return self.audit.adjacent.states

    @cached_property
    def view(self) -> LadderView:
        """The ladder of all models."""
        return audit_view(self.audit)

    @property
    def score_head(self) -> str:
        """Head of the column of means."""
        return "score %" if points(self.audit) else "score"

    def score(self, i: int) -> str:
        """Mean score of a model, formatted as a table cell."""
        return self.ranking.mean(i)

    def about(self) -> dict[str, Any]:
        """What only a benchmark tells in ``index.json``."""
        audit = self.audit
        header = {key: getattr(audit, key) for key in ("task", "metric", "design")}
        return header | {"models": len(audit), "items": audit.n_items}

    def fragment(self, i: int) -> str:
        """A model in a link."""
        return fragment(self.audit.ranking.model[i], self.ids[i])

    def compare(self, i: int, j: int | None = None) -> str:
        """Where two models are compared, ready to stand in an attribute."""
        link = f"compare.html#a={self.fragment(i)}"
        return escape(link if j is None else f"{link}&b={self.fragment(j)}")

    def json(self) -> dict[str, Any]:
        """What the script needs on every page."""
        columns = [[name, kind] for name, kind, _ in model_columns(self.source)]
        keys = {"pairs": self.pairs_key, "audit": self.audit_key}
        return {"keys": keys, "models": len(self.audit), "columns": columns}
