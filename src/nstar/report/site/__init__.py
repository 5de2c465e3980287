"""Audits to a website of plain files: no server, nothing that runs but its own small script."""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from nstar._base.version import __version__
from nstar._data.export.files import local_path
from nstar.errors import DataError, ParameterError
from nstar.report.charts import Figure
from nstar.report.page._packed import planes
from nstar.report.site._badge import badge, badge_text
from nstar.report.site._bands import bands
from nstar.report.site._bench import Bench
from nstar.report.site._card import SHARE, checked_address
from nstar.report.site._frame import assets
from nstar.report.site._home import front_page
from nstar.report.site._items import read_items
from nstar.report.site._json import text
from nstar.report.site._ladder import LADDER, ladders
from nstar.report.site._model_page import model_page
from nstar.report.site._names import slug_of
from nstar.report.site._pages import board_page, compare_page, embed_page
from nstar.report.site._ranking import ranking_file
from nstar.report.site._rows import PairRows, fields_of, model_columns
from nstar.report.site._share import ShareImages
from nstar.report.site._source import AuditFolder, read_source
from nstar.report.site._target import INDEX, SCHEMA, Target
from nstar.report.site._thumb import thumbnail, thumbnail_words

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
    audit, told = bench.audit, bench.audit.told_apart
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
        "told_apart": None if told is None else asdict(told),
        "gap": bench.told_apart,
        "finding": bench.finding,
        "picture": thumbnail_words(bench),
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
    no_images: str | None = None
    """Why there are no pictures for those who share an address; None if there are."""


def _title(source: AuditFolder, name: str | None) -> str:
    """What a benchmark is called: as asked, or after its task, or after its folder."""
    folder = source.folder
    own = folder.name if folder.name.strip(".") else folder.resolve().name
    names = (name or "", source.audit.task, own)
    return next(filter(None, map(str.strip, names)), "")


def _benches(
    sources: Sequence[AuditFolder], name: str | None, *, items: bool, base: str | None
) -> list[Bench]:
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
        answers = read_items(source) if items else None
        found[slug] = Bench(source, slug, title, items=answers, base=base)
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


def _write_items(target: Target, bench: Bench) -> None:
    """Items, and a file for each model; nothing if they are not to be shown."""
    if bench.items is None:
        return
    home, key = f"b/{bench.slug}", bench.items.key
    target.write(f"{home}/items-{key}.bin", bench.items.named)
    for id_, answers in zip(bench.ids, bench.items.answers, strict=True):
        target.write(f"{home}/answers-{key}/{id_}.bin", answers)


def _pictures(bench: Bench, drawn: Mapping[str, Figure]) -> dict[str, bytes]:
    """Name → content."""
    small = {"badge.svg": badge(bench), "ladder-small.svg": thumbnail(bench)}
    return small | {name: figure.render(".svg") for name, figure in drawn.items()}


def _with_picture(target: Target, bench: Bench, images: ShareImages) -> Bench:
    """The benchmark with a picture for those who share an address, if one can be drawn."""
    drawn = images.of(bench)
    if drawn is None:
        return bench
    target.write(f"b/{bench.slug}/{SHARE}", drawn)
    return replace(bench, shared=True)


def _write_bench(target: Target, bench: Bench, meter: _Meter) -> None:
    """All files of a benchmark; those that others lead to come last."""
    home = f"b/{bench.slug}"
    rows, threshold = _write_pairs(target, bench, meter)
    target.write(f"{home}/models-{bench.audit_key}.bin", _model_table(bench))
    _write_items(target, bench)
    rest = ranking_file(bench)
    if rest is not None:
        target.write(f"{home}/ranks-{bench.audit_key}.bin", rest)
    for i, id_ in enumerate(bench.ids):
        target.write(f"{home}/m/{id_}.html", model_page(bench, rows, i))
    target.write(f"{home}/audit.json", bench.source.published)
    target.write(f"{home}/models.json", _models_json(bench))
    drawn = ladders(bench)
    for name, content in _pictures(bench, drawn).items():
        target.write(f"{home}/{name}", content)
    target.write(f"{home}/embed.html", embed_page(bench))
    target.write(f"{home}/compare.html", compare_page(bench, threshold))
    target.write(f"{home}/index.html", board_page(bench, drawn[LADDER]))
    target.tidy(home)


def _write_index(
    target: Target, title: str, base: str | None, benches: Sequence[Bench]
) -> list[str]:
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
    if base is not None:
        about["address"] = base
    target.write("index.html", front_page(title, listed, base))
    target.write(INDEX, text(about | {"benchmarks": listed}, indent=2))
    return outdated


def build(
    audits: Sequence[str],
    directory: str,
    *,
    title: str | None = None,
    name: str | None = None,
    url: str | None = None,
    items: bool = False,
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
    url
        Where the site will stand, for those who share its addresses; by default as it was.
    items
        Whether to publish ids of items and which model solved which of them, for pages of two
        models.
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
    target = Target(root=local_path(directory))
    base = checked_address(url) or target.url
    sources = [read_source(a) for a in audits]
    benches = _benches(sources, name, items=items, base=base)
    _refuse_others(target, benches)
    images = ShareImages()
    meter = _Meter(sum(b.audit.all_pairs for b in benches), progress)
    with target:
        target.begin()
        for file, content in assets().items():
            target.write(file, content)
        for bench in benches:
            _write_bench(target, _with_picture(target, bench, images), meter)
        outdated = _write_index(target, title or target.title or _TITLE, base, benches)
    return Built(
        benchmarks=tuple(b.slug for b in benches),
        outdated=tuple(outdated),
        written=target.written,
        kept=target.kept,
        removed=target.removed,
        no_images=images.why_not,
    )
