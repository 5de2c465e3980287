"""Fill every ```console block of the documentation with the real output of its commands.

A page runs in the root of the repository, block by block. A page that writes the demo data runs as
a reader would: all commands of the page in order, by one shell, in an empty folder, with nothing
but ``nstar`` and the programs of the shell. A command that fails there must be followed by
``echo $?``.

A block about data that are not shipped needs them in ``../shared/data``; without them it stays
as it is, and so do walked pages where there is no bash.

python scripts/console_blocks.py            rewrite the files
python scripts/console_blocks.py --check    exit 1 if a block is stale
python scripts/console_blocks.py FILE…      these only
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

import nstar as package
from nstar.cli import main as nstar

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (nstar .*)$", re.MULTILINE)
TYPED = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)  # any command, lines joined by \
NOT_SHIPPED = ("tau_bench_airline_gpt4o.parquet", "mmlu_pro.parquet")


def tidy(output: str) -> str:
    """Output without trailing blanks."""
    return re.sub(r"[ \t]+$", "", output, flags=re.MULTILINE).rstrip()


def run(command: str) -> str:
    """What the command prints, through grep if the command says so, without trailing blanks."""
    call, _, filter_ = command.partition(" | grep ")
    result = CliRunner().invoke(nstar, shlex.split(call)[1:], prog_name="nstar")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if not filter_:
        return tidy(result.output)
    grep = ["grep", *shlex.split(filter_)]
    return tidy(
        subprocess.run(
            grep, input=result.output, capture_output=True, text=True, check=True
        ).stdout
    )


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


def checkout(folder: Path) -> Path:
    """A folder with a program ``nstar`` that is the one of this checkout."""
    folder.mkdir()
    source = shlex.quote(str(Path(package.__file__).parents[1]))
    python = f"PYTHONPATH={source} exec {shlex.quote(sys.executable)} -P -c"
    call = "from nstar.cli import main; main(prog_name='nstar')"
    program = folder / "nstar"
    program.write_text(f'#!/bin/sh\n{python} "{call}" "$@"\n')
    program.chmod(0o755)
    return folder


def environment(home: Path, programs: Path) -> dict[str, str]:
    """Nothing but these programs and those of the machine."""
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(home),
        "COLUMNS": "88",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONUTF8": "1",
        "TERM": "dumb",
    }


def typed(commands: list[str], programs: Path | None = None) -> list[str]:
    """What each command prints, typed one after the other in one shell and an empty folder.

    ``programs`` is the folder with the ``nstar`` to be run; None means that of this checkout.
    """
    separator = r"__status=$?; printf '\036%d\036' $__status; (exit $__status)"
    with TemporaryDirectory() as home:
        programs_folder = programs or checkout(Path(home, "bin"))
        work = Path(home, "work")
        work.mkdir()
        lines = [line for c in commands for line in (f"eval {shlex.quote(c)}", separator)]
        process = subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", "\n".join(lines)],
            cwd=work,
            env=environment(Path(home), programs_folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            encoding="utf-8",
        )
    parts = process.stdout.split("\x1e")
    outputs, statuses = parts[:-1:2], parts[1::2]
    nexts = [*commands[1:], ""]
    for command, output, status, after in zip(commands, outputs, statuses, nexts, strict=True):
        if status != "0" and after != "echo $?":
            raise SystemExit(f"exit status {status}, and nothing says so: {command}\n{output}")
    return [tidy(output) for output in outputs]


def is_walked(page: Path) -> bool:
    """Whether the page starts from an empty folder with ``nstar demo --out``."""
    return "\n$ nstar demo --out " in page.read_text(encoding="utf-8")


def walked(text: str) -> str:
    """The page with every console block replaced by commands and their output."""
    blocks = [TYPED.findall(block) for block in BLOCK.findall(text)]
    commands = [command for block in blocks for command in block]
    if not commands or os.name != "posix" or shutil.which("bash") is None:
        return text
    outputs = iter(zip(commands, typed(commands), strict=True))
    queue = iter(blocks)

    def block(_: re.Match[str]) -> str:
        pairs = [next(outputs) for _ in next(queue)]
        parts = [f"$ {command}\n{output}".rstrip() for command, output in pairs]
        return "```console\n" + "\n\n".join(parts) + "\n```"

    return BLOCK.sub(block, text)


def main() -> int:
    os.environ.pop("GITHUB_ACTIONS", None)  # there `nstar gate` says more
    check = "--check" in sys.argv
    pages = [Path(name).resolve() for name in sys.argv[1:] if name != "--check"]
    old = {page: page.read_text(encoding="utf-8") for page in pages or PAGES}
    with ThreadPoolExecutor(max_workers=2) as pool:
        walking = {page: pool.submit(walked, old[page]) for page in old if is_walked(page)}
        new = {page: filled(old[page]) for page in old if page not in walking}
        new |= {page: future.result() for page, future in walking.items()}
    stale = [page for page in old if new[page] != old[page]]
    for page in stale:
        if not check:
            page.write_text(new[page], encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: console output {'is stale' if check else 'rewritten'}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
