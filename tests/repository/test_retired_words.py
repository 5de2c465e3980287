"""Phrases that no native editor would leave are found, also across lines; good English is not."""

import pytest

from helpers.scripts_as_modules import loaded

SCRIPT = loaded("retired_words")


@pytest.mark.parametrize(
    "text",
    [
        "More clusters can be had.",
        "'x' is none of a, b and c",
        "a row that is no row",
        "lines part the tiers",
        "uses how gaps hang\n    together",
        "# no mere\n# 0 or 1",
        'msg = (\n    "refused before any "\n    f"work of {name}"\n)',
        "It is checked, for it may come from a file.",
        "All pairs count, for the data decide who is next.",
    ],
)
def test_a_retired_phrase_is_found_once(text: str) -> None:
    (hit,) = SCRIPT.hits(f"first line\n{text}", "page.md")
    assert hit.place in ("page.md:2", "page.md:3")
    assert hit.better


@pytest.mark.parametrize(
    "text",
    [
        "There is no file.",
        "None of these is right; if there is none, stop.",
        "It is no longer needed, and no evidence either way.",
        "one number, for all models at once",
        "a scenario, for which a value is known",
        "A tie is None.",
        "```console\n$ nstar audit x\nlines part the tiers\n```\n",
    ],
)
def test_good_english_and_printed_output_are_left_alone(text: str) -> None:
    assert list(SCRIPT.hits(text, "page.md")) == []
