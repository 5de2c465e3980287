"""The page on frames of other tools: what they give today is what the page takes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "frames.md"


def block(tool: str) -> str:
    """The code of the page that needs the tool."""
    blocks: list[str] = re.findall(r"^```py\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M)
    return next(code for code in blocks if tool in code)


def example(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "examples" / name).read_text("utf-8"))
    return found


@pytest.mark.filterwarnings("ignore")  # of what the tools deprecate
@pytest.mark.parametrize("tool", ["ragas", "mlflow"])
def test_the_tool_gives_such_frames(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tool at hand: the page's own code on the questions of the examples."""
    installed = pytest.importorskip(tool)
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for name in ("alpha", "beta", "gamma"):
        rows = [{"user_input": "1+1?", "response": "2", "reference": "2"}]
        known[f"rows_of_{name}"] = rows
        asked = {"inputs": {"question": "1+1?"}, "outputs": "2", "expectations": {"answer": "2"}}
        known[f"answers_of_{name}"] = [asked]
    if tool == "mlflow":
        installed.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    exec(block(tool), known)  # noqa: S102
    for name, frame in known["frames"].items():
        wanted = example(f"{tool}-{name}.json")[0]
        assert wanted.keys() <= set(frame.columns)


@pytest.mark.parametrize("tool", ["ragas", "mlflow"])
def test_examples_are_of_the_same_questions(tool: str) -> None:
    key = "user_input" if tool == "ragas" else "request"
    asked = [{str(r[key]) for r in example(f"{tool}-{name}.json")} for name in ("alpha", "beta")]
    assert asked[0] == asked[1]
