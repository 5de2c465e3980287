"""The first minutes: the version, the Tab key, and what is said to a wrong command."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

import nstar
from nstar.cli import commands, main
from nstar.cli.kit.command_list import SUMMARIES, related
from nstar.cli.kit.params import Argument, Command, Heading, Option

EXAMPLES = Path(__file__).parents[3] / "examples"
BOARD = str(EXAMPLES / "results.csv")
LIBRARY = str(Path(nstar.__file__).parents[1])


def complete(words: str, *, cwd: Path | None = None) -> list[str]:
    """What the program offers for the last of the words; a real shell asks it further below."""
    asked = {
        "_NSTAR_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    with chdir(cwd or Path.cwd()):
        result = CliRunner().invoke(main, [], prog_name="nstar", env=asked)
    assert result.exit_code == 0, result.output
    assert not result.stderr
    return result.stdout.split()


def test_version_says_what_it_runs_on() -> None:
    lines = CliRunner().invoke(main, ["--version"]).stdout.splitlines()
    assert lines[0] == f"nstar, version {nstar.__version__}"
    text = "\n".join(lines)
    assert f"Python      {sys.version.split()[0]}" in text
    for name in ("numpy", "scipy", "pyarrow", "msgspec", "click", "rich", "numkong", "nstar[hub]"):
        assert f"{name} " in text


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--version"], ("numpy", "scipy", "pyarrow", "rich", "msgspec")),
        (["--help"], ("numpy", "scipy", "pyarrow", "rich", "msgspec")),
        (["watch", "--help"], ("numpy", "scipy", "pyarrow", "rich", "msgspec")),
        (["plan", "--baseline", "70%", "--delta", "1pp"], ("pyarrow", "rich", "scipy.stats")),
    ],
)
def test_a_command_imports_nothing_heavy(arguments: list[str], heavy: tuple[str, ...]) -> None:
    code = (
        f"import sys\nfrom nstar.cli import main\nmain({arguments}, standalone_mode=False)\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": LIBRARY},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_tab_offers_commands_options_and_choices() -> None:
    assert complete("nstar co") == ["plain,compare"]
    assert "plain,--cluster" in complete("nstar compare --cl")
    assert complete("nstar audit x --adjust bon") == ["plain,bonferroni"]


def test_tab_leaves_files_to_the_shell() -> None:
    for command in ("compare", "audit", "read", "runs", "watch", "site"):
        assert complete(f"nstar {command} res") == ["file,res"]
    assert complete("nstar gate --baseline lo") == ["file,lo"]
    assert complete("nstar demo --out x") == ["dir,x"]


def test_tab_offers_the_models_of_a_table() -> None:
    assert complete("nstar compare results.csv --a al", cwd=EXAMPLES) == ["plain,alpha"]
    assert complete("nstar compare results.csv --a alpha --b be", cwd=EXAMPLES) == ["plain,beta"]
    assert complete("nstar audit results.csv --where ga", cwd=EXAMPLES) == ["plain,gamma"]
    assert complete("nstar compare nowhere.csv --a al", cwd=EXAMPLES) == []


def test_tab_offers_no_name_that_a_shell_would_run(tmp_path: Path) -> None:
    names = ("good", "$(touch pwned)", "a;b", "`id`", "two words", "-x'")
    rows = "".join(f'"{name}",{k},1\n' for name in names for k in range(3))
    (tmp_path / "t.csv").write_text("model,item,score\n" + rows)
    assert complete("nstar compare t.csv --a ", cwd=tmp_path) == ["plain,good"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows runs no script by its first line")
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_real_bash_completes(tmp_path: Path) -> None:
    """The script that click prints, in a shell with the words of a command line."""
    program = tmp_path / "nstar"
    program.write_text(
        f"#!{sys.executable}\nfrom nstar.cli import main\nmain(prog_name='nstar')\n"
    )
    program.chmod(0o755)
    old = 77  # status of a bash that click does not complete in, as that of macOS
    asked = (
        f"((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || exit {old}\n"
        'eval "$(_NSTAR_COMPLETE=bash_source nstar)"\n'
        "COMP_WORDS=(nstar compare results.csv --a al); COMP_CWORD=4\n"
        '_nstar_completion nstar; echo "${COMPREPLY[@]}"\n'
        "COMP_WORDS=(nstar de); COMP_CWORD=1\n"
        'COMPREPLY=(); _nstar_completion nstar; echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(  # noqa: S603
        ["bash", "--norc", "-c", asked],  # noqa: S607
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": LIBRARY},
        capture_output=True,
        text=True,
        check=False,
        cwd=EXAMPLES,
    )
    if done.returncode == old:
        pytest.skip("bash before 4.4")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["alpha", "demo"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cmpare a b", "Did you mean nstar compare?"),
        ("Audit x", "Did you mean nstar audit?"),
        ("help", "Did you mean nstar --help?"),
        ("version", "Did you mean nstar --version?"),
        ("zzz", "See nstar --help."),
        (f"{BOARD}", f"nstar audit {BOARD} or nstar compare {BOARD} OTHER"),
        (f"{BOARD} audit", f"Put the command first: nstar audit {BOARD}"),
        (f"{BOARD} {BOARD}", f"nstar compare {BOARD} {BOARD}"),
        (f"compare {BOARD} -a alpha -b beta", "Did you mean --a?"),
        (f"compare {BOARD} --starta subject", "Did you mean --strata?"),
        (f"compare {BOARD} alpha beta", f"nstar compare {BOARD} --a alpha --b beta"),
        (f"compare {BOARD} alpha", f"nstar compare {BOARD} --a alpha --b OTHER"),
        ("compare alpha beta", "alpha, beta: not files. To compare models in one table"),
        ("claim 71,4% 70,6% --items 1250", "Use 71.4% (decimal point)"),
        ("plan --baseline 70% --delta 1", "Use 1pp"),
        (
            f"compare {BOARD} --strata subject --cluster subject",
            "--cluster (groups that are a sample), not both",
        ),
        ("gate old new", "nstar gate --baseline OLD --candidate NEW --margin 1pp"),
    ],
)
def test_wrong_usage_is_told_the_mend(words: str, said: str) -> None:
    result = CliRunner().invoke(main, words.split(" "))
    assert result.exit_code == 2
    text = " ".join(result.stderr.split())
    assert said in text or said in text.replace("'", "")  # click quotes names since 8.4


@pytest.mark.parametrize(
    "words",
    ["gate --figure x", "site --html x", "read --html x"],
)
def test_no_option_is_suggested_that_means_something_else(words: str) -> None:
    said = CliRunner().invoke(main, words.split()).stderr
    assert "No such option" in said
    for other in ("--items", "--title", "--ties"):
        assert other not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"compare {BOARD} --a alphx --b beta", "Did you mean alpha"),
        (f"audit {BOARD[:-4]}s.csv", f"Did you mean {BOARD}?"),
        (f"audit “{BOARD}”", "Remove the typographic quotes"),
        (f"audit {BOARD} --reader lmeval", "Did you mean lm_eval?"),
    ],
)
def test_what_cannot_be_read_is_told_the_mend(words: str, said: str) -> None:
    result = CliRunner().invoke(main, words.split(" "))
    assert result.exit_code == 3
    assert said in " ".join(result.stderr.split())


def test_one_model_and_averages_are_told_the_mend(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("model,item,score\na,1,1\na,2,0\n")
    (tmp_path / "means.csv").write_text("model,accuracy\na,0.7\nb,0.71\n")
    one = CliRunner().invoke(main, ["audit", str(tmp_path / "one.csv")])
    assert "these logs contain only 'a'. Add the logs of other models" in one.stderr
    means = CliRunner().invoke(main, ["audit", str(tmp_path / "means.csv")])
    assert "To check two reported averages, use nstar claim" in means.stderr


def test_a_hostile_word_is_not_echoed_to_the_terminal() -> None:
    result = CliRunner().invoke(main, ["\x1b[31mx\n::error::y"])
    assert "\x1b" not in result.stderr
    assert "\n::error::" not in result.stderr


def test_in_python_too() -> None:
    with pytest.raises(nstar.errors.ReadError, match=r"board\.csv: no such file or folder"):
        nstar.audit("board.csv")
    with pytest.raises(nstar.errors.ReadError, match=r"a\.csv: no such file or folder"):
        nstar.compare("a.csv", "b.csv")


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child")
def test_ctrl_c_while_it_loads_is_no_traceback(tmp_path: Path) -> None:
    slow = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    (tmp_path / "click.py").write_text(slow, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "nstar", "--help"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{LIBRARY}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_help_says_of_each_command_what_it_says_of_itself() -> None:
    assert {name: command.short_help for name, command in commands().items()} == SUMMARIES


HELP = """\
Usage: nstar COMMAND [OPTIONS]

  Find out which differences between AI models your evaluation can support.

