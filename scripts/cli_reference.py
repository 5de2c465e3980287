"""Write docs/reference/cli.md from the commands themselves.

python scripts/cli_reference.py            rewrite the page
python scripts/cli_reference.py --check    exit 1 if it is stale
"""

import inspect
import re
import sys
from pathlib import Path

import click

from _section import keep_page
from nstar.cli import commands
from nstar.cli import main as nstar
from nstar.cli.kit.command_list import OCCASIONS, SUMMARIES, related
from nstar.cli.kit.params import Command

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "cli.md"

GUIDES = {
    "compare judged": "judges",
    "compare known": "shrink",
    "demo": "start/first-comparison",
    "mcp": "extend",
    "plan labels": "judges",
    "plan runs": "budget",
    "selfcheck": "validation",
    "site": "share",
}
"""The guides of commands that have no page of their name."""

HEAD = """# Command line

<!-- Written by scripts/cli_reference.py. -->

This page lists every command and option, as in `nstar COMMAND --help`. The guides explain when to
use each command.

## Values

| value | meaning |
|---|---|
| `70%`, `0.7` | a share or an accuracy |
| `1pp`, `0.01` | a gap; `1%` is an error, as it could mean points or a share of the baseline |
| `1000`, `1,000` | a number of items |
| `PATH` | a log, a folder, a pattern such as `logs/*.eval`, a table, or a URL with `nstar[hub]` |
| `NAME=PATH`, `PATH::MODEL` | a label for a log; one of several models in a file |

Gaps are first minus second. `--format json` follows the [schemas](results.md#json).

## Exit status

| status | commands | meaning |
|---|---|---|
| 0 | all | success; for `gate`: PASS; for `watch`: any verdict |
| 1 | `selfcheck` | a reference value is outside its tolerance |
| 1 | `read` | the logs have a fatal finding |
| 1 | `gate` | REGRESSION |
| 2 | all | wrong usage |
| 3 | all except `gate` | impossible numbers, or logs that cannot be read |
| 3 | `gate` | INCONCLUSIVE |
| 4 | `gate` | INVALID DATA, or a report that could not be printed |
| 130, 143 | all | stopped by Ctrl-C or SIGTERM |
"""


def _text(words: str) -> str:
    """Help text as Markdown: options as code, signs that mean something escaped."""
    plain = re.sub(r"([|*_<])", r"\\\1", " ".join(words.split()))
    return re.sub(r"(?<![\w`-])(--[a-z](?:[a-z-]*[a-z])?)", r"`\1`", plain)


def _example(line: str) -> str:
    """A line of a shell: words that are not a command become a comment."""
    if not re.match(r"(\S+ \| )?nstar ", line):
        return f"# {line}"
    return re.sub(r"^(.*?\S)( {2,})(?=[^#\s])", r"\1\2# ", line)


def _about(help_text: str) -> str:
    r"""The help of a command; what stands below a \b becomes a block of commands."""
    parts: list[str] = []
    for paragraph in inspect.cleandoc(help_text).split("\n\n"):
        blocks = [b.strip("\n") for b in paragraph.split("\b")]
        if blocks[0].strip():
            parts.append(_text(blocks[0]))
        code = [inspect.cleandoc(b).strip() for b in blocks[1:]]
        lines = "\n".join(c for c in code if c).splitlines()
        if lines:
            parts.append("\n".join(["```sh", *map(_example, lines), "```"]))
    return "\n\n".join(parts)


def _choices(option: click.Option, metavar: str) -> list[str]:
    if isinstance(option.type, click.Choice):
        return [str(c) for c in option.type.choices]
    return metavar.strip("[]").split("|") if "|" in metavar else []


def _range(text: str) -> str:
    """``x>=1`` in words."""
    low, x, high = text.partition("<=x<=")
    if x:
        return f"From {low} to {high}."
    return re.sub(r"^x>=(.*)$", r"At least \1.", text)


def _row(option: click.Option, ctx: click.Context) -> str:
    metavar = "" if option.is_flag else option.make_metavar(ctx)
    choices = _choices(option, metavar)
    value_text = "" if choices else f" {metavar}"
    names = ", ".join(f"`{name}{value_text}`".replace(" `", "`") for name in option.opts)
    extra = option.get_help_extra(ctx)
    description, _, later = (option.help or "").partition(" [default: ")
    sentences = [re.sub(r"(?<![.…])$", ".", _text(description))]
    if choices:
        sentences.append("One of " + ", ".join(f"`{c}`" for c in choices) + ".")
    if "range" in extra:
        sentences.append(_range(str(extra["range"])))
    if option.multiple:
        sentences.append("May be repeated.")
    if "required" in extra:
        sentences.append("Required.")
    default = later.rstrip("].") or str(extra.get("default", ""))
    if default:
        sentences.append(f"Default: `{default}`.")
    return f"| {names} | {' '.join(sentences)} |"


def _options(command: click.Command, ctx: click.Context) -> str:
    """A table for each heading of the command's help."""
    if not isinstance(command, Command):
        sys.exit(f"scripts/cli_reference.py: nstar {command.name} has no headings")
    return "\n\n".join(
        "\n".join(
            [f"**{title}**", "", "| option | |", "|---|---|", *(_row(o, ctx) for o in options)]
        )
        for title, options in command.sections()
        if options
    )


def entry(name: str) -> str:
    """All about one command."""
    command = commands()[name]
    ctx = click.Context(command, info_name=name, parent=click.Context(nstar, info_name="nstar"))
    usage = f"nstar {name} " + " ".join(command.collect_usage_pieces(ctx))
    parts = [f"### nstar {name}", f"```text\n{usage}\n```", _about(command.help or "")]
    guide = GUIDES.get(name, name.split(maxsplit=1)[0])
    parts.append(f"When to use it: [guide](../{guide}.md).")
    return "\n\n".join([*parts, _options(command, ctx)]).rstrip()


def page() -> str:
    """The whole page."""
    parts = [HEAD.rstrip()]
    listed = {name for names in OCCASIONS.values() for name in names}
    others = tuple(n for n in SUMMARIES if n not in listed and n.split()[0] not in listed)
    for occasion, names in {**OCCASIONS, "Advanced": others}.items():
        family = [other for name in names for other in (name, *related(name))]
        parts += [f"## {occasion}", *map(entry, family)]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Write the page, or say that it is stale."""
    return keep_page(PAGE, page())


if __name__ == "__main__":
    sys.exit(main())
