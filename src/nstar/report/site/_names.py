"""Addresses from untrusted names: readable, stable, and safe as file names."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from urllib.parse import quote

_MAX_SLUG_CHARACTERS = 40
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?")
_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
"""Names that Windows keeps for itself."""
_LONG_NAME = 200
"""Longest name that a link carries; a longer one is told by its address."""


def _readable(name: str) -> str:
    """Small letters, digits and hyphens of a name; may be empty."""
    plain = (
        unicodedata.normalize("NFKD", name[: 4 * _MAX_SLUG_CHARACTERS])
        .encode("ascii", "ignore")
        .decode()
    )
    return re.sub(r"[^a-z0-9]+", "-", plain.lower())[:_MAX_SLUG_CHARACTERS].strip("-")


def _digest(name: str, size: int) -> str:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def model_ids(names: Sequence[str]) -> tuple[str, ...]:
    """One address per model: what can be read of its name, and a hash of all of it.

    It does not depend on the other models, so it stays when others come and go.

    Examples
    --------
    >>> model_ids(["org/Llama-3.1", "../../CON"])
    ('org-llama-3-1-2deea141', 'con-ea047899')
    """
    short = [f"{_readable(n) or 'model'}-{_digest(n, 4)}" for n in names]
    counts = Counter(short)
    return tuple(
        s if counts[s] == 1 else f"{_readable(n) or 'model'}-{_digest(n, 16)}"
        for s, n in zip(short, names, strict=True)
    )


def is_slug(text: str) -> bool:
    """Whether a text can be the folder of a benchmark."""
    return _SLUG.fullmatch(text) is not None and _RESERVED.fullmatch(text) is None


def slug_of(task: str) -> str:
    """Folder of a benchmark.

    Examples
    --------
    >>> slug_of("MMLU-Pro"), slug_of(""), slug_of("nul")
    ('mmlu-pro', 'benchmark', 'nul-5bc585ee')
    """
    plain = _readable(task)
    if plain and is_slug(plain):
        return plain
    return f"{plain or 'benchmark'}-{_digest(task, 4)}" if task.strip() else "benchmark"


def fragment(name: str, id_: str) -> str:
    """A model in a link: its name, or its address if the name is long or no text."""
    if len(name) > _LONG_NAME or any("\ud800" <= c <= "\udfff" for c in name):
        return id_
    return quote(name, safe="")
