"""``nstar claim``, ``nstar claim gap``, and ``nstar claim scores``."""

import re
import sys
from pathlib import Path
from typing import Any

import click

from nstar._api.claim import claim
from nstar._api.claim_gap import claim_gap
from nstar._api.claim_scores import claim_scores
from nstar.cli.kit.front import ReportOutput, front
from nstar.cli.kit.params import Command

_NEGATIVE = re.compile(r"-\.?\d.*")


_PAGES = (".md", ".markdown", ".tex", ".csv", ".tsv", ".txt")


def command_for(words: list[str]) -> str | None:
    """Return the command for a gap, a table, or a list of claims; None for two accuracies."""
    if any(word == "--gap" or word.startswith("--gap=") for word in words):
        return "claim gap"
    data = next((w for w in words if w == "-" or Path(w).suffix.lower() in _PAGES), None)
    is_value = data is not None and words.index(data) and words[words.index(data) - 1] == "--items"
    if data is None or is_value:
        return None
    return "claim list" if _is_list(data) else "claim table"


def _is_list(path: str) -> bool:
    """Return whether the header of a file names two scores and a number of items."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(4096).decode("utf-8", "replace").lstrip("\ufeff")
    except OSError:
        return False
    line = next((line for line in head.splitlines() if line.strip()), "")
    names = {name.strip(' "*').lower() for name in re.split(r"[,;|&\t]", line)}
    return {"a", "b"} <= names


def _sentence_on_stdin() -> str | None:
    """Return the sentence on standard input; None for a table, which has several lines."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    line = b"" if peek is None or sys.stdin.isatty() else peek().strip()
    if not re.search(rb"\d", line) or re.search(rb"[\n|&\t]", line):
        return None
    return sys.stdin.read().strip()


class _ClaimCommand(Command):
    """The command ``claim``, which hands tables, lists, and gaps to their own commands."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of this command, or of the command for this kind of claim."""
        if "-" in args and (sentence := _sentence_on_stdin()):
            args = [sentence if arg == "-" else arg for arg in args]
        name = None if parent is None else command_for(args)
        if name is None or parent is None or not isinstance(parent.command, click.Group):
            return super().make_context(info_name, args, parent, **extra)
        command = parent.command.get_command(parent, name)
        if name == "claim list" and any(arg.split("=")[0] == "--items" for arg in args):
            msg = (
                "A file with the columns a and b is a list of claims, whose items are a column. "
                "To read it as a table of scores, use: nstar claim table FILE --items 1000"
            )
            raise click.UsageError(msg)
        if name == "claim gap":
            args = [
                part for arg in args for part in arg.removeprefix("--gap").split("=", 1) if part
            ]
        return (command or self).make_context(name, args, parent, **extra)


claim_command = front(
    claim,
    examples=(
        "nstar claim 71.4% 70.6% --items 1000",
        "nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp",
        "nstar claim '71.4% vs 70.6% on 1,319 items (p = 0.04)'",
        "nstar claim --gap -2.3pp --ci -11.1pp,6.2pp --p 0.71    a gap",
        "nstar claim table.tex --items 1000                      a table (or .md, .csv, -)",
        "nstar claim claims.csv                                  columns paper, a, b, items",
    ),
    output=ReportOutput,
    cls=_ClaimCommand,
)


class _SignedCommand(Command):
    """Command whose scores may be negative, such as log-likelihoods and rewards."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Mark negative numbers as values, because click reads ``-1.2`` as an option."""
        options = (p for p in self.params if isinstance(p, click.Option) and p.is_flag)
        flags = {flag for p in options for flag in p.opts}
        marked = []
        for before, value in zip(["", *args], args, strict=False):
            is_taken = before.startswith("--") and before not in flags and "=" not in before
            is_score = _NEGATIVE.fullmatch(value) is not None and not is_taken
            marked.append(f"−{value[1:]}" if is_score else value)
        return super().parse_args(ctx, marked)


claim_gap_command = front(
    claim_gap,
    examples=(
        "nstar claim gap -2.34pp --ci -11.09pp,6.20pp --p 0.71 --items 216",
        "nstar claim gap 1.2pp --p 0.03",
    ),
    output=ReportOutput,
    cls=_SignedCommand,
)

claim_scores_command = front(
    claim_scores,
    examples=(
        "nstar claim scores 71.4 70.6 --pm 0.5,0.4 --seeds 5",
        "nstar claim scores 1285 1272 --pm 5 --pm-is ci",
    ),
    output=ReportOutput,
    cls=_SignedCommand,
)
