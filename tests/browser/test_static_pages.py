"""Pages without a script in a browser: nothing overflows, and axe finds nothing serious."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import nstar
from helpers import gates
from helpers.axe import violations
from nstar.report.page import page as written

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCHEMES: "tuple[Literal['light', 'dark'], ...]" = ("light", "dark")
SCORES = (np.random.default_rng(4).random((4, 120)) < [[0.8], [0.7], [0.6], [0.5]]).astype(float)
MATRIX = nstar.ScoreMatrix.from_arrays(SCORES, models=["a", "b", "a-model-with-a-long-name", "d"])

PAGES: dict[str, Callable[[], Any]] = {
    "regression": lambda: gates.made("pass", "regression", "inconclusive"),
    "one loss": lambda: gates.made("regression"),
    "invalid data": lambda: gates.made("invalid_data"),
    "claim": lambda: nstar.claim(0.714, 0.706, items=1000),
    "plan": lambda: nstar.plan(baseline=0.7, delta=0.01),
    "items": lambda: nstar.items(MATRIX),
    "runs": lambda: nstar.runs([[1, 0, 1]] * 6 + [[0, 0, 1]] * 6),
    "subset": lambda: nstar.shrink(MATRIX, items=50),
}


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
@pytest.mark.parametrize("made", PAGES)
def test_axe_finds_nothing_serious(
    made: str, width: int, page: "Page", axe: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(written(PAGES[made]()), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        broken = violations(page, axe, colors_only=scheme == "dark")
        grave = [v for v in broken if v["impact"] in ("serious", "critical")]
        assert not grave, (scheme, [(v["id"], n["html"]) for v in grave for n in v["nodes"]])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
