"""What the tutorials say in words agrees with what their commands print."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from nstar.integrations.inspect import EarlyStopping

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


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


def test_the_index_has_every_page() -> None:
    listed = re.findall(r"\]\((\w[\w-]*\.md)\)", (FOLDER / "index.md").read_text("utf-8"))
    assert sorted(listed) == [page.name for page in PAGES]


def test_the_claim_under_review_is_that_of_the_demo() -> None:
    text = (FOLDER / "reviewer.md").read_text("utf-8")
    printed = re.search(r"lead: ([\d.]+) % against heron's ([\d.]+) %", text)
    items = re.search(r"answered the same ([\d,]+) items", text)
    assert printed is not None
    assert items is not None
    claim = f"nstar claim {printed[1]}% {printed[2]}% --items {items[1].replace(',', '')}"
    assert text.count(claim) == 2


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
    """Sentences that rest on how the made-up scores came out."""
    board = (FOLDER / "leaderboard.md").read_text("utf-8")
    assert re.search(r"^ +1 +1 +1–2 +heron .* −0\.\d+ ", board, re.M)
    assert "6 of 6 neighboring places are undecided" in board
    researcher = (FOLDER / "researcher.md").read_text("utf-8")
    assert "order-flips" in researcher
    assert re.search(r"^kestrel beats plover", researcher, re.M)
    watched = (FOLDER / "inspect.md").read_text("utf-8")
    assert re.search(r"^Decided after \d+ items: .* is not worse", watched, re.M)
