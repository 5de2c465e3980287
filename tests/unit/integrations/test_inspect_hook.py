"""Hook at the end of an eval set, without Inspect; test_inspect_real.py runs it in Inspect."""

import asyncio
import importlib
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from nstar._verbs.demo import files

NAME = "nstar.integrations.inspect_hook"


@pytest.fixture
def end(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """End an eval set with logs in a folder, with this baseline."""
    stub: Any = ModuleType("inspect_ai.hooks")
    registered: dict[str, Any] = {}
    stub.Hooks, stub.EvalSetEnd = object, SimpleNamespace
    stub.hooks = lambda name, description: lambda hook: registered.setdefault(name, hook())
    monkeypatch.setitem(sys.modules, "inspect_ai", ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.hooks", stub)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    importlib.import_module(NAME)
    monkeypatch.delitem(sys.modules, NAME)
    hook = registered["baseline"]

    def ended(log_dir: str, baseline: str) -> None:
        monkeypatch.setenv("NSTAR_BASELINE", baseline)
        assert hook.enabled() is bool(baseline)
        call = hook.on_eval_set_end(SimpleNamespace(eval_set_id="E", log_dir=log_dir))
        with ThreadPoolExecutor(1) as threads:  # a browser's fixture may keep a loop in this one
            threads.submit(asyncio.run, call).result()

    return ended


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders old and new, with a log each."""
    monkeypatch.chdir(tmp_path)
    for name, content in files():
        if name.startswith("inspect/"):
            folder = tmp_path / {"baseline.eval": "old", "candidate.eval": "new"}[name[8:]]
            folder.mkdir()
            (folder / name[8:]).write_bytes(content)
    return tmp_path


def test_one_model(end: Any, logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    end(f"file://{logs}/new", "old")
    out, err = capsys.readouterr()
    assert out.startswith(
        f"\n$ nstar compare {logs}/new old\nInconclusive: demo/lark-2 scores 2.0 pp"
    )
    assert "--full adds" in out
    assert out.endswith(f"nstar: wrote {logs}/new/nstar.html\n")
    assert "demo/lark-2" in (logs / "new" / "nstar.html").read_text("utf-8")
    assert err == ""


def test_models_meet_their_own_baselines(
    end: Any, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = shutil.copytree(logs / "old", logs / "both")
    shutil.copy(logs / "new" / "candidate.eval", both)
    shutil.copytree(both, logs / "again")
    end("both", "again")
    out = capsys.readouterr().out
    assert "$ nstar compare both::demo/lark again::demo/lark\n" in out
    assert "$ nstar compare both::demo/lark-2 again::demo/lark-2\n" in out
    pages = sorted(page.name for page in both.glob("*.html"))
    assert pages == ["nstar-1-demo-lark.html", "nstar-2-demo-lark-2.html"]
    end("both", "again::demo/lark")
    assert capsys.readouterr().out.count("again::demo/lark\n") == 2


@pytest.mark.parametrize(
    ("baseline", "problem"),
    [
        ("none", "none: no such file or folder. Check the spelling."),
        ("empty", "empty: "),
        ("\x1b[2Jold", r"\x1b[2Jold: "),
    ],
)
def test_an_error_is_one_line(
    end: Any, logs: Path, capsys: pytest.CaptureFixture[str], baseline: str, problem: str
) -> None:
    (logs / "empty").mkdir()
    end("new", baseline)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"nstar: no comparison with the baseline. {problem}")
    assert err.count("\n") == 1


def test_an_unknown_error_is_one_line(
    end: Any, logs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr("nstar.compare", fail)
    end("new", "old")
    text = r"nstar: no comparison with the baseline. RuntimeError('first\nsecond')"
    assert capsys.readouterr().err == f"{text}\n"
