"""Read a folder of ``nstar audit --out``, and check it as untrusted input."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from nstar._base.codec import streamed
from nstar._base.version import __version__
from nstar._data.findings import Finding
from nstar._verbs.audit import Audit
from nstar._verbs.audit.ranking import places
from nstar._verbs.audit.tables import RankTable
from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import RatingTable
from nstar.errors import DataError
from nstar.report import document
from nstar.report.documents import Document
from nstar.report.formats.json import dump
from nstar.report.site._json import parsed, text

FOLDER = "nstar audit … --out FOLDER"
MEND = f"Write the audit again into a new folder: {FOLDER}"
_MOST_MODELS = 20_000
_MANIFEST = ("manifest.json", 1 << 20)
_AUDIT = ("audit.json", 1 << 28)
_FORMAT = b"1"
"""To be raised when the files named after their content are written in another way."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A named pipe must not keep us waiting."""
_SAME = ("task", "metric", "design", "item_set", "margin", "seed")
"""What the manifest and the audit both tell."""
_MOST_ITEMS = 1 << 31
_RTOL = 1e-9
_MOST_CRITICAL = 1e12
"""Student's t of one degree of freedom asks for this much among 20,000 models."""


def beyond(values: Any, low: float, high: float) -> bool:
    """Whether any value lies outside of some limits."""
    return bool(((values < low) | (values > high)).any())


def _models(audit: Audit) -> Iterator[str]:
    names, m = audit.ranking.model, len(audit.ranking)
    if m < 2 or len(set(names)) < m:
        yield "contains fewer than two models, or a model twice"
    if len(audit.adjacent) != m - 1 or audit.n_pairs != m * (m - 1) // 2:
        yield f"does not contain the pairs of {m:,} models"
    if sum(audit.verdict_counts.values()) != audit.n_pairs:
        yield "has numbers of verdicts that do not match its pairs"
    if list(zip(audit.adjacent.model_a, audit.adjacent.model_b, strict=True)) != list(
        pairwise(names)
    ):
        yield "lists models as adjacent that are not"


def parted(ranks: RankTable | RatingTable) -> bool:
    """Whether no model of a tier may rank below the next one, nor one of that above."""
    lines = np.flatnonzero(np.diff(ranks.tier)) + 1
    worst = np.maximum.accumulate(ranks.rank_high)
    best = np.minimum.accumulate(ranks.rank_low[::-1])[::-1]
    return not ((worst[lines - 1] > lines) | (best[lines] <= lines)).any()


def _ranks(audit: Audit) -> Iterator[str]:
    ranks, m = audit.ranking, len(audit.ranking)
    if ranks.tier[0] != 1 or beyond(np.diff(ranks.tier), 0, 1):
        yield "contains tiers in the wrong order"
    if not parted(ranks):
        yield "contains tiers that its rank ranges do not separate"
    if (ranks.rank != places(ranks.mean, -1 if audit.lower_is_better else 1)).any():
        yield "contains ranks that do not match the means"
    if (
        audit.is_complete
        and ((ranks.rank < ranks.rank_low) | (ranks.rank > ranks.rank_high)).any()
    ):
        yield "contains ranks outside their rank ranges"
    if any(beyond(e, 1, m) for e in (ranks.rank_low, ranks.rank_high, ranks.rank)):
        yield f"contains ranks above {m:,}"
    if (ranks.rank_low > ranks.rank_high).any():
        yield "contains rank ranges with the limits reversed"
    if (
        audit.n_items > _MOST_ITEMS
        or (ranks.n_items > audit.n_items).any()
        or (audit.adjacent.n_items > audit.n_items).any()
    ):
        yield "counts more items than it contains"


def _scores(audit: Audit) -> Iterator[str]:
    low, high = audit.score_range
    if not -1e300 < low < high < 1e300:
        yield "has impossible score limits"
    width, mean = high - low, audit.ranking.mean
    if np.isnan(mean).any() or beyond(mean, low - _RTOL * width, high + _RTOL * width):
        yield "contains means outside the score limits"
    if audit.is_complete and not (abs(audit.adjacent.gap + np.diff(mean)) <= _RTOL * width).all():
        yield "contains gaps that do not match the means"
    for name in ("delta", "margin"):
        value = getattr(audit, name)
        if value is not None and not 0 < value <= width:
            yield f"has an impossible {name}"


def _levels(audit: Audit) -> Iterator[str]:
    if not 0 < audit.confidence_level < 1:
        yield f"has the invalid confidence level {audit.confidence_level:g}"
    if not 0 < audit.interval_alpha <= audit.criteria.alpha * (1 + _RTOL):
        yield f"has adjusted intervals at the invalid level {audit.interval_alpha:g}"
    if audit.adjust != "none" and audit.critical_value is None:
        yield "has no critical value"
    if audit.critical_value is not None and not 0 < audit.critical_value < _MOST_CRITICAL:
        yield f"has the invalid critical value {audit.critical_value:g}"


def _objections(audit: Audit) -> Iterator[str]:
    """What an audit cannot be like, gravest first; later ones may fail after the first."""
    if Audit.of_task(audit.tasks[0], audit.findings) != replace(audit, changes=None):
        yield "has a ranking that differs from that of its task"
    for part in (_models, _ranks, _scores, _levels):
        yield from part(audit)


