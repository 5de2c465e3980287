"""Settings of a command in ``nstar.toml`` or ``pyproject.toml``. Options override them."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from nstar.cli.kit.command_list import related
from nstar.cli.kit.output import printable
from nstar.cli.kit.params import Heading, option

_OWN = ("help", "help-all", "config")
"""Options that a settings file cannot set."""
_UNUSED = "nstar.unused_settings"


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror}"
        raise click.UsageError(msg) from error
    except (ValueError, RecursionError) as error:  # also for numbers with too many digits
        msg = f"{path}: not valid TOML: {error}"
        raise click.UsageError(msg) from error


def _place(path: Path, table: str) -> str:
    """Return the name of a table of settings as it is written in the file."""
    return f"[tool.nstar.{table}]" if path.name == "pyproject.toml" else f"[{table}]"


def _near(wrong: str, known: Iterable[str], spell: Callable[[str], str] = str) -> str:
    suggestions = get_close_matches(wrong, list(known), n=1)
    return f". Did you mean {spell(suggestions[0])}?" if suggestions else ""


def _check_tables(path: Path, body: Mapping[str, Any], command: click.Command) -> None:
    """Reject a table that no command reads, because its settings would have no effect."""
    family = _family(command)
    for table in body:
        if table == family:
            continue
        settings = {flag.removeprefix("--") for param in command.params for flag in param.opts}
        if table in settings:
            hint = f". Did you mean {_place(path, f'{family}.{table}')}?"
        else:
            hint = _near(table, [family], lambda k: _place(path, k))
            hint = hint or f". This command reads only {_place(path, family)}."
        msg = f"{path}: unknown table {_place(path, table)}{hint}"
        raise click.UsageError(msg)


def _family(command: click.Command) -> str:
    """Return the first word of the command, which names its table."""
    return str(command.name).partition(" ")[0]


def _section(path: Path, command: click.Command) -> dict[str, Any] | None:
    """Return the settings of the family of a command, or None if the file has no such table."""
    body: Any = _load(path)
    if path.name == "pyproject.toml":
        tool = body.get("tool")
        body = tool.get("nstar", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(body, Mapping):
        msg = f"{path}: [tool.nstar] must contain one table per command; got {body!r}"
        raise click.UsageError(msg)
    stray = [key for key, value in body.items() if not isinstance(value, Mapping)]
    if stray:
        where = _place(path, _family(command))
        msg = f"{path}: {stray[0]!r} is outside the table of a command. Move it below {where}."
        raise click.UsageError(msg)
    _check_tables(path, body, command)
    section = body.get(_family(command))
    return None if section is None else dict(section)


def _why_untrusted(path: Path, directory: Path) -> str | None:
    """Return the reason for ignoring the settings in this file, or None to use them."""
    # The root of the repository or, outside one, the folder itself.
    root = next(
        (f for f in (directory, *directory.parents) if os.path.lexists(f / ".git")), directory
    )
    if not path.parent.is_relative_to(root):
        if os.path.lexists(root / ".git"):
            return f"is above the root of the repository {root}"
        return "is in a parent folder, and this folder is not in a repository"
    if path.parent == directory or not hasattr(os, "geteuid"):
        return None
    # Any user may put a .git and settings into a shared folder such as /tmp.
    if path.stat().st_uid not in {os.geteuid(), directory.stat().st_uid}:
        return "belongs to another user"
    return None


def _may_set(path: Path) -> bool:
    """Return whether an unused file appears to hold settings."""
    if path.name == "nstar.toml":
        return True
    try:
        return b"tool.nstar" in path.read_bytes()
    except OSError:
        return False


def _files(directory: Path) -> Iterator[Path]:
    """Yield files that may hold settings, nearest first."""
    for folder in (directory, *directory.parents):
        path = folder / "nstar.toml"
        if os.path.lexists(path):
            yield path
        path = folder / "pyproject.toml"
        if path.is_file():
            yield path


def _find_settings(
    command: click.Command, config_path: Path | None
) -> tuple[Path, dict[str, Any]] | None:
    if config_path is not None:
        return config_path, _section(config_path, command) or {}
    directory = Path.cwd()
    settings: tuple[Path, dict[str, Any]] | None = None
    for path in _files(directory):
        reason = _why_untrusted(path, directory)
        if reason is None and settings is not None:
            reason = f"is farther from this folder than {_relative_path(settings[0])}"
        if reason is None:
            section = _section(path, command)
            settings = None if section is None else (path, section)
        elif _may_set(path):
            warning = (
                f"nstar: {path} is not used, because it {reason}. To use a file, set --config "
                "FILE."
            )
            click.echo(printable(warning), err=True)
    return settings


def _relative_path(path: Path) -> str:
    """Return the path relative to the current folder."""
    try:
        return os.path.relpath(path)
    except ValueError:  # on a different Windows drive
        return str(path)


def settings_file() -> str | None:
    """Return the settings file of the running command for reports, or None if it uses none."""
    ctx = click.get_current_context()
    names = (str(param.name) for param in ctx.command.params)
    if any(ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP for name in names):
        return _relative_path(ctx.params["config"])
    return None


def _plain(path: Path, key: str, value: Any) -> Any:
    """Return a value as an option parser expects it: text or a list of texts."""
    if isinstance(value, Mapping):
        return [f"{k}:{v}" for k, v in value.items()]
    if isinstance(value, list):
        return [str(v) for v in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        return str(value)
    msg = f"{path}: {key} must be text, a number, true, false, or a list; got {value!r}"
    raise click.UsageError(msg)


def _command(name: str) -> click.Command:
    from nstar.cli import main

    return cast("click.Command", main.get_command(click.Context(main), name))


def _settings(command: click.Command) -> dict[str, click.Option]:
    """Return the options that a file can set, by key."""
    return {
        flag.removeprefix("--"): param
        for param in command.params
        for flag in param.opts
        if isinstance(param, click.Option) and flag.startswith("--")
        if flag.removeprefix("--") not in _OWN
    }


def _texts(
    path: Path, command: click.Command, section: Mapping[str, Any]
) -> dict[str, str | bool | list[str]]:
    """Return the settings of one table as its command reads them. Reject an unknown key."""
    known = _settings(command)
    texts = {}
    for key, value in section.items():
        option = known.get(key)
        if option is None:
            table = _place(path, str(command.name).replace(" ", "."))
            msg = f"{path}: unknown setting {key!r} in {table}{_where(path, key, command, known)}"
            raise click.UsageError(msg)
        text = _plain(path, key, value)
        if isinstance(text, list) != option.multiple:
            kind = "a list" if option.multiple else "one value, not a list"
            msg = f"{path}: {key} must be {kind}; got {value!r}"
            raise click.UsageError(msg)
        texts[key] = text
    return texts


def _where(path: Path, key: str, command: click.Command, known: Iterable[str]) -> str:
    """Return a hint for an error message about where an unknown key belongs."""
    for name in related(str(command.name)):
        if key in _settings(_command(name)):
            return (
                f". It belongs to nstar {name}. Move it below "
                f"{_place(path, name.replace(' ', '.'))}"
            )
    return _near(key, known)


def unused_settings(ctx: click.Context) -> tuple[str, ...]:
    """Return the settings of the family that do not apply to the running command."""
    return tuple(ctx.meta.get(_UNUSED, ()))


def _defaults(
    ctx: click.Context, path: Path, section: Mapping[str, Any]
) -> dict[str, str | bool | list[str]]:
    """Return the settings by parameter. Those of the command override those of the family.

    ``nstar gate looks`` reads ``[gate]`` and ``[gate.looks]``. It uses only those settings of
    ``[gate]`` that mean the same in both commands.
    """
    command = ctx.command
    family, _, second = str(command.name).partition(" ")
    names = [name.partition(" ")[2] for name in (str(command.name), *related(family))]
    tables = {name: section[name] for name in names if isinstance(section.get(name), Mapping)}
    shared = {key: value for key, value in section.items() if key not in tables}
    parent = command if not second else _command(family)
    texts = _texts(path, parent, shared)
    known = _settings(command)
    if second:
        shared = {key: text for key, text in texts.items() if _is_same(key, parent, command)}
        ctx.meta[_UNUSED] = [key for key in texts if key not in shared]
        texts = shared | _texts(path, command, tables.get(second, {}))
    return {str(known[key].name): text for key, text in texts.items()}


def _is_same(key: str, first: click.Command, second: click.Command) -> bool:
    """Return whether a setting is an option of both commands, with values of the same kind."""
    options = [_settings(command).get(key) for command in (first, second)]
    kinds = {o and (o.type.name, o.metavar, o.multiple) for o in options}
    return None not in options and len(kinds) == 1


def located(error: click.ClickException) -> click.ClickException:
    """Add the file name to an error about a setting. Return any other error unchanged."""
    ctx = getattr(error, "ctx", None) or click.get_current_context(silent=True)
    if ctx is None or not isinstance(error, click.UsageError):
        return error
    message = error.format_message()
    for param in ctx.command.params:
        is_mentioned = any(re.search(rf"{flag}(?![\w-])", message) for flag in param.opts)
        if (
            is_mentioned
            and ctx.get_parameter_source(str(param.name)) is ParameterSource.DEFAULT_MAP
        ):
            place = f"{param.opts[0].lstrip('-')} in {ctx.params.get('config')}"
            return click.UsageError(f"{message} ({place})", ctx)
    return error


def _read(ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    settings = _find_settings(ctx.command, value)
    if settings is None:
        return value
    path, section = settings
    ctx.default_map = _defaults(ctx, path, section)
    return path


def config_option() -> Any:
    """Return the option ``--config FILE``, whose default is the nearest file with settings."""
    return option(
        "--config",
        under=Heading.OTHER,
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        is_eager=True,
        callback=_read,
        help="Settings file to use instead of nstar.toml or pyproject.toml.",
    )
