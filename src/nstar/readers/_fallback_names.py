"""Name models after files and folders if their logs do not name them.

Such a name never merges two logs into one model. If names are equal, the parts of the paths that
differ are added.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from nstar.readers._base import Unit
from nstar.readers._common import above
from nstar.readers._files import Place
from nstar.readers._read_errors import printable

_WORDS = frozenset(
    re.findall(
        r"\w+",
        "all answers completions data dataset detail details eval evals evaluation "
        "evaluations file final generations item items judgment judgments log logs "
        "metrics model out output outputs per predictions preds question questions raw "
        "record records report response responses result results rollouts run runs sample "
        "samples score scored scores summary table test traces trajectories ",
    )
)
"""Words that describe the contents of a file rather than its model."""
_RUN_ID = re.compile(
    r"(?=.*\d)[0-9a-f]{6,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\d_T:.\-]+"
)
"""Regular expression of digests, UUIDs, and times in folder names."""
_HIGHEST = 4
"""Number of folders above a file that may name the model."""


def _is_informative(name: str) -> bool:
    """Return whether a name could be the name of a model.

    >>> [
    ...     name
    ...     for name in ("gpt-x", "eval_results", "cb7a1799", "2026-11-16")
    ...     if _is_informative(name)
    ... ]
    ['gpt-x']
    """
    words = re.split(r"[\W_]+", name.lower().strip("_-. "))
    return not (set(words) <= _WORDS or _RUN_ID.fullmatch(name.lower()))


def _folders(place: Place) -> list[Place]:
    """Return the folders above a file, nearest first.

    The host or bucket of a URL is not included.
    """
    folders = list(above(place))
    return folders if place.fs is None else folders[:-1]


def _parts(place: Place) -> list[str]:
    """Return the names of the folders and of the file, from the top."""
    return [*(folder.name for folder in reversed(_folders(place))), place.name]


def by_file(places: Sequence[Place], stems: Sequence[str]) -> list[str]:
    """Return a distinct model name for each file.

    A generic name, such as ``results``, or a name of several files is replaced by the name of the
    folder.

    >>> by_file([Place("runs/a/results.csv"), Place("runs/b.csv")], ["results", "b"])
    ['a', 'b']
    """
    times = Counter(stems)
    names = [
        stem if _is_informative(stem) and times[stem] == 1 else _of_folder(place) or stem
        for place, stem in zip(places, stems, strict=True)
    ]
    paths = [(*_parts(p)[:-1], s) for p, s in zip(places, stems, strict=True)]
    alike = Counter(paths)
    full_paths = [
        path if alike[path] == 1 else _parts(p) for path, p in zip(paths, places, strict=True)
    ]
    return _distinguished_names(names, full_paths)


def _of_folder(place: Place) -> str | None:
    folder_names = [printable(folder.name) for folder in islice(_folders(place), _HIGHEST)]
    return next(
        (name for name in folder_names if _is_informative(name)),
        folder_names[0] if folder_names else None,
    )


def _distinguished_names(names: Sequence[str], paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the names. If several paths share a name, add the parts that differ."""
    owners: dict[str, set[tuple[str, ...]]] = {}
    for name, path in zip(names, paths, strict=True):
        owners.setdefault(name, set()).add(tuple(path))
    longer = [
        _with_path(name, path, owners[name]) if len(owners[name]) > 1 else name
        for name, path in zip(names, paths, strict=True)
    ]
    return _numbered(longer, paths)


def _with_path(name: str, path: Sequence[str], owners: Iterable[Sequence[str]]) -> str:
    """Return the name, with the parts of its path that other paths with this name do not have."""
    head = _same(owners)
    tail = _same([other[head:][::-1] for other in owners])
    own_path = printable("/".join(path[head : len(path) - tail]))
    if not own_path:
        return name
    last = name.rpartition("/")[2]
    within = last in {printable(part) for part in path[:head]}
    return (
        f"{name}/{own_path}"
        if within
        else own_path
        if own_path.endswith(name)
        else f"{own_path}/{name}"
    )


def _same(paths: Iterable[Sequence[str]]) -> int:
    """Return the number of leading parts that all paths share."""
    return sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False)))


def _numbered(names: Sequence[str], paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the names, with a number added where paths still share a name."""
    owner: dict[str, tuple[str, ...]] = {}
    out = []
    for name, path in zip(names, map(tuple, paths), strict=True):
        new, k = name, 1
        while owner.setdefault(new, path) != path:
            k += 1
            new = f"{name}#{k}"
        out.append(new)
    return out


def rename(units: Sequence[Unit]) -> list[Unit]:
    """Return the units, with distinct names for models that are named after files or folders."""
    lent = [unit for unit in units if unit.lent and unit.model is not None]
    names = [str(unit.model) for unit in lent]
    paths = [_source_path(unit) for unit in lent]
    new = dict(zip(map(id, lent), _distinguished_names(names, paths), strict=True))
    return [
        unit
        if new.get(id(unit), unit.model) == unit.model
        else replace(unit, model=new[id(unit)], called=new[id(unit)])
        for unit in units
    ]


def _source_path(unit: Unit) -> list[str]:
    """Return the path of the folder or file that the model is named after.

    If there is none, return the path of the log.
    """
    path = _parts(unit.place)
    last = str(unit.model).rpartition("/")[2]
    for end in range(len(path), 0, -1):
        if printable(path[end - 1]).removesuffix(".json") == last:
            return path[:end]
    return path
