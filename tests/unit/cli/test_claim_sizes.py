"""Which items two accuracies can be shares of, by trying every fraction."""

from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal

import pytest

from helpers.commands import Command
from nstar.stats._sizes import sizes_that_print

COMMAND = Command("claim")


def prints(text: str, n: int) -> bool:
    """Some k/n rounds to the text, a half either way."""
    want = Decimal(text)
    for k in range(n + 1):
        if abs(k / n - float(want)) < 1e-3:
            share = Decimal(k) / Decimal(n)
            for way in (ROUND_HALF_UP, ROUND_HALF_DOWN):
                if share.quantize(want, rounding=way) == want:
                    return True
    return False


@pytest.mark.parametrize(("a", "b"), [("0.857", "0.714"), ("0.450", "0.438"), ("1.000", "0.125")])
def test_every_number_of_items_by_fractions(a: str, b: str) -> None:
    found = sizes_that_print((float(a), float(b)), (3, 3))
    want = [n for n in range(1, 300) if prints(a, n) and prints(b, n)]
    assert found[found < 300].tolist() == want


def test_a_refusal_names_them() -> None:
    result = COMMAND.run("53.66%", "51.83%")
    assert result.exit_code == 2
    assert "Both are possible on 164, 328," in " ".join(result.stderr.split())
    bleu = COMMAND.run("1285", "1272")
    assert "possible on" not in bleu.stderr
