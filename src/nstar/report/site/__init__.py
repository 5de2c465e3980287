"""Audits to a website of plain files: no server, nothing that runs but its own small script."""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from nstar._base.version import __version__
from nstar._data.export.files import local_path
from nstar.errors import DataError, ParameterError
from nstar.report.page._packed import planes
from nstar.report.site._bands import bands
from nstar.report.site._bench import Bench
from nstar.report.site._frame import assets
from nstar.report.site._json import text
from nstar.report.site._model_page import model_page
from nstar.report.site._names import slug_of
from nstar.report.site._pages import (
    badge,
    badge_text,
    board_page,
    chunks,
    compare_page,
    embed_page,
    front_page,
)
from nstar.report.site._rows import PairRows, fields_of, model_columns
from nstar.report.site._source import AuditFolder, read_source
from nstar.report.site._target import INDEX, SCHEMA, Target

__all__ = ["Built", "build"]


Progress: TypeAlias = Callable[[int, int], None]

_TITLE = "Leaderboards, audited"
_LEVEL = 9


def _models_json(bench: Bench) -> bytes:
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


def _model_table(bench: Bench) -> bytes:
    """The same for the pages: length and text of a JSON list of names and addresses, columns."""
    mixed = [text for pair in zip(bench.audit.ranks.name, bench.ids, strict=True) for text in pair]
    names = json.dumps(mixed, separators=(",", ":")).encode()
    columns = (planes(values, kind) for _, kind, values in model_columns(bench.source))
    raw = b"".join((len(names).to_bytes(4, "little"), names, *columns))
    return zlib.compress(raw, _LEVEL)


def _entry(bench: Bench) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build did."""

    benchmarks: tuple[str, ...]
    """Folders below ``b/`` that were built."""
    outdated: tuple[str, ...]
    """Folders that stay as another version of nstar built them."""
    written: int
    """Files that are new or other than before."""
    kept: int
    """Files that were as they should be."""
    removed: int
    """Files of an earlier build that are gone."""


def _title(source: AuditFolder, name: str | None) -> str:
    """What a benchmark is called: as asked, or after its task, or after its folder."""
    folder = source.folder
    own = folder.name if folder.name.strip(".") else folder.resolve().name
    names = (name or "", source.audit.task, own)
    return next(filter(None, map(str.strip, names)), "")


def _benches(sources: Sequence[AuditFolder], name: str | None) -> list[Bench]:
    """Every audit with a folder of its own."""
    found: dict[str, Bench] = {}
    for source in sources:
        title = _title(source, name)
        slug = slug_of(title)
        if slug in found:
            msg = (
                f"{found[slug].source.folder} and {source.folder} would both be b/{slug}; build "
                "one of them by itself under another name: --name TEXT"
            )
            raise DataError(msg)
        found[slug] = Bench(source, slug, title)
    return list(found.values())


def _refuse_others(target: Target, benches: Sequence[Bench]) -> None:
    """A folder of another benchmark is not written over."""
    there = {e["slug"]: e["name"] for e in target.index["benchmarks"]}
    for bench in benches:
        other = there.get(bench.slug, bench.given)
        if other != bench.given:
            msg = (
                f"{target.root}/b/{bench.slug} holds another benchmark, {other!r:.80}; build "
                f"{bench.source.folder} under another name: --name TEXT"
            )
            raise DataError(msg)


class _Meter:
    """Pairs done of all pairs."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def __call__(self, pairs: int) -> None:
        self.done += pairs
        if self.progress is not None:
            self.progress(self.done, self.total)


def _write_pairs(target: Target, bench: Bench, meter: _Meter) -> tuple[PairRows, float]:
    """A file for each model with all later ones."""
    rows = PairRows(source=bench.source)
    for band in bands(bench.source):
        for i, content in rows.files(band):
            target.write(f"b/{bench.slug}/rows-{bench.pairs_key}/{bench.ids[i]}.bin", content)
        meter(len(band))
    return rows, rows.finish()


def _write_bench(target: Target, bench: Bench, meter: _Meter) -> None:
    """All files of a benchmark; those that others lead to come last."""
    home = f"b/{bench.slug}"
    rows, threshold = _write_pairs(target, bench, meter)
    target.write(f"{home}/models-{bench.audit_key}.bin", _model_table(bench))
    for k, chunk in enumerate(chunks(bench), 1):
        target.write(f"{home}/ranks-{bench.audit_key}/{k}.json", text(chunk))
    for i, id_ in enumerate(bench.ids):
        target.write(f"{home}/m/{id_}.html", model_page(bench, rows, i))
    target.write(f"{home}/audit.json", bench.source.published)
    target.write(f"{home}/models.json", _models_json(bench))
    target.write(f"{home}/badge.svg", badge(bench))
    target.write(f"{home}/embed.html", embed_page(bench))
    target.write(f"{home}/compare.html", compare_page(bench, threshold))
    target.write(f"{home}/index.html", board_page(bench))
    target.tidy(home)


def _write_index(target: Target, title: str, benches: Sequence[Bench]) -> list[str]:
    """The first page; returns folders that another version built."""
    entries = {e["slug"]: e for e in target.index["benchmarks"]}
    outdated = [
        slug
        for slug, e in entries.items()
        if e.get("nstar") != __version__ and slug not in {b.slug for b in benches}
    ]
    entries |= {bench.slug: _entry(bench) for bench in benches}
    listed = [entries[slug] for slug in sorted(entries)]
    about = {"schema": SCHEMA, "nstar": __version__, "title": title}
    target.write("index.html", front_page(title, listed))
    target.write(INDEX, text(about | {"benchmarks": listed}, indent=2))
    return outdated


def build(
    audits: Sequence[str],
    directory: str,
    *,
    title: str | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> Built:
    """Write a site of audits, or put audits into one that is there.

    Parameters
    ----------
    audits
        Folders written by ``nstar audit … --out FOLDER``, one benchmark each.
    directory
        Where to: a new folder, or one with a site. Files change only if their content does;
        benchmarks that are not among ``audits`` stay as they are.
    title
        Name of the site; by default the one it has.
    name
        What to call the benchmark of a single audit; by default its task, or the name of its
        folder if the task has none.
    progress
        Called with pairs done and pairs to do.

    Raises
    ------
    DataError
        If an audit does not agree with itself, or the directory holds something else.
    """
    if name is not None and len(audits) != 1:
        msg = f"name is what to call the benchmark of one audit; got {len(audits)} audits"
        raise ParameterError(msg)
    benches = _benches([read_source(a) for a in audits], name)
    target = Target(root=local_path(directory))
    _refuse_others(target, benches)
    meter = _Meter(sum(b.audit.all_pairs for b in benches), progress)
    with target:
        target.begin()
        for file, content in assets().items():
            target.write(file, content)
        for bench in benches:
            _write_bench(target, bench, meter)
        outdated = _write_index(target, title or target.title or _TITLE, benches)
    return Built(
        benchmarks=tuple(b.slug for b in benches),
        outdated=tuple(outdated),
        written=target.written,
        kept=target.kept,
        removed=target.removed,
    )
