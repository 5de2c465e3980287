"""Settings of a command in ``nstar.toml`` or ``pyproject.toml``; the command line wins."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from nstar.cli.kit.output import printable
from nstar.cli.kit.params import Heading, option

_OWN = ("help", "config")
"""Options that a file can't set."""


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise click.UsageError(msg) from error
    except (ValueError, RecursionError) as error:  # also of numbers with too many digits
        msg = f"{path}: is no TOML: {error}"
        raise click.UsageError(msg) from error


def _place(path: Path, table: str) -> str:
    """What a table of settings is called in a file."""
    return f"[tool.nstar.{table}]" if path.name == "pyproject.toml" else f"[{table}]"


def _near(wrong: str, known: Iterable[str], shown: Callable[[str], str] = str) -> str:
    near = get_close_matches(wrong, list(known), n=1)
    return f"; did you mean {shown(near[0])}?" if near else ""


def _refuse_strangers(path: Path, body: Mapping[str, Any], command: click.Command) -> None:
    """A table that no command reads is a setting unheard."""
    name = str(command.name)
    for table in body:
        if table == name:
            continue
        settings = {flag.removeprefix("--") for param in command.params for flag in param.opts}
        if table in settings:
            hint = f"; did you mean {_place(path, f'{name}.{table}')}?"
        else:
            hint = _near(table, [name], lambda k: _place(path, k))
            hint = hint or f"; only {_place(path, name)} is read"
        msg = f"{path}: {_place(path, table)} is not a table of settings{hint}"
        raise click.UsageError(msg)


def _section(path: Path, command: click.Command) -> dict[str, Any] | None:
    """The settings of a command in a file; None if it says nothing about nstar."""
    body: Any = _load(path)
    if path.name == "pyproject.toml":
        tool = body.get("tool")
        body = tool.get("nstar", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(body, Mapping):
        msg = f"{path}: [tool.nstar] must be a table with one for each command; got {body!r}"
        raise click.UsageError(msg)
    stray = [key for key, value in body.items() if not isinstance(value, Mapping)]
    if stray:
        where = _place(path, str(command.name))
        msg = f"{path}: {stray[0]!r} stands outside a command; write it below {where}"
        raise click.UsageError(msg)
    _refuse_strangers(path, body, command)
    found = body.get(str(command.name))
    return None if found is None else dict(found)


def _root(here: Path) -> Path:
    """The root of the repository, which holds ``.git``; outside a repository the folder itself."""
    return next((f for f in (here, *here.parents) if os.path.lexists(f / ".git")), here)


def _why_untrusted(path: Path, here: Path) -> str | None:
    """Why settings in this file are not used, if they are not."""
    root = _root(here)
    if not path.parent.is_relative_to(root):
        if os.path.lexists(root / ".git"):
            return f"is above the root of the repository {root}"
        return "is in a folder above, and this folder is in no repository"
    if path.parent == here or not hasattr(os, "geteuid"):
        return None
    # Anyone may put a .git and settings into a shared folder such as /tmp.
    if path.stat().st_uid not in {os.geteuid(), here.stat().st_uid}:
        return "belongs to another user"
    return None


def _may_set(path: Path) -> bool:
    """Whether a file that is not used looks as if it held settings."""
    if path.name == "nstar.toml":
        return True
    try:
        return b"tool.nstar" in path.read_bytes()
    except OSError:
        return False


def _files(here: Path) -> Iterator[Path]:
    """Files that may hold settings, the nearest first."""
    for folder in (here, *here.parents):
        path = folder / "nstar.toml"
        if os.path.lexists(path):
            yield path
        path = folder / "pyproject.toml"
        if path.is_file():
            yield path


def _found(command: click.Command, given: Path | None) -> tuple[Path, dict[str, Any]] | None:
    if given is not None:
        return given, _section(given, command) or {}
    here = Path.cwd()
    found: tuple[Path, dict[str, Any]] | None = None
    for path in _files(here):
        why = _why_untrusted(path, here)
        if why is None and found is not None:
            why = f"is farther away than {_shown(found[0])}"
        if why is None:
            section = _section(path, command)
            found = None if section is None else (path, section)
        elif _may_set(path):
            said = f"nstar: {path} is not used, because it {why}; --config FILE uses a file"
            click.echo(printable(said), err=True)
    return found


def _shown(path: Path) -> str:
    """The path as seen from the current folder."""
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive of Windows
        return str(path)


def settings_file() -> str | None:
    """The file that set options of the running command, as a report names it; None without."""
    ctx = click.get_current_context()
    names = (str(param.name) for param in ctx.command.params)
    if any(ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP for name in names):
        return _shown(ctx.params["config"])
    return None


def _plain(path: Path, key: str, value: Any) -> Any:
    """What the parser of an option takes: text, or a list of texts."""
    if isinstance(value, Mapping):
        return [f"{k}:{v}" for k, v in value.items()]
    if isinstance(value, list):
        return [str(v) for v in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        return str(value)
    msg = f"{path}: {key} must be text, a number, true, false or a list; got {value!r}"
    raise click.UsageError(msg)


def _defaults(ctx: click.Context, path: Path, section: dict[str, Any]) -> dict[str, Any]:
    known = {
        flag.removeprefix("--"): param
        for param in ctx.command.params
        for flag in param.opts
        if isinstance(param, click.Option) and flag.startswith("--")
    }
    out = {}
    for key, value in section.items():
        param = known.get(key)
        if param is None or key in _OWN:
            hint = _near(key, [k for k in known if k not in _OWN])
            table = _place(path, str(ctx.command.name))
            msg = f"{path}: {table} has no setting {key!r}{hint}"
            raise click.UsageError(msg)
        plain = _plain(path, key, value)
        if isinstance(plain, list) != param.multiple:
            kind = "a list" if param.multiple else "one value, not a list"
            msg = f"{path}: {key} must be {kind}; got {value!r}"
            raise click.UsageError(msg)
        out[str(param.name)] = plain
    return out


def located(error: click.ClickException) -> click.ClickException:
    """The refusal of a setting, with the file that has it; any other error as it is."""
    ctx = getattr(error, "ctx", None) or click.get_current_context(silent=True)
    if ctx is None or not isinstance(error, click.UsageError):
        return error
    told = error.format_message()
    for param in ctx.command.params:
        named = any(re.search(rf"{flag}(?![\w-])", told) for flag in param.opts)
        if named and ctx.get_parameter_source(str(param.name)) is ParameterSource.DEFAULT_MAP:
            place = f"{param.opts[0].lstrip('-')} in {ctx.params.get('config')}"
            return click.UsageError(f"{told} ({place})", ctx)
    return error


def _read(ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    found = _found(ctx.command, value)
    if found is None:
        return value
    path, section = found
    ctx.default_map = _defaults(ctx, path, section)
    return path


def config_option() -> Any:
    """``--config FILE``: settings from a file, by default the nearest that has any."""
    return option(
        "--config",
        under=Heading.INPUT,
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        is_eager=True,
        callback=_read,
        help="Settings file, instead of nstar.toml or pyproject.toml here or above in the "
        "repository.",
    )
