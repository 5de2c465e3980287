"""docs/reference/words.md: option, parameter and JSON key are one word, or are explained."""

from pathlib import Path

import pytest

from helpers.scripts_as_modules import loaded

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "words.md"
SHARED = ("alpha", "power", "seed", "strata", "cluster", "delta", "margin")


def test_the_page_is_what_the_script_finds() -> None:
    assert PAGE.read_text(encoding="utf-8") == loaded("words_table").page()


def test_the_words_that_verbs_share_are_parameters_wherever_they_are_options() -> None:
    words = loaded("words_table")
    rows = list(words.rows())
    for verb, function in words.VERBS.items():
        if verb == "simulate":  # its gap is a value of the scenario
            continue
        options = {flag for v, flag, _, _ in rows if v == verb}
        if verb == "watch":  # of votes, a parameter of battles
            options.remove("--cluster")
        for word in SHARED:
            assert (word in words.parameters(function)) == (f"--{word}" in options), (verb, word)


def test_a_parameter_that_nobody_explains_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    words = loaded("words_table")
    monkeypatch.delitem(words.PYTHON, "draws")
    with pytest.raises(SystemExit, match=r"audit\(draws=…\) has no option"):
        list(words.rows())


def test_an_option_that_nobody_explains_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    words = loaded("words_table")
    monkeypatch.delitem(words.SHOWN, "paragraph")
    with pytest.raises(SystemExit, match="claim --paragraph: no parameter"):
        list(words.rows())
