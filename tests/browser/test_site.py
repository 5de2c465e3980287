"""A site in a real browser: numbers as in Python, search, links, and names that are only names."""

import functools
import json
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from helpers.axe import violations
from helpers.battles import battles, renamed
from helpers.boards import board, scores, subjects
from helpers.nasty import NASTY
from helpers.page_names import ATTRIBUTES
from helpers.sites import audited
from nstar import Audit, Battles, ScoreMatrix
from nstar._base.types import Interval
from nstar.report.prose.audit.tables import gap_scale
from nstar.report.prose.gap import gap, span
from nstar.report.prose.numbers import count, pvalue
from nstar.report.site import build
from nstar.report.site._home import front_page
from nstar.report.site._names import fragment, model_ids, slug_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

LOOKS = [
    pytest.param(1280, ("light", "dark"), marks=pytest.mark.slow),
    (390, ("dark", "light")),
]
"""Widths, and the schemes that a page is opened in and changed to."""

FIRST_LOAD = 300_000
LONG = 230
WORST = (
    *("image", "script", "style", "attribute", "entity", "percent", "prototype", "path", "null"),
    *("bidi", "surrogate", "long", "quotes", "emoji"),
)
"""Strings that a page is visited with; the others are tried without a browser."""


FIELDS = (
    *("n", "mean_a", "mean_b", "delta", "se", "t", "p"),
    *("ci_adjusted_low", "ci_adjusted_high", "ci_unadjusted_low", "ci_unadjusted_high"),
    *("n11", "n10", "n01", "n00", "psi", "mde", "q", "q_low", "q_high"),
    *("n_star", "n_star_low", "n_star_high", "q_adjusted", "q_delta0", "p_equivalent"),
)

EVERY_PAIR = """async () => {
  const data = JSON.parse(document.getElementById("nstar-data").textContent);
  const models = await nstar.siteModels(data, "");
  const found = [];
  for (let i = 0; i + 1 < data.models; i += 1) {
    const row = await nstar.siteRow(data, models, i);
    for (let j = i + 1; j < data.models; j += 1) {
      const { board, view } = nstar.sitePair(data, models, row, i, j);
      found.push(nstar.pairNumbers(board, view, 0, 1));
    }
  }
  return found;
}"""


