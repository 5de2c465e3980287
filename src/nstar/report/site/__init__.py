"""Build a static website of audits and ratings."""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from nstar._base.version import __version__
from nstar._data.export.files import local_path
from nstar.errors import DataError, ParameterError
from nstar.report.badge import badge
from nstar.report.page._array_encoding import planes
from nstar.report.site._benchmark import BenchmarkSite
from nstar.report.site._board import SiteBoard
from nstar.report.site._card import SHARE, checked_address
from nstar.report.site._frame import assets
from nstar.report.site._history import history_files, history_of, history_section
from nstar.report.site._home import front_page
from nstar.report.site._items import read_items
from nstar.report.site._json import text
from nstar.report.site._model_page import model_page
from nstar.report.site._names import slug_of
from nstar.report.site._pages import board_page, compare_page, embed_page
from nstar.report.site._pair_bands import bands
from nstar.report.site._pictures import ShareImages, badge_text, thumbnail, thumbnail_words
from nstar.report.site._ranking import ranking_file
from nstar.report.site._rows import PairRows, fields_of, model_columns
from nstar.report.site._source import FOLDER, AuditFolder, read_source
from nstar.report.site._target import INDEX, SCHEMA, SiteFolder
from nstar.report.site._vote_board import VoteBoard, vote_page
from nstar.report.site._votes import WRITTEN, VotesFile, read_votes

__all__ = ["BuildSummary", "build"]


Progress: TypeAlias = Callable[[int, int], None]
_Source: TypeAlias = AuditFolder | VotesFile
_Shown: TypeAlias = BenchmarkSite | VoteBoard

_TITLE = "Leaderboards, audited"
_LEVEL = 9


def _models_json(bench: BenchmarkSite) -> bytes:
    """``models.json``: models from best to worst as columns, and where their pairs lie."""
    ranks = bench.audit.ranking
    numbers = ("mean", "n_items", "rank", "rank_low", "rank_high", "tier")
    return text(
        {
            "schema": "nstar.models/1",
            "nstar": __version__,
            "task": bench.audit.task,
            "metric": bench.audit.metric,
            "rows": f"rows-{bench.pairs_key}/",
            "fields": [list(f) for f in fields_of(bench.source)],
            "model": list(ranks.model),
            "id": list(bench.ids),
            **{key: getattr(ranks, key).tolist() for key in numbers},
        }
    )


def _model_table(bench: BenchmarkSite) -> bytes:
    """The same for the pages: length and text of a JSON list of names and addresses, columns."""
    mixed = [
        text for pair in zip(bench.audit.ranking.model, bench.ids, strict=True) for text in pair
    ]
    names = json.dumps(mixed, separators=(",", ":")).encode()
    columns = (planes(values, kind) for _, kind, values in model_columns(bench.source))
    raw = b"".join((len(names).to_bytes(4, "little"), names, *columns))
    return zlib.compress(raw, _LEVEL)


