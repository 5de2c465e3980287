"""What other programs show of an address: the finding, and a picture where one can be drawn."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers.nasty import NASTY
from helpers.sites import copy_audit, leaderboard
from nstar.errors import NstarError, ParameterError
from nstar.report.charts import Figure
from nstar.report.site import BuildSummary, build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy_audit(tmp_path / "audit", leaderboard(), adjust="holm")
    return tmp_path / "audit"


@pytest.fixture
def painter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that can draw a PNG."""
    monkeypatch.setattr(Figure, "render", lambda _, suffix: suffix.encode())


@pytest.fixture
def no_painter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that can."""
    render = Figure.render

    def refuse(figure: Figure, suffix: str) -> bytes:
        if suffix == ".png":
            msg = "PNG figures need the extra"
            raise NstarError(msg)
        return render(figure, suffix)

    monkeypatch.setattr(Figure, "render", refuse)


def _built(folder: Path, **options: Any) -> BuildSummary:
    return build([str(folder)], str(folder.parent / "site"), **options)


def _tags(folder: Path, page: str) -> dict[str, str]:
    text = (folder.parent / "site" / page).read_text()
    return dict(re.findall(r'<meta (?:property|name)="([a-z:]+)" content="([^"]*)">', text))


BOARD = "b/some-task/index.html"


@pytest.mark.usefixtures("painter")
def test_a_board_shows_its_finding_and_its_picture(folder: Path) -> None:
    built = _built(folder, url="https://example.org/boards")
    tags = _tags(folder, BOARD)
    entry = json.loads((folder.parent / "site/index.json").read_text())["benchmarks"][0]
    assert tags["og:title"] == f"Some Task: {entry['finding']}"
    assert tags["og:url"] == f"https://example.org/boards/{BOARD}"
    assert tags["og:image"] == "https://example.org/boards/b/some-task/share.png"
    assert tags["twitter:card"] == "summary_large_image"
    assert (tags["og:image:width"], tags["og:image:height"]) == ("1200", "630")
    assert (folder.parent / "site/b/some-task/share.png").read_bytes() == b".png"
    assert built.no_images is None


@pytest.mark.usefixtures("painter")
def test_without_an_address_pictures_are_seen_from_the_page(folder: Path) -> None:
    _built(folder)
    model = next((folder.parent / "site/b/some-task/m").iterdir()).name
    for page in (BOARD, "b/some-task/compare.html", f"b/some-task/m/{model}"):
        tags = _tags(folder, page)
        assert "og:url" not in tags
        seen = (folder.parent / "site" / page).parent / tags["og:image"]
        assert seen.resolve() == (folder.parent / "site/b/some-task/share.png").resolve()


@pytest.mark.usefixtures("no_painter")
def test_without_a_painter_there_is_no_picture(folder: Path) -> None:
    built = _built(folder)
    assert built.no_images == "PNG figures need the extra"
    tags = _tags(folder, BOARD)
    assert "og:image" not in tags
    assert tags["twitter:card"] == "summary"
    assert not (folder.parent / "site/b/some-task/share.png").exists()


@pytest.mark.usefixtures("no_painter")
def test_the_address_stays(folder: Path) -> None:
    _built(folder, url="https://example.org")
    _built(folder)
    assert _tags(folder, BOARD)["og:url"] == f"https://example.org/{BOARD}"
    index = folder.parent / "site/index.json"
    index.write_text(json.dumps(json.loads(index.read_text()) | {"address": "javascript:a()"}))
    _built(folder)
    assert "og:url" not in _tags(folder, BOARD)


@pytest.mark.parametrize("url", ["example.org", "javascript:a()", 'https://a/"><b', "http://"])
def test_an_address_that_is_none(folder: Path, url: str) -> None:
    with pytest.raises(ParameterError, match="url must be an address"):
        _built(folder, url=url)


@pytest.mark.usefixtures("no_painter")
def test_tags_hold_names_as_text(tmp_path: Path) -> None:
    copy_audit(tmp_path / "audit", leaderboard(), adjust="holm")
    build([str(tmp_path / "audit")], str(tmp_path / "site"), name=NASTY["image"])
    text = next((tmp_path / "site/b").iterdir()).joinpath("index.html").read_text()
    assert NASTY["image"] not in text
    assert "og:title" in text
