"""Fill every ```console block of the documentation with the real output of its commands.

A block about data that are not shipped needs them in ``../shared/data``; without them it stays
as it is.

python scripts/console_blocks.py            rewrite the files
python scripts/console_blocks.py --check    exit 1 if a block is stale
"""

import os
import re
import shlex
import sys
from pathlib import Path

from click.testing import CliRunner

from nstar.cli import main as nstar

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (nstar .*)$", re.MULTILINE)
NOT_SHIPPED = ("tau_bench_airline_gpt4o.parquet",)


def run(command: str) -> str:
    """What the command prints, without trailing blanks."""
    result = CliRunner().invoke(nstar, shlex.split(command)[1:], prog_name="nstar")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return re.sub(r"[ \t]+$", "", result.output, flags=re.MULTILINE).rstrip()


def folder(block: str) -> Path | None:
    """Where the commands of a block find their files; None if these are not at hand."""
    needed = [name for name in NOT_SHIPPED if name in block]
    if not needed:
        return ROOT
    return DATA if all((DATA / name).exists() for name in needed) else None


def filled(text: str) -> str:
    """The page with every console block replaced by commands and their output."""

    def block(match: re.Match[str]) -> str:
        where = folder(match[1])
        if where is None:
            return match[0]
        os.chdir(where)
        parts = [f"$ {c}\n{run(c)}" for c in COMMAND.findall(match[1])]
        return "```console\n" + "\n\n".join(parts) + "\n```"

    return BLOCK.sub(block, text)


def main() -> int:
    os.environ.pop("GITHUB_ACTIONS", None)  # there `nstar gate` says more
    stale = []
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = filled(old)
        if new != old:
            stale.append(page.relative_to(ROOT))
            if "--check" not in sys.argv:
                page.write_text(new, encoding="utf-8")
    for name in stale:
        print(f"{name}: console output {'is stale' if '--check' in sys.argv else 'rewritten'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
