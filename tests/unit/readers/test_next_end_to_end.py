"""A folder of any format goes straight into compare and audit."""

import pytest

from helpers.commands import Command
from helpers.logs import FIXTURES

FOLDERS = {
    "evalplus": ("plus", "acme/alpha"),
    "bigcodebench": ("pass", "acme/alpha"),
    "livecodebench": ("pass", "Alpha"),
    "livebench": ("score", "alpha-7b"),
    "bfcl": ("accuracy", "alpha"),
    "opencompass": ("correct", "alpha"),
    "verifiers/v1": ("reward", "acme/alpha"),
    "verifiers/old": ("reward", "gpt-4.1-mini"),
    "pydantic_evals": ("EqualsExpected", "model-a"),
    "dspy": ("answer_exact_match", "model-a"),
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_compare_and_audit(folder: str) -> None:
    path, (metric, model) = str(FIXTURES / folder), FOLDERS[folder]
    task = ("--task", "math_comp") if folder == "livebench" else ()
    task = ("--task", "gsm8k") if folder == "opencompass" else task
    for verb in ("compare", "audit"):
        assert model in Command(verb).text(path, "--metric", metric, *task)