class _Server(ThreadingHTTPServer):
    request_queue_size = 64
    """A browser asks for several files at once."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


Serve = Callable[[Path], str]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[Path, _Server]]:
    """Servers of folders, which outlive the pages they serve."""
    started: dict[Path, _Server] = {}
    yield started
    for server in started.values():
        server.shutdown()
        server.server_close()


@pytest.fixture
def serve(servers: dict[Path, _Server], origins: set[str]) -> Serve:
    """Serves a folder and gives its address."""

    def start(root: Path) -> str:
        if root not in servers:
            handler = functools.partial(_Quiet, directory=str(root))
            servers[root] = _Server(("127.0.0.1", 0), handler)
            serving = servers[root].serve_forever
            threading.Thread(target=serving, args=(0.05,), daemon=True).start()
        server = servers[root]
        address = f"http://127.0.0.1:{server.server_port}"
        origins.add(address)
        return address

    return start


def leaderboard(seed: int = 3, models: int = 6, items: int = 150, **options: Any) -> ScoreMatrix:
    names = options.pop("names", [f"m{i}" for i in range(models)])
    x = scores(seed, models=models, items=items, **options)
    return board(x, labels=subjects(seed, items), models=names, task="Task")


def lopsided() -> ScoreMatrix:
    """Models that agree, always win, always lose, or share no item."""
    x = scores(5, models=7, items=120)
    x[1], x[2], x[3] = x[0], 1.0, 0.0
    x[4, :60] = x[5, 60:] = float("nan")
    return board(x, labels=subjects(5, 120), task="Task")


@pytest.fixture(scope="module")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Audit]:
    root = tmp_path_factory.mktemp("long")
    names = [f"org-{k % 7}/Model {k} β" for k in range(LONG)]
    found = audited(
        root / "audit", leaderboard(models=LONG, items=400, names=names), adjust="holm"
    )
    build([str(root / "audit")], str(root / "site"))
    return root / "site", found


# --- numbers ------------------------------------------------------------------------------


def _close(found: Any, expected: Any) -> bool:
    if found is None or expected is None:
        return found is None and expected is None
    return bool(found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True))


def assert_same(numbers: list[dict[str, Any]], found: Audit) -> None:
    p = found.pairs
    assert len(numbers) == len(p)
    for k, x in enumerate(numbers):
        names = f"{p.model_a[k]} and {p.model_b[k]}"
        assert x["verdict"] == p.states[k], names
        assert _close(x["more_items"], p.more_items[k]), names
        for key in FIELDS:
            column = getattr(p, ATTRIBUTES.get(key, key))
            assert _close(x[key], None if column is None else column[k]), f"{key} of {names}"


DESIGNS: list[dict[str, Any]] = [{}, {"strata": "s"}, {"cluster": "s"}]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("declared", DESIGNS)
def test_numbers_are_those_of_the_audit(
    page: "Page",
    serve: Serve,
    tmp_path: Path,
    declared: dict[str, Any],
    graded: bool,
    missing: float,
) -> None:
    matrix = leaderboard(graded=graded, missing=missing)
    found = audited(tmp_path / "audit", matrix, margin=0.1, delta=0.03, **declared)
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page.goto(f"{serve(tmp_path / 'site')}/b/task/compare.html")
    assert_same(page.evaluate(EVERY_PAIR), found)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("adjust", ["maxt", "holm", "bonferroni", "bh", "none"])
def test_every_policy(page: "Page", serve: Serve, tmp_path: Path, adjust: str) -> None:
    found = audited(tmp_path / "audit", leaderboard(9, 12), adjust=adjust)
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page.goto(f"{serve(tmp_path / 'site')}/b/task/compare.html")
    assert_same(page.evaluate(EVERY_PAIR), found)


@pytest.mark.parametrize("declared", DESIGNS)
def test_degenerate_pairs(
    page: "Page", serve: Serve, tmp_path: Path, declared: dict[str, Any]
) -> None:
    found = audited(tmp_path / "audit", lopsided(), margin=0.2, **declared)
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page.goto(f"{serve(tmp_path / 'site')}/b/task/compare.html")
    assert_same(page.evaluate(EVERY_PAIR), found)


# --- pages --------------------------------------------------------------------------------


def _facts(page: "Page") -> dict[str, str]:
    page.wait_for_selector("#facts")
    rows = page.locator("#facts .values > div").all()
    return {r.locator("dt").inner_text(): r.locator("dd").inner_text() for r in rows}


def _measures(page: "Page") -> dict[str, list[str]]:
    """Numbers of the pair, unadjusted and adjusted, by their key."""
    rows = page.locator("#facts .measures tbody tr").all()
    return {r.get_attribute("data-key") or "": r.locator("td").all_inner_texts() for r in rows}


def _link(a: str, b: str) -> str:
    return f"#a={quote(a, safe='')}&b={quote(b, safe='')}"


def test_a_link_to_a_pair(page: "Page", serve: Serve, long_site: tuple[Path, Audit]) -> None:
    root, found = long_site
    p, scale = found.pairs, gap_scale(found)
    k = p.verdict.index("inconclusive", 100)
    page.goto(f"{serve(root)}/b/task/compare.html{_link(p.model_a[k], p.model_b[k])}")
    facts = _facts(page)
    assert facts["Gap, A minus B"] == gap(scale, float(p.gap[k]), sign=True, column=True)
    measures = _measures(page)
    for shown, kind in zip(measures["interval"], ("unadjusted", "adjusted"), strict=True):
        low, high = (float(getattr(p, f"ci_{kind}_{end}")[k]) for end in ("low", "high"))
        assert shown == span(scale, Interval(low, high), column=True)
    data = json.loads(page.locator("#nstar-data").text_content() or "")
    threshold = f"threshold {pvalue(data['family']['threshold'])}"
    assert measures["p"] == [pvalue(float(p.pvalue[k])), threshold]
    assert f"all {found.n_pairs:,} pairs" in page.locator("#pair > .remark").inner_text()
    said = page.locator("#verdict").inner_text()
    assert page.locator("#verdict .chip").inner_text() == p.verdict[k]
    assert "This is not evidence of equality." in said
    assert f"Resolving it takes {count(float(p.more_items[k]))} more items" in said
    assert page.locator("#found .hero svg.gap").count() == 1
    cells = [c.inner_text() for c in page.locator("table.cells tbody td").all()]
    assert p.n11 is not None
    assert p.n10 is not None
    assert cells[:2] == [count(int(p.n11[k])), count(int(p.n10[k]))]


def test_swap_and_search(page: "Page", serve: Serve, long_site: tuple[Path, Audit]) -> None:
    root, found = long_site
    names = found.ranking.model
    page.goto(f"{serve(root)}/b/task/compare.html")
    before = _facts(page)["Gap, A minus B"]
    assert before.startswith("+")
    page.get_by_role("button", name="Swap").click()
    page.locator("#facts .values dd").get_by_text(before.replace("+", "−"), exact=True).wait_for()
    assert page.evaluate("location.hash") == _link(names[1], names[0])
    box = page.get_by_role("combobox", name="B, the second")
    box.click()
    assert page.locator("#model-b-list li").count() == 12
    box.fill("MODEL 17 org-3")
    page.locator("#model-b-list li:nth-child(12)").wait_for(state="detached")
    assert "Model 17 β" in page.locator("#model-b-list").inner_text()
    box.fill("ORG-3/model 17 β")
    page.locator("#model-b-list li:first-child").get_by_text("org-3/Model 17 β").wait_for()
    box.press("ArrowDown")
    box.press("Enter")
    page.locator("#answer").get_by_text("Model 17 β").wait_for()
    assert page.evaluate("location.hash") == _link(names[1], "org-3/Model 17 β")
    page.reload()
    page.wait_for_selector("#facts")
    assert "Model 17 β" in page.locator("#answer").inner_text()


def test_links_to_nobody(page: "Page", serve: Serve, long_site: tuple[Path, Audit]) -> None:
    root, found = long_site
    name = found.ranking.model[3]
    address = f"{serve(root)}/b/task/compare.html"
    page.goto(f"{address}#a={quote('<img src=x onerror=alert(1)>')}&b=x")
    page.get_by_text("No model here is called <img src=x onerror=alert(1)>.").wait_for()
    page.evaluate(f"location.hash = {json.dumps(_link(name, name))}")
    page.get_by_text("Choose two different models.").wait_for()
    page.evaluate(f"location.hash = {json.dumps('#b=' + quote(name))}")
    page.wait_for_selector("#facts")
    assert page.get_by_role("combobox", name="B, the second").input_value() == name
    id_ = model_ids(found.ranking.model)[5]
    page.evaluate(f"location.hash = '#a={id_}'")
    page.locator("#answer").get_by_text(found.ranking.model[5]).wait_for()


def test_a_model_is_found(page: "Page", serve: Serve, long_site: tuple[Path, Audit]) -> None:
    root, found = long_site
    name = found.ranking.model[200]
    page.goto(f"{serve(root)}/b/task/index.html")
    page.get_by_role("searchbox", name="Find a model").fill(name.upper())
    page.get_by_text(f"1 of {LONG} models", exact=True).wait_for()
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_url("**/m/*.html")
    rank = int(found.ranking.rank[200])
    assert page.locator("h1").inner_text() == f"{name} ranks {rank} of {LONG}"
    assert page.locator("#ranks tr, #neighbors tr.asked").count() == 1
    rival = page.get_by_role("combobox", name="Compare it with")
    rival.fill("nobody at all")
    page.get_by_text("No model has that in its name.").wait_for()
    rival.fill(found.ranking.model[0])
    page.locator("#find-rival-list li").first.click()
    page.wait_for_url("**/compare.html#a=*")
    _facts(page)
    assert name in page.locator("#answer").inner_text()


def test_the_rest_of_a_ranking(page: "Page", serve: Serve, long_site: tuple[Path, Audit]) -> None:
    root, found = long_site
    page.goto(f"{serve(root)}/b/task/index.html")
    rows = page.locator("#ranking table tbody tr")
    assert rows.count() == 100
    more = page.get_by_role("button", name="Show more")
    for shown in (200, LONG):
        more.click()
        rows.nth(shown - 1).wait_for()
        assert rows.count() == shown
    assert more.is_hidden()
    heads = page.locator("#ranking table tbody th a").all_inner_texts()
    assert tuple(heads) == found.ranking.model
    kinds = {tuple(r.evaluate("n => [...n.children].map(c => c.tagName)")) for r in rows.all()}
    assert len(kinds) == 1, "rows fetched look like those that were there"
    assert page.locator("#ranking table tr.line").count() == int(found.ranking.tier[-1]) - 1
    link = rows.nth(150).locator("td a")
    assert link.get_attribute("href") == f"compare.html{_link(*found.ranking.model[150:152])}"


def _column(page: "Page", k: int) -> list[str]:
    return page.locator(f"#ranking table tbody tr > :nth-child({k})").all_inner_texts()


def test_a_ranking_is_sorted_over_all_models(
    page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    root, found = long_site
    page.goto(f"{serve(root)}/b/task/index.html")
    worst = found.ranking.model[:-101:-1]
    page.locator("#ranking thead button").nth(0).click()
    page.locator("#ranking table tbody th").first.get_by_text(worst[0], exact=True).wait_for()
    assert tuple(_column(page, 2)) == worst
    assert page.locator("#ranking table thead th").first.get_attribute("aria-sort") == "descending"
    page.locator("#ranking thead button").nth(5).click()
    widest = found.adjacent.model_a[int(found.adjacent.gap.argmax())]
    page.locator("#ranking table tbody th").first.get_by_text(widest, exact=True).wait_for()
    gaps = [float(text.replace("−", "-").removesuffix(" pp")) for text in _column(page, 6)]
    assert gaps == sorted(gaps, reverse=True)
    page.locator("#ranking thead button").nth(1).click()
    first = min(found.ranking.model, key=lambda n: (n[:5], int(n.split()[1])))
    page.locator("#ranking table tbody th").first.get_by_text(first, exact=True).wait_for()


def test_a_ranking_is_searched_over_all_models(
    page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    root, found = long_site
    page.goto(f"{serve(root)}/b/task/index.html")
    box = page.get_by_role("searchbox")
    box.fill("ORG-3")
    expected = [name for name in found.ranking.model if name.startswith("org-3/")]
    page.get_by_text(f"{len(expected)} of {LONG} models", exact=True).wait_for()
    assert _column(page, 2) == expected
    box.fill("nobody at all")
    page.get_by_text(f"0 of {LONG} models", exact=True).wait_for()
    assert page.locator("#ranking table tbody tr").count() == 0
    box.fill("")
    page.get_by_text(f"100 of {LONG} models", exact=True).wait_for()


def test_rows_that_cannot_be_fetched(
    page: "Page", serve: Serve, tmp_path: Path, troubles: list[str]
) -> None:
    audited(tmp_path / "audit", leaderboard(models=120), adjust="holm")
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    (rest,) = (tmp_path / "site/b/task").glob("ranks-*.bin")
    away = rest.rename(tmp_path / "away.bin")
    page.goto(f"{serve(tmp_path / 'site')}/b/task/index.html")
    more = page.get_by_role("button", name="Show more")
    more.click()
    page.get_by_text("The rest could not be fetched; try again.").wait_for()
    assert all("404" in trouble for trouble in troubles)
    troubles.clear()
    away.rename(rest)
    more.click()
    page.locator("#ranking table tbody tr").nth(119).wait_for()


def test_many_benchmarks_are_searched(page: "Page", serve: Serve, tmp_path: Path) -> None:
    audited(tmp_path / "audit", leaderboard(), adjust="holm")
    build([str(tmp_path / "audit")], str(tmp_path / "site"), name="board 0")
    index = tmp_path / "site/index.json"
    about = json.loads(index.read_text())
    (one,) = about["benchmarks"]
    many = [one | {"title": f"board {k}"} for k in range(200)]
    (tmp_path / "site/index.html").write_bytes(front_page("Many", many))
    page.goto(f"{serve(tmp_path / 'site')}/index.html")
    page.get_by_text("24 of 200 shown.").wait_for()
    page.get_by_role("button", name="Show more").click()
    page.get_by_text("48 of 200 shown.").wait_for()
    page.get_by_role("searchbox", name="Search 200 boards").fill("BOARD 199")
    page.get_by_text("1 of 200 shown.").wait_for()
    assert page.locator(".card:visible h2").all_inner_texts() == ["board 199"]
    page.get_by_role("searchbox").fill("nothing like it")
    page.get_by_text("No board has that").wait_for()


def test_snippets_carry_the_address(
    page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    root, _ = long_site
    home = f"{serve(root)}/b/task/"
    page.goto(f"{home}index.html")
    text = page.locator("#share").text_content() or ""
    assert f'<iframe src="{home}embed.html"' in text
    assert f"({home}badge.svg)]({home}index.html)" in text


def test_a_broken_site_says_so(
    page: "Page", serve: Serve, tmp_path: Path, troubles: list[str]
) -> None:
    found = audited(tmp_path / "audit", leaderboard())
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    home = tmp_path / "site" / "b" / "task"
    for path in home.glob("rows-*/*.bin"):
        path.unlink()
    address = f"{serve(tmp_path / 'site')}/b/task/compare.html"
    page.goto(f"{address}{_link(*found.ranking.model[:2])}")
    page.get_by_text("The pair could not be shown:").wait_for()
    assert len(troubles) == 1
    assert "404" in troubles.pop()


def test_names_that_cannot_be_fetched(
    page: "Page", serve: Serve, tmp_path: Path, troubles: list[str]
) -> None:
    found = audited(tmp_path / "audit", leaderboard())
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    (names,) = (tmp_path / "site/b/task").glob("models-*.bin")
    away = names.rename(tmp_path / "away.bin")
    page.goto(f"{serve(tmp_path / 'site')}/b/task/compare.html")
    said = page.locator("#said")
    said.get_by_text("The models could not be shown:").wait_for()
    page.get_by_role("button", name="Swap").click()
    said.get_by_text("The pair could not be shown:").wait_for()
    page.get_by_role("combobox", name="A, the first").click()
    remark = page.get_by_text("The names could not be fetched; try again.")
    remark.wait_for()
    assert all("404" in trouble for trouble in troubles)
    troubles.clear()
    away.rename(names)
    page.get_by_role("combobox", name="B, the second").click()
    page.get_by_role("combobox", name="A, the first").click()
    page.wait_for_selector("#model-a-list li")
    assert page.locator(".field > .remark").count() == 0
    page.get_by_role("button", name="Swap").click()
    _facts(page)
    assert found.ranking.model[0] in said.inner_text()


def test_a_site_that_is_opened_without_a_server(
    page: "Page", tmp_path: Path, troubles: list[str]
) -> None:
    audited(tmp_path / "audit", leaderboard())
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    page.goto((tmp_path / "site/b/task/compare.html").as_uri())
    page.get_by_text("; open this site from a web server.").wait_for()
    troubles.clear()


def test_what_is_said_of_a_pair_is_announced(
    page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    root, found = long_site
    names = found.ranking.model
    page.goto(f"{serve(root)}/b/task/compare.html{_link(*names[:2])}")
    _facts(page)
    status = page.locator("#pair [role=status]")
    region = status.element_handle()
    assert f"{names[0]} scores" in status.inner_text()
    page.evaluate(f"location.hash = {json.dumps(_link(names[1], names[0]))}")
    status.get_by_text(f"{names[1]} scores").wait_for()
    page.evaluate("location.hash = '#a=nobody'")
    status.get_by_text("No model here is called nobody.").wait_for()
    assert page.locator("#facts").count() == 0
    assert region.evaluate("node => node.isConnected && node.id") == "said"


def test_the_latest_link_counts(
    own_page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    page = own_page
    root, found = long_site
    names = found.ranking.model
    page.goto(f"{serve(root)}/b/task/compare.html")
    _facts(page)
    held: list[Any] = []
    page.route("**/rows-*/*.bin", lambda route: held.append(route))
    with page.expect_request("**/rows-*/*.bin"):
        page.evaluate(f"location.hash = {json.dumps(_link(names[7], names[9]))}")
    page.evaluate("location.hash = '#a=nobody'")
    lost = page.get_by_text("No model here is called nobody.")
    lost.wait_for()
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    assert lost.is_visible()


# --- items --------------------------------------------------------------------------------


def _items_site(tmp_path: Path, matrix: ScoreMatrix, serve: Serve) -> tuple[str, Audit]:
    found = audited(tmp_path / "audit", matrix, adjust="holm")
    build([str(tmp_path / "audit")], str(tmp_path / "site"), items=True)
    return f"{serve(tmp_path / 'site')}/b/task/compare.html", found


def _opened(page: "Page", address: str) -> list[list[str]]:
    """Items of each side, all of them."""
    page.goto(address)
    page.get_by_text("What only one of them got right").click()
    page.wait_for_selector("#items .item-side")
    for button in page.locator("#items button:visible").all():
        button.click()
    sides = page.locator("#items .item-side").all()
    return [side.locator("li code").all_inner_texts() for side in sides]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_items_that_only_one_model_got_right(
    page: "Page", serve: Serve, tmp_path: Path, missing: float
) -> None:
    matrix = leaderboard(missing=missing)
    address, found = _items_site(tmp_path, matrix, serve)
    names = found.ranking.model
    for a, b in ((names[0], names[3]), (names[5], names[2])):
        first, second = matrix.row(a), matrix.row(b)
        sides = _opened(page, f"{address}{_link(a, b)}")
        page.reload()
        for side, ahead in zip(sides, (first - second, second - first), strict=True):
            assert sorted(side) == sorted(matrix.items[k] for k in range(150) if ahead[k] > 0)


def test_items_of_graded_scores(page: "Page", serve: Serve, tmp_path: Path) -> None:
    matrix = leaderboard(graded=True)
    address, found = _items_site(tmp_path, matrix, serve)
    a, b = found.ranking.model[:2]
    sides = _opened(page, f"{address}{_link(a, b)}")
    ahead = matrix.row(a) - matrix.row(b)
    counts = [int((ahead > 1e-4).sum()), int((ahead < -1e-4).sum())]
    assert [len(side) for side in sides] == counts


def test_ids_of_items_are_only_names(own_page: "Page", serve: Serve, tmp_path: Path) -> None:
    page = own_page
    ids = list(NASTY.values())
    x = scores(4, models=2, items=len(ids))
    x[0], x[1] = 1.0, 0.0
    x[1, 0] = 1.0
    matrix = board(x, labels=ids[::-1], items=ids, task="Task")
    address, _ = _items_site(tmp_path, matrix, serve)
    alerts: list[str] = []

    def dismiss(dialog: "Dialog") -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    first, second = _opened(page, address)
    assert sorted(map(len, (first, second))) == [0, len(ids) - 1]
    assert page.locator("#items img, #items script, #items svg").count() == 0
    assert alerts == []


def test_a_site_without_items_says_so(
    page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    root, _ = long_site
    page.goto(f"{serve(root)}/b/task/compare.html")
    page.get_by_text("This site does not show single items.").wait_for()


# --- votes --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vote_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Battles]:
    root = tmp_path_factory.mktemp("votes")
    found = battles(16, 2500, groups=20)
    found.save(root / "arena.json")
    audited(root / "audit", leaderboard(), adjust="holm")
    build([str(root / "audit"), str(root / "arena.json")], str(root / "site"))
    return root / "site", found


def _rated(page: "Page", column: int) -> list[str]:
    rows = page.locator("#ranking tbody tr").all()
    return [row.locator("> *").nth(column).inner_text() for row in rows]


def test_a_card_leads_to_votes(
    page: "Page", serve: Serve, vote_site: tuple[Path, Battles]
) -> None:
    root, found = vote_site
    page.goto(f"{serve(root)}/index.html")
    card = page.locator(".card", has_text="arena")
    assert "16 models · 2,500 votes" in card.inner_text()
    assert card.locator("img").evaluate("n => n.complete && n.naturalWidth") == 240
    card.get_by_role("link").click()
    page.wait_for_selector("html[data-ready]")
    assert page.url.endswith("/b/arena/index.html")
    assert _rated(page, 1) == list(found.ratings.model)
    assert page.locator("#ladder .stairs [data-row]").count() == 2 * 16
    page.get_by_role("link", name="All boards").click()
    page.wait_for_selector(".card")


def test_ratings_on_a_site_are_sorted_and_searched(
    page: "Page", serve: Serve, vote_site: tuple[Path, Battles]
) -> None:
    root, found = vote_site
    page.goto(f"{serve(root)}/b/arena/index.html")
    heads = page.locator("#ranking thead th")
    column = heads.all_text_contents().index("Votes")
    heads.nth(column).get_by_role("button").click()
    ranked = sorted(found.ratings.n_votes.tolist(), reverse=True)
    assert _rated(page, column) == [f"{k:,}" for k in ranked]
    page.get_by_role("searchbox", name="Find a model").fill("LABORATORY-3")
    assert sorted(_rated(page, 1)) == sorted(n for n in found.ratings.model if "-3/" in n)


def test_snippets_of_votes_carry_the_address(
    page: "Page", serve: Serve, vote_site: tuple[Path, Battles]
) -> None:
    root, _ = vote_site
    home = f"{serve(root)}/b/arena/"
    page.goto(f"{home}index.html")
    text = page.locator("#share").text_content() or ""
    assert f'<iframe src="{home}embed.html"' in text
    assert f"({home}badge.svg)]({home}index.html)" in text


def test_votes_are_read_without_a_script_and_without_a_server(
    page: "Page", vote_site: tuple[Path, Battles]
) -> None:
    root, found = vote_site
    address = (root / "b/arena/index.html").as_uri()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(java_script_enabled=False) as context:
        bare = context.new_page()
        bare.goto(address)
        assert _rated(bare, 1) == list(found.ratings.model)


def test_names_of_rated_models_are_only_names(page: "Page", serve: Serve, tmp_path: Path) -> None:
    names = iter(NASTY.values())
    called: dict[str, str] = {}
    made = renamed(battles(len(NASTY), 4000), lambda own: called.setdefault(own, next(names, own)))
    made.save(tmp_path / "arena.json")
    build([str(tmp_path / "arena.json")], str(tmp_path / "site"), name=NASTY["image"])
    address = serve(tmp_path / "site")
    page.goto(f"{address}/b/{slug_of(NASTY['image'])}/index.html")
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#ranking img, #ranking script").count() == 0
    assert NASTY["image"] in (page.locator("#ranking table").text_content() or "")
    for button in page.locator("#ranking thead button").all():
        button.click()
    assert page.locator("#ranking img, #ranking script").count() == 0


@pytest.mark.parametrize(("width", "schemes"), LOOKS)
def test_votes_stand_in_nobodys_way(
    page: "Page",
    axe: str,
    serve: Serve,
    vote_site: tuple[Path, Battles],
    width: int,
    schemes: tuple[Any, ...],
) -> None:
    root, _ = vote_site
    address = serve(root)
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("index.html", "b/arena/index.html", "b/arena/embed.html"):
        page.emulate_media(color_scheme=schemes[0])
        page.goto(f"{address}/{path}", wait_until="networkidle")
        assert _broken(page, axe, schemes) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# --- weight, names, accessibility ---------------------------------------------------------


def _weight(browser: "Browser", address: str) -> int:
    """Bytes of all that is fetched by a page which finds nothing in the cache."""
    sizes: list[int] = []
    with browser.new_context() as context:
        context.on("response", lambda r: sizes.append(int(r.headers.get("content-length", 0))))
        context.new_page().goto(address, wait_until="networkidle")
    return sum(sizes)


def test_pages_are_light(browser: "Browser", serve: Serve, long_site: tuple[Path, Audit]) -> None:
    root, _ = long_site
    model = next((root / "b/task/m").iterdir()).relative_to(root).as_posix()
    for path in ("index.html", "b/task/index.html", "b/task/compare.html", model):
        room = FIRST_LOAD * 2 / 3  # there is room for twenty times as many models
        assert 0 < _weight(browser, f"{serve(root)}/{path}") < room, path


def test_without_a_script_nothing_is_asked_for(
    page: "Page", serve: Serve, long_site: tuple[Path, Audit]
) -> None:
    browser = page.context.browser
    assert browser is not None
    root, _ = long_site
    with browser.new_context(java_script_enabled=False) as context:
        bare = context.new_page()
        bare.goto(f"{serve(root)}/b/task/compare.html")
        said = bare.locator("main").inner_text().strip()
    assert said.startswith("Comparing two models needs JavaScript.")
    assert "\n" not in said


def test_a_long_name_keeps_to_its_column(page: "Page", serve: Serve, tmp_path: Path) -> None:
    audited(tmp_path / "audit", leaderboard(names=[f"{k}{'w' * 70}" for k in range(6)]))
    build([str(tmp_path / "audit")], str(tmp_path / "site"), name="unbroken" * 12)
    address = serve(tmp_path / "site")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for path in ("index.html", f"b/{slug_of('unbroken' * 12)}/index.html"):
            page.goto(f"{address}/{path}")
            head = page.locator(".models tbody th, .card h2").first
            assert head.evaluate("n => n.scrollWidth <= n.clientWidth")
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture(scope="module")
def nasty_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Audit]:
    root = tmp_path_factory.mktemp("nasty")
    names = list(NASTY.values())
    matrix = leaderboard(models=len(names), names=names)
    found = audited(root / "audit", matrix, adjust="holm")
    build([str(root / "audit")], str(root / "site"), name=NASTY["image"], title=NASTY["script"])
    return root / "site", found


def test_names_are_only_names(
    own_page: "Page", serve: Serve, nasty_site: tuple[Path, Audit]
) -> None:
    page = own_page
    root, found = nasty_site
    home = f"{serve(root)}/b/{slug_of(NASTY['image'])}"
    alerts: list[str] = []

    def dismiss(dialog: "Dialog") -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    ids = model_ids(found.ranking.model)
    for name in (NASTY[key] for key in WORST):
        k = found.ranking.model.index(name)
        page.goto(f"{home}/compare.html#b={fragment(name, ids[k])}")
        page.reload()
        _facts(page)
        assert page.locator("#answer img, #answer script, #answer svg").count() == 0
        page.goto(f"{home}/m/{ids[k]}.html")
        assert page.locator("main img, main script").count() == 0
    page.goto(f"{home}/index.html")
    assert NASTY["image"] in (page.locator("#ranking table").text_content() or "")
    page.get_by_role("searchbox").fill("onerror")
    page.get_by_text(f"of {len(found)} models", exact=False).first.wait_for()
    assert NASTY["image"] in (page.locator("#ranking table").text_content() or "")
    page.locator("#ranking thead button").nth(1).click()
    assert page.locator("#ranking table img, #ranking table script").count() == 0
    assert alerts == []


@pytest.mark.parametrize(("width", "schemes"), LOOKS)
def test_nothing_stands_in_anyones_way(
    page: "Page",
    axe: str,
    serve: Serve,
    long_site: tuple[Path, Audit],
    width: int,
    schemes: tuple[Any, ...],
) -> None:
    root, _ = long_site
    address = serve(root)
    model = next((root / "b/task/m").iterdir()).relative_to(root).as_posix()
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("index.html", "b/task/index.html", model, "b/task/embed.html"):
        page.emulate_media(color_scheme=schemes[0])
        page.goto(f"{address}/{path}", wait_until="networkidle")
        assert _broken(page, axe, schemes) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(color_scheme=schemes[0])
    page.goto(f"{address}/b/task/compare.html")
    _facts(page)
    page.get_by_role("combobox", name="A, the first").click()
    page.wait_for_selector("#model-a-list li")
    assert _broken(page, axe, schemes) == []


def test_items_stand_in_nobodys_way(page: "Page", axe: str, serve: Serve, tmp_path: Path) -> None:
    address, found = _items_site(tmp_path, leaderboard(), serve)
    assert _opened(page, f"{address}{_link(*found.ranking.model[:2])}")
    assert _broken(page, axe, ("light",)) == []


def _broken(page: "Page", axe: str, schemes: tuple[Any, ...]) -> list[tuple[str, str, str]]:
    """What is wrong with a page that was opened in the first scheme, in each of them."""
    every = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        broken = violations(page, axe, colors_only=scheme != schemes[0])
        every += [(scheme, v["id"], v["nodes"][0]["html"]) for v in broken]
    return every