def _entry(board: SiteBoard) -> dict[str, Any]:
    """The board in ``index.json``."""
    resolvable = board.result.resolvable_gap
    return {
        "slug": board.slug,
        "url": f"b/{board.slug}/index.html",
        "kind": board.kind,
        "name": board.label,
        "title": board.title,
        **board.about(),
        "tiers": board.tiers,
        "neighbors": board.neighbors,
        "resolved": board.resolved,
        "inconclusive": board.result.adjacent.states.count("inconclusive"),
        "share": board.resolved / board.neighbors,
        "resolvable_gap": None if resolvable is None else asdict(resolvable),
        "gap": board.detectable_gap,
        "finding": board.finding,
        "lead": board.words.lead,
        "picture": thumbnail_words(board),
        "adjust": board.result.adjust,
        "alpha": board.result.criteria.alpha,
        "level": board.level,
        "badge": badge_text(board),
        "nstar": __version__,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSummary:
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


def _read(place: str) -> _Source:
    """A folder of an audit, or a file of ratings."""
    path = Path(place)
    if path.is_dir():
        return read_source(place)
    if path.exists():
        return read_votes(path)
    msg = f"{place}: not a folder or file. Pass a folder from {FOLDER}, or a file from {WRITTEN}."
    raise DataError(msg)


def _title(source: _Source, name: str | None) -> str:
    """What a board is called: as asked, or after its task, or after its folder or file."""
    if isinstance(source, VotesFile):
        names = [name or "", source.path.stem]
    else:
        folder = source.folder
        folder_name = folder.name if folder.name.strip(".") else folder.resolve().name
        names = [name or "", source.audit.task, folder_name]
    return next(filter(None, map(str.strip, names)), "")


def _board_of(source: _Source, board_name: str, base: str | None, *, items: bool) -> _Shown:
    """A result with a folder of its own."""
    slug = slug_of(board_name)
    if isinstance(source, VotesFile):
        return VoteBoard(source=source, slug=slug, label=board_name, base=base)
    answers = read_items(source) if items else None
    return BenchmarkSite(source=source, slug=slug, label=board_name, base=base, items=answers)


def _boards(
    sources: Sequence[_Source], name: str | None, *, items: bool, base: str | None
) -> list[_Shown]:
    """Every result with a folder of its own."""
    boards_by_slug: dict[str, _Shown] = {}
    for source in sources:
        board = _board_of(source, _title(source, name), base, items=items)
        if board.slug in boards_by_slug:
            msg = (
                f"{boards_by_slug[board.slug].path} and {board.path} would both use the folder "
                f"b/{board.slug}. Build one of them separately with --name TEXT."
            )
            raise DataError(msg)
        boards_by_slug[board.slug] = board
    return list(boards_by_slug.values())


def _refuse_others(target: SiteFolder, boards: Sequence[SiteBoard]) -> None:
    """A folder of another board is not written over."""
    entries = {e["slug"]: e for e in target.index["benchmarks"]}
    for board in boards:
        if board.slug not in entries:
            continue
        entry = entries[board.slug]
        kind, other = entry.get("kind", BenchmarkSite.kind), entry["name"]
        if (kind, other) != (board.kind, board.label):
            other_text = (
                f"{other!r:.80}" if kind == board.kind else f"{other!r:.80}, by {kind!r:.20}"
            )
            msg = (
                f"{target.root}/b/{board.slug} contains another benchmark, {other_text}. Build "
                f"{board.path} under another name (--name TEXT)."
            )
            raise DataError(msg)


class _PairProgress:
    """Pairs done of all pairs."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def __call__(self, pairs: int) -> None:
        self.done += pairs
        if self.progress is not None:
            self.progress(self.done, self.total)


def _write_pairs(
    target: SiteFolder, bench: BenchmarkSite, meter: _PairProgress
) -> tuple[PairRows, float]:
    """A file for each model with all later ones."""
    rows = PairRows(source=bench.source)
    for band in bands(bench.source):
        for i, content in rows.files(band):
            target.write(f"b/{bench.slug}/rows-{bench.pairs_key}/{bench.ids[i]}.bin", content)
        meter(len(band))
    return rows, rows.finish()


def _write_items(target: SiteFolder, bench: BenchmarkSite) -> None:
    """Items, and a file for each model; nothing if they are not to be shown."""
    if bench.items is None:
        return
    home, key = f"b/{bench.slug}", bench.items.key
    target.write(f"{home}/items-{key}.bin", bench.items.named)
    for id_, answers in zip(bench.ids, bench.items.answers, strict=True):
        target.write(f"{home}/answers-{key}/{id_}.bin", answers)


def _with_picture(target: SiteFolder, board: _Shown, images: ShareImages) -> _Shown:
    """The board with a picture for those who share an address, if one can be drawn."""
    picture = images.of(board)
    if picture is None:
        return board
    target.write(f"b/{board.slug}/{SHARE}", picture)
    return replace(board, shared=True)


def _write_data(target: SiteFolder, board: _Shown, meter: _PairProgress) -> dict[str, bytes]:
    """The data of a board; returns its pages, the one that leads to others last."""
    entries = history_of(target.root, board)
    files, history = history_files(board, entries), history_section(board, entries)
    if isinstance(board, VoteBoard):
        target.write(f"b/{board.slug}/battles.json", board.source.published)
        return files | {"index.html": vote_page(board, history)}
    home = f"b/{board.slug}"
    rows, threshold = _write_pairs(target, board, meter)
    target.write(f"{home}/models-{board.audit_key}.bin", _model_table(board))
    _write_items(target, board)
    rest = ranking_file(board)
    if rest is not None:
        target.write(f"{home}/ranks-{board.audit_key}.bin", rest)
    for i, id_ in enumerate(board.ids):
        target.write(f"{home}/m/{id_}.html", model_page(board, rows, i))
    target.write(f"{home}/audit.json", board.source.published)
    target.write(f"{home}/models.json", _models_json(board))
    index = board_page(board, history)
    return files | {"compare.html": compare_page(board, threshold), "index.html": index}


def _write_board(target: SiteFolder, board: _Shown, meter: _PairProgress) -> None:
    """All files of a board; those that others lead to come last."""
    pages = _write_data(target, board, meter)
    pictures = {"badge.svg": badge(badge_text(board)), "ladder-small.svg": thumbnail(board)}
    for name, content in (pictures | {"embed.html": embed_page(board)} | pages).items():
        target.write(f"b/{board.slug}/{name}", content)
    target.tidy(f"b/{board.slug}")


def _write_index(
    target: SiteFolder, title: str, base: str | None, boards: Sequence[SiteBoard]
) -> list[str]:
    """The first page; returns folders that another version built."""
    entries = {e["slug"]: e for e in target.index["benchmarks"]}
    outdated = [
        slug
        for slug, e in entries.items()
        if e.get("nstar") != __version__ and slug not in {b.slug for b in boards}
    ]
    entries |= {board.slug: _entry(board) for board in boards}
    listed = [entries[slug] for slug in sorted(entries)]
    header = {"schema": SCHEMA, "nstar": __version__, "title": title}
    if base is not None:
        header["address"] = base
    target.write("index.html", front_page(title, listed, base))
    target.write(INDEX, text(header | {"benchmarks": listed}, indent=2))
    return outdated


def build(
    results: Sequence[str],
    directory: str,
    *,
    title: str | None = None,
    name: str | None = None,
    url: str | None = None,
    items: bool = False,
    progress: Progress | None = None,
) -> BuildSummary:
    """Write a site of audits and ratings, or add some to an existing site.

    Parameters
    ----------
    results : sequence of str
        Folders written by ``nstar audit … --out FOLDER``, one benchmark each, and files written by
        ``nstar battles … --format json``.
    directory : str
        Where to: a new folder, or one with a site. Files change only if their content does;
        benchmarks that are not among ``results`` stay as they are.
    title : str, optional
        Name of the site; by default the one it has.
    name : str, optional
        What to call the benchmark of a single result; by default its task, or the name of its
        folder or file if there is no task.
    url : str, optional
        Where the site will stand, for those who share its addresses; by default as it was.
    items : bool, default False
        Whether to publish ids of items and which model solved which of them, for pages of two
        models. Votes have none.
    progress : callable, optional
        Called with pairs done and pairs to do.

    Raises
    ------
    DataError
        If a result does not agree with itself, or the directory holds something else.
    """
    if name is not None and len(results) != 1:
        msg = f"name sets the name of one benchmark; got {len(results)} results"
        raise ParameterError(msg)
    target = SiteFolder(root=local_path(directory))
    base = checked_address(url) or target.url
    boards = _boards([_read(r) for r in results], name, items=items, base=base)
    _refuse_others(target, boards)
    images = ShareImages()
    meter = _PairProgress(
        sum(b.audit.n_pairs for b in boards if isinstance(b, BenchmarkSite)), progress
    )
    with target:
        target.begin()
        for file, content in assets().items():
            target.write(file, content)
        for board in boards:
            _write_board(target, _with_picture(target, board, images), meter)
        outdated = _write_index(target, title or target.title or _TITLE, base, boards)
    return BuildSummary(
        benchmarks=tuple(b.slug for b in boards),
        outdated=tuple(outdated),
        written=target.written,
        kept=target.kept,
        removed=target.removed,
        no_images=images.why_not,
    )