def _disagreements(manifest: dict[str, Any], audit: Audit) -> list[str]:
    """What the manifest and the audit tell differently."""
    expected = {name: getattr(audit, name) for name in _SAME}
    expected |= {name: getattr(audit.criteria, name) for name in ("alpha", "power")}
    return [name for name, value in expected.items() if manifest.get(name) != value]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditFolder:
    """One audit, with a folder of pairs beside it."""

    folder: Path
    """Where it lies."""
    audit: Audit
    """Ranks, neighbors, counts."""
    words: Document
    """Headline, notes, assumptions, paragraph, made anew from the audit."""
    published: bytes
    """``audit.json``, as it may be shown to all."""
    scores: str
    """Digest of the scores."""

    @property
    def pairs(self) -> Path:
        """Folder of the parts."""
        return self.folder / "pairs"

    @property
    def design(self) -> str:
        """``items``, ``strata`` or ``cluster``."""
        return self.audit.design.partition(":")[0]

    @property
    def counted(self) -> bool:
        """Whether a pair is told by counts: 0/1 scores on independent items."""
        return self.audit.is_binary and self.design == "independent"

    def pairs_key(self) -> str:
        """A name for these pairs in this order; other pairs have another."""
        audit = self.audit
        order = [self.scores, audit.design, audit.item_set, audit.n_items, *audit.ranking.model]
        return key_of(text(order))

    def audit_key(self) -> str:
        """A name for all that is said of them; another level, policy or version has another."""
        return key_of(__version__.encode() + b" " + self.published)


def key_of(content: bytes) -> str:
    """A name for some content, written in this way."""
    return blake2b(content, digest_size=6, salt=_FORMAT).hexdigest()


def small_file(path: Path, max_bytes: int, fix: str = MEND) -> bytes:
    """A small regular file."""
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                msg = f"{path}: not a regular file."
                raise DataError(msg)
            content = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        msg = (
            f"{path.parent}: the folder does not contain {path.name}. Pass a folder written by "
            f"{FOLDER}."
        )
        raise DataError(msg) from error
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror or error}."
        raise DataError(msg) from error
    if len(content) > max_bytes:
        refuse(path, f"is larger than {max_bytes >> 20:,} MB, the limit for a result", fix)
    return content


def object_of(path: Path, content: bytes, schema: str, fix: str = MEND) -> dict[str, Any]:
    """The JSON object of a file, which says that it is of this schema."""
    try:
        data = parsed(content)
    except (ValueError, RecursionError) as error:
        refuse(path, f"is not valid JSON: {error}", fix)
    schema_name = data.get("schema") if isinstance(data, dict) else None
    if schema_name == Audit.schema_name() != schema:
        msg = f"{path}: this file is an audit. Pass its folder, written by {FOLDER}."
        raise DataError(msg)
    if schema_name != schema:
        refuse(path, f"has the schema {schema_name!r:.60}; expected {schema}", fix)
    return dict(data)


def refuse(path: Path, reason: str, fix: str = MEND) -> NoReturn:
    """DataError that names the file, and how to mend it."""
    msg = f"{path}: {reason.rstrip('.')}. {fix}"
    raise DataError(msg)


def _audit(path: Path, data: dict[str, Any]) -> Audit:
    """What may be shown to all.

    Neighbors only, because the pairs lie beside them; and nothing that a reader noted, because
    it names files of somebody's machine.
    """
    try:
        audit = Audit.from_dict(data).without_pairs()
    except DataError as error:
        refuse(path, str(error))
    if len(audit.tasks) != 1:
        msg = (
            f"{path}: the audit contains several tasks, but a site needs one audit per task. Run "
            "nstar audit with --task TASK --out FOLDER for each."
        )
        raise DataError(msg)
    return replace(audit, findings=published_findings(audit.findings))


def published(
    path: Path, result: Audit | Battles, version: Any, fix: str = MEND
) -> tuple[Document, bytes]:
    """A result in words and as JSON; nothing that a stranger wrote is taken for either."""
    if not isinstance(version, str):
        refuse(path, f"{version!r:.60} is not a version of nstar", fix)
    try:
        words = document(result, paragraph=True)
    except (TypeError, ValueError, OverflowError, LookupError) as error:  # of what cannot be
        refuse(path, str(error), fix)
    json_text = dump(result.schema_name(), words, {"nstar": version} | streamed(result))
    return words, json_text.encode()


def published_findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """All but what a reader noted, because that names files of somebody's machine."""
    return tuple(f for f in findings if f.code != "reader")


def read_source(folder: str) -> AuditFolder:
    """One AUDIT folder; a DataError names a file that is not one or disagrees with the others."""
    root = Path(folder)
    manifest, data = (
        object_of(root / name, small_file(root / name, max_bytes), schema)
        for (name, max_bytes), schema in (
            (_MANIFEST, "nstar.pairs/1"),
            (_AUDIT, Audit.schema_name()),
        )
    )
    audit = _audit(root / _AUDIT[0], data)
    other = _disagreements(manifest, audit)
    if other:
        refuse(root, f"manifest.json and audit.json differ in {', '.join(other)}")
    path, m = root / _AUDIT[0], len(audit.ranking)
    if m > _MOST_MODELS:
        msg = (
            f"{path}: a site holds at most {_MOST_MODELS:,} models; found {m:,}. Choose fewer "
            "models in the audit."
        )
        raise DataError(msg)
    for reason in _objections(audit):
        refuse(path, reason)
    words, json_bytes = published(root / _AUDIT[0], audit, data.get("nstar"))
    digest = manifest.get("scores")
    if not isinstance(digest, str) or not digest:
        refuse(root / _MANIFEST[0], "does not contain 'scores'")
    scores = digest
    return AuditFolder(folder=root, audit=audit, words=words, published=json_bytes, scores=scores)
