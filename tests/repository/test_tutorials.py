"""What the tutorials say in words agrees with what their commands print."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from nstar.integrations.inspect import EarlyStopping

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
PAGES = sorted(FOLDER.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_starts_from_nothing_and_leads_on(page: Path) -> None:
    text = page.read_text("utf-8")
    goal, install, demo = (
        text.index(part)
        for part in (
            "**Goal:**",
            "```sh\npip install nstar\n```",
            "```console\n$ nstar demo --out nstar-demo",
        )
    )
    assert goal < install < demo < text.index("\n## ")
    assert "\n## Next\n" in text


def test_answers_of_the_gate() -> None:
    text = (FOLDER / "agents-ci.md").read_text("utf-8")
    statuses = re.findall(r"^\$ echo \$\?\n(\d)$", text, re.M)
    words = re.findall(r"^(PASS|REGRESSION|INCONCLUSIVE):", text, re.M)
    assert statuses == ["0", "1", "3", "3", "3", "3"]
    assert words == ["PASS", "REGRESSION", "INCONCLUSIVE", "INCONCLUSIVE"]


def test_the_task_that_stops_by_itself() -> None:
    (block,) = re.findall(r"```py\n(.*?)```", (FOLDER / "inspect.md").read_text("utf-8"), re.S)
    calls = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    (call,) = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "EarlyStopping"]
    given = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    inspect.signature(EarlyStopping).bind(*map(ast.literal_eval, call.args), **given)


def test_prose_about_the_demo_holds() -> None:
    """Sentences that depend on the synthetic scores."""
    board = (FOLDER / "leaderboard.md").read_text("utf-8")
    assert "heron or wren" in board.partition("grep -v")[2]  # heron has the highest mean
    researcher = (FOLDER / "researcher.md").read_text("utf-8")
    assert "`order-flips`" in researcher
    assert re.search(r"^kestrel beats plover", researcher, re.M)
    assert re.search(r"^Inconclusive: kestrel", researcher, re.M)