Start here:
  demo      Tour a synthetic leaderboard (no files needed)

Analyze results:
  compare   Is model A better than model B?
  audit     Which leaderboard ranks are statistically supported?
  battles   Rate models from pairwise votes
  runs      How much do repeated runs vary?
  items     Find non-discriminating items and suspect answer keys

Plan and monitor:
  plan      How many items, runs, votes or labels do I need?
  shrink    Pick a smaller subset of a benchmark
  watch     Monitor a running evaluation and stop early
  gate      Pass or fail a release candidate (for CI)

Check and share:
  claim     Check a published result from its reported scores
  read      Inspect logs and convert them
  site      Build a static leaderboard website

Advanced: simulate, judges, mcp, selfcheck

Examples:
  nstar compare results/a results/b
  nstar audit results/ --html report.html
  nstar plan --baseline 70% --delta 1pp

Options:
  --version   Show version and environment
  -h, --help  Show this message
"""


def test_help_of_the_program() -> None:
    assert CliRunner().invoke(main, ["--help"], prog_name="nstar").output == HELP


@pytest.mark.parametrize("name", sorted(commands()))
def test_options_are_listed_by_heading(name: str) -> None:
    command = commands()[name]
    assert isinstance(command, Command)
    sections = command.sections()
    listed = [option for _, options in sections for option in options]
    assert listed == [p for p in command.params if isinstance(p, Option)]
    headings = [h.value for h in Heading]
    places = [headings.index(title) for title, _ in sections if title != "Options"]
    assert places == sorted(set(places))
    told = CliRunner().invoke(main, [*name.split(), "--help"]).output
    shown = [title for title, options in sections if not all(o.hidden for o in options)]
    inputs = ["Input"] * any(isinstance(p, Argument) for p in command.params)
    others = ["Related commands"] * bool(related(name))
    assert re.findall(r"^(\w.*):$", told, re.M) == [*inputs, *(shown or ["Options"]), *others]


def test_tab_offers_options_in_the_order_of_the_help() -> None:
    offered = [line.removeprefix("plain,") for line in complete("nstar audit --")]
    shown = (p for p in commands()["audit"].params if not getattr(p, "hidden", False))
    flags = [o for p in shown for o in p.opts if o.startswith("--")]
    assert offered == [*flags, "--help"]
