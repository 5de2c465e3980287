"""Characters that show nothing."""

import unicodedata

import pytest

from nstar._base.visible import all_visible, escaped, look, with_visible

IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Unicode 14."""


def test_default_ignorable_characters_are_not_visible() -> None:
    every = [chr(k) for first, last in IGNORABLE for k in range(first, last + 1)]
    assert [c for c in every if all_visible(c)] == []
    assert with_visible("".join(every), lambda _: "") == ""


def test_blank_characters_are_not_visible() -> None:
    words = {"BLANK", "FILLER", "NOTEHEAD"}
    shown = {"BLANK SYMBOL", "MUSICAL SYMBOL SQUARE NOTEHEAD", "MUSICAL SYMBOL X NOTEHEAD"}
    named = {unicodedata.name(chr(k), ""): chr(k) for k in range(0x20000)}
    blank = {n: c for n, c in named.items() if words & set(n.split()) and n not in shown}
    kept = {n for n, c in blank.items() if all_visible(c)}
    assert not {n for n in kept if "BLANK" in n.split() or "NULL" in n.split()}
    assert {"HANGUL FILLER", "KHITAN SMALL SCRIPT FILLER"}.isdisjoint(kept)


@pytest.mark.parametrize("text", ["gpt-4", "Größe", "模型", "מודל عربي", "e\u0301", "👩🚀", "a b"])
def test_letters_of_all_scripts_are_visible(text: str) -> None:
    assert all_visible(text)
    assert escaped(text) == text


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-4\ufe0f", "gpt\u034f-4", "\u3164gpt-4", "gpt-4\uffa0", "gpt-4\U000e0100"),
        *("gpt-4\u2800", "gpt\u200b-4", "gpt-4\u202e", "GPT-4 ", "ｇｐｔ-4"),
    ],
)
def test_names_that_look_alike_have_one_look(name: str) -> None:
    assert look(name) == look("gpt-4")
    assert look(name) != look("gpt-4o")
