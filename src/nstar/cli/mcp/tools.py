"""Tools for agents: each calls one public function and returns its report.

The declaration of the function provides the parameters, types, and help.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from inspect import Parameter as Signed
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

import nstar
from nstar import report
from nstar._base.verb import Parameter, parameters, summary
from nstar._data.confined import only_below
from nstar.errors import DataError


class AllowedFolders:
    """Folders that results may be read from.

    Examples
    --------
    >>> AllowedFolders(["."]).find("../../secret.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nstar.errors.DataError: ../../secret.csv is not in a folder that this server may read: ...
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._roots = [Path(folder).resolve() for folder in folders]

    def confined(self) -> AbstractContextManager[None]:
        """Open no file outside the folders inside the block, even if a path changes."""
        return only_below(map(str, self._roots))

    def find(self, path: str) -> Path:
        """Return the file or folder if it lies in an allowed folder. Links are followed first."""
        if "\0" in path:
            msg = "A path cannot contain a null byte."
            raise DataError(msg)
        try:
            tried = [(root / path).resolve() for root in self._roots]
            inside = [p for p in tried if any(p.is_relative_to(root) for root in self._roots)]
            existing = [p for p in inside if p.exists()]
        except (OSError, RuntimeError, ValueError) as error:  # too long, a link loop, or not text
            msg = f"{path[:200]!a}: not a usable path ({len(path):,} characters): "
            msg += f"{getattr(error, 'strerror', None) or type(error).__name__}. Use a valid path."
            raise DataError(msg) from error
        if existing:
            return existing[0]
        folders = ", ".join(map(str, self._roots))
        if inside:
            msg = f"{path[:200]}: no such file or folder in {folders}."
        else:
            msg = (
                f"{path[:200]} is not in a folder that this server may read: {folders}. "
                "To allow others, start the server with nstar mcp FOLDER."
            )
        raise DataError(msg)


_NOT_FOR_AGENTS = frozenset({"limits", "follow_links"})
"""Parameters that protect the machine. Only the person who starts the server sets them."""

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    nstar.coverage,
    nstar.plan,
    nstar.plan_margin,
    nstar.plan_board,
    nstar.plan_labels,
    nstar.plan_looks,
    nstar.plan_runs,
    nstar.plan_single,
    nstar.plan_votes,
    nstar.compare,
    nstar.compare_judged,
    nstar.compare_known,
    nstar.audit,
    nstar.claim,
    nstar.claim_unpaired,
    nstar.claim_scores,
    nstar.claim_table,
    nstar.claim_list,
    nstar.claim_gap,
    nstar.claim_wins,
    nstar.items,
    nstar.shrink,
    nstar.battles,
    nstar.runs,
    nstar.judges,
)


def all_tools(paths: Sequence[str]) -> list[Callable[..., str]]:
    """Return every tool, with the folders that it may read. All tools only read data."""
    folders = AllowedFolders(paths)
    return [tool_from(function, folders) for function in _FUNCTIONS]


def tool_from(function: Callable[..., Any], folders: AllowedFolders) -> Callable[..., str]:
    """Return a function that takes JSON values and returns the report of ``function``."""
    known = {p.name: p for p in parameters(function) if p.name not in _NOT_FOR_AGENTS}

    def tool(**values: Any) -> str:
        full = values.pop("full")
        arguments = {name: value for name, value in values.items() if value != known[name].default}
        arguments = {
            name: _allowed_paths(value, folders) if _is_file(known[name]) else value
            for name, value in arguments.items()
        }
        data = [
            arguments.pop(p.name)
            for p in known.values()
            if p.is_positional and p.name in arguments
        ]
        with folders.confined():
            return report_text(function(*data, **arguments), full=full)

    tool.__name__ = function.__name__
    tool.__doc__ = summary(function).replace("``", "")
    full = Annotated[bool, Field(description="Show all tables, notes, and assumptions.")]
    tool.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            *map(_signed, known.values()),
            Signed("full", Signed.KEYWORD_ONLY, default=False, annotation=full),
        ],
        return_annotation=str,
    )
    return tool


def report_text(result: Any, *, full: bool) -> str:
    """Return the report, with a sentence on how an agent can request more of it."""
    text = report.render(result, level="full" if full else "short")
    return text.replace('.render(level="full")', "full=true")


def _signed(p: Parameter) -> Signed:
    hint: Any = bool if p.is_flag or p.is_switch else p.unit.json if p.unit else Literal[p.choices]
    if p.unit is not None and p.unit.is_repeatable and hint in (str, list[str]):
        hint = str | list[str]
    if p.default is None and not p.is_required:
        hint = hint | None
    return Signed(
        p.name,
        Signed.KEYWORD_ONLY,
        default=Signed.empty if p.is_required else p.default,
        annotation=Annotated[hint, Field(description=p.sentence.replace("``", ""))],
    )


def _is_file(p: Parameter) -> bool:
    return p.unit is not None and p.unit.completion == "files"


def _allowed_paths(paths: Any, folders: AllowedFolders) -> Any:
    """Return the paths inside the folders, and reject any other path. Numbers are not paths."""
    if isinstance(paths, int):
        return paths
    if isinstance(paths, str):
        return folders.find(paths)
    return [folders.find(path) for path in paths]
