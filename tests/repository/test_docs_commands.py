"""Every `nstar …` that a page, an agent's skill or llms.txt tells people to type can be typed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from helpers.cases import each
from nstar.cli import commands, main
from nstar.cli.claim import command_for

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "SKILL.md", "llms.txt", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.M | re.S)
TYPED = re.compile(r"(?:^|[|&;(] *|uvx |run: |run: \| *)nstar (?=[a-z-])([^|;&\n]*)", re.M)
HELP = {"-h", "--help"}


def typed(text: str) -> Iterator[str]:
    """What stands after `nstar` wherever it is the command of a line, or code in a sentence."""
    for language, block in FENCE.findall(text):
        lines = re.sub(r"\\\n\s*", " ", block)
        if language == "console":
            lines = "\n".join(re.findall(r"^\$ (.*)$", lines, re.M))
        if language in ("console", "sh", "yaml", "bash"):
            yield from TYPED.findall(lines)
    for code in re.findall(r"`(nstar [a-z-][^`]*)`", FENCE.sub("", text)):
        yield from TYPED.findall(" ".join(code.split()))


def flaw(arguments: str) -> str | None:
    """Why this cannot be typed; None if it can."""
    words = shlex.split(arguments.replace("'", ""), comments=True)
    if words[0].startswith("-"):
        known = {o for p in main.params for o in p.opts} | HELP
        return None if words[0] in known else f"nstar has no {words[0]}"
    name = " ".join(words[:2])
    if name not in commands():
        name = words[0]
    if name == "claim" and (kind := command_for(words[1:])) is not None:
        name, words = kind, [word for word in words if word != "--gap"]
    command = commands().get(name)
    if command is None:
        return f"there is no nstar {name}"
    known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | HELP
    for word in words[1:]:
        option = word.partition("=")[0]
        if re.match(r"-{1,2}[a-z]", option) and option not in known:
            return f"nstar {name} has no {option}"
    return None


@each(PAGES)
def test_commands_exist(page: Path) -> None:
    flaws = {flaw(arguments) for arguments in typed(page.read_text(encoding="utf-8"))}
    assert not flaws - {None}


def test_commands_are_found() -> None:
    block = "```console\n$ nstar audit a \\\n    --top 3 | head\n--not\n```\n"
    page = f"`nstar plan --delta 1pp`\n{block}"
    assert [*typed(page)] == ["audit a  --top 3 ", "plan --delta 1pp"]
    assert flaw("plan --nothing") == "nstar plan has no --nothing"
    assert flaw("nothing") == "there is no nstar nothing"
    assert flaw("--version") is None
    assert flaw("watch - --items 5 # all of them") is None


def test_a_skill_says_when_to_use_it() -> None:
    _, head, _ = (ROOT / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    assert head.startswith("name: nstar\ndescription:")
    assert len(head) < 1_024
