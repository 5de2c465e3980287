"""Scripts that build and check the documentation site."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from helpers.scripts_as_modules import SCRIPTS, loaded

DOCS = SCRIPTS.parent / "docs"
SHOWN = """<div class="language-console highlight"><pre><span></span><code>
<span class="gp">$ </span>echo 1 &gt; a
</code></pre></div>
<div class="language-sh highlight"><pre><code>exit 1</code></pre></div>
<div class="language-console highlight"><pre><code><span class="gp">$ </span>cat a
<span class="go">{said}</span>

<span class="gp">$ </span>printf '%s\\n' \\
    one two | tail -n 1
<span class="go">two</span>
</code></pre></div>"""


def site(folder: Path, **pages: str) -> Path:
    """A site of these pages, which programs can read too."""
    for name in ("llms.txt", "SKILL.md"):
        (folder / name).write_text("https://nstar-eval.github.io/nstar/\n", encoding="utf-8")
    for name, text in pages.items():
        place = folder / name if name != "index" else folder
        place.mkdir(exist_ok=True)
        (place / "index.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def check() -> ModuleType:
    return loaded("check_site")


def flaws(check: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["check_site.py", str(folder)])
    return int(check.main())


def test_a_whole_site_passes(
    check: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = (
        '<a href="b/#x">x</a><a href="https://example.org/a?b#c">y</a><a href="#me" id="me">z</a>'
    )
    built = site(tmp_path, index=links, b='<h1 id="x"><a href="..">up</a></h1>')
    assert flaws(check, built, monkeypatch) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<a href="c/">x</a>', "leads nowhere: c/"),
        ('<a href="b/#y">x</a>', "has no such anchor: b/#y"),
        ('<a href="javascript:alert(1)">x</a>', "is not a proper address"),
        ('<a href="https:/example.org">x</a>', "is not a proper address"),
        ('<script src="https://example.org/a.js"></script>', "asks another host"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "asks another host"),
        ('<img src="a.png">', "loads what is not there"),
    ],
)
def test_flaws_are_told(
    check: ModuleType,
    text: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    built = site(tmp_path, index=text, b='<h1 id="x">b</h1>')
    assert flaws(check, built, monkeypatch) == 1
    assert said in capsys.readouterr().out


def test_style_sheets_fetch_nothing(
    check: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = site(tmp_path, index="")
    (built / "a.css").write_text("a{background:url(data:x)}@import 'https://example.org/a.css'")
    assert flaws(check, built, monkeypatch) == 1


@pytest.mark.parametrize(("said", "status"), [("1", 0), ("2", 1)])
def test_a_walk_compares(
    said: str,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    walk = loaded("walk_site")
    built = site(tmp_path, index=SHOWN.replace("{said}", said))
    monkeypatch.setattr("sys.argv", ["walk_site.py", str(built), str(tmp_path), "."])
    assert walk.main() == status
    out = capsys.readouterr().out
    assert "$ cat a\n1\n" in out
    assert "3 commands" in out


def test_links_of_pages_lead_to_pages_or_to_the_repository() -> None:
    pytest.importorskip("mkdocs")
    links = loaded("mkdocs_links")
    code = "`[d](../e)`\n```\n[f](../g)\n```\n"
    text = f"[a](../ARCHITECTURE.md#x) [b](../examples) [c](read.md) {code}"
    repo = "https://example.org/r"
    assert links.rewritten(text, "compare.md", repo) == (
        f"[a](project/architecture.md#x) [b]({repo}/tree/main/examples) [c](read.md) {code}"
    )
    assert links.rewritten("[a](docs/read.md)", "project/security.md", repo) == "[a](../read.md)"


def test_formulas_become_mathml() -> None:
    pytest.importorskip("latex2mathml")
    math = loaded("mkdocs_math")
    assert "<mfrac>" in math.mathml(r"\frac{a}{b}", block=False)
    with pytest.raises(ValueError, match="nosuch"):
        math.mathml(r"\nosuch{a}", block=True)


def test_figures_follow_the_palette_of_the_site() -> None:
    pytest.importorskip("mkdocs")
    figures = loaded("mkdocs_figures")
    rest = "@media print{.a{}}"
    svg = f"@media (prefers-color-scheme:dark){{.a,.b{{x:1}}.c{{y:2}}}}{rest}"
    dark = "[data-md-color-scheme=slate]"
    bound = f"{dark} .a,{dark} .b{{x:1}}{dark} .c{{y:2}}"
    assert figures.repainted(svg) == f"@media screen{{{bound}}}{rest}"


def test_moved_pages_redirect(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    hook = loaded("mkdocs_redirects")
    pages = {p.relative_to(DOCS).with_suffix("").as_posix() for p in DOCS.rglob("*.md")}
    assert not pages & set(hook.REDIRECTS)
    config = SimpleNamespace(site_dir=tmp_path, site_url="https://example.org/")
    hook.on_post_build(config)
    moved = (tmp_path / "methods" / "paired" / "index.html").read_text("utf-8")
    assert 'href="../../methods/two-models/#paired-01-scores"' in moved


def test_the_copy_button_copies_commands() -> None:
    pytest.importorskip("mkdocs")
    theme = loaded("mkdocs_theme")
    shown = theme.on_page_content(SHOWN.replace("{said}", "1"), None, None, None)
    assert 'data-copy="echo 1 &gt; a"' in shown
    assert 'data-copy="cat a\nprintf' in shown
