"""A site of a large leaderboard: how long its build takes, what it weighs, how soon it answers.

The leaderboard is that of ``benchmarks/audit.py`` with longer names. It is audited into a folder,
which is not timed, and built twice: into a new folder, and again over what is there. First load is
all that a page fetches before anyone touches it, uncompressed; a page answers when its search box
or its pair is there, counted from the start of navigation in Chromium, with an empty cache, from a
server on this machine. Medians of some visits.

    python benchmarks/site.py                             4,576 models × 21,606 items
    python benchmarks/site.py --write                     into docs/evidence/performance.md
    python benchmarks/site.py --models 400 --items 2000 --repeat 1

Limit: 300 KB of first load.
"""

# ruff: noqa: D101, D102, D103, PLC0415
import argparse
import functools
import os
import platform
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from figures import show

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

LIMIT = 300_000
READY = {
    "first page": "table.board a",
    "benchmark": "#find-model",
    "model": "#find-rival",
    "two models": "#facts",
}
"""What is there when a page can answer."""


def write_audit(folder: Path, models: int, items: int) -> None:
    from audit import answers, score_matrix

    from nstar import audit, report
    from nstar._data.export.audit_folders import write_summary
    from nstar._engine.work import Execution

    names = tuple(f"lab-{k % 311}/model-{k}-instruct" for k in range(models))
    matrix = replace(score_matrix(answers(models, items), items), models=names, task="synthetic")
    found = audit(matrix, execution=Execution(out=str(folder)))
    write_summary(str(folder), report.render(found, "json"))


def timed_build(folder: Path, site: Path) -> float:
    from nstar.report.site import build

    began = time.perf_counter()
    build([str(folder)], str(site))
    return time.perf_counter() - began


class Server(ThreadingHTTPServer):
    request_queue_size = 64


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def serve(site: Path) -> str:
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def places(site: Path) -> dict[str, str]:
    """One page of each kind."""
    home = site / "b" / "synthetic"
    models = sorted((home / "m").iterdir())
    return {
        "first page": "index.html",
        "benchmark": "b/synthetic/index.html",
        "model": models[len(models) // 2].relative_to(site).as_posix(),
        "two models": "b/synthetic/compare.html",
    }


def visit(browser: Any, url: str, ready: str) -> dict[str, float]:
    """Bytes of the first load, and milliseconds until the page can answer."""
    context = browser.new_context()
    page = context.new_page()
    sizes: list[int] = []
    page.on("response", lambda r: sizes.append(int(r.headers.get("content-length", 0))))
    page.goto(url, wait_until="commit")
    page.wait_for_selector(ready)
    taken = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    found = {"bytes": float(sum(sizes)), "ms": float(taken)}
    if "find" in ready:
        found["search"] = search(page, ready)
    context.close()
    return found


def search(page: Any, box: str) -> float:
    """Milliseconds from the first letter to the first model found, names fetched in between."""
    began = page.evaluate("performance.now()")
    page.fill(box, "lab-7/")
    page.wait_for_selector("[role=option]")
    return float(page.evaluate("performance.now()") - began)


def visits(site: Path, repeat: int) -> dict[str, dict[str, float]]:
    from playwright.sync_api import sync_playwright

    program = os.environ.get("NSTAR_CHROMIUM") or shutil.which("chromium")
    base, found = serve(site), {}
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for kind, place in places(site).items():
            runs = [visit(browser, f"{base}/{place}", READY[kind]) for _ in range(repeat)]
            found[kind] = {k: statistics.median(r[k] for r in runs) for k in runs[0]}
        browser.close()
    return found


def weight(site: Path) -> tuple[int, int]:
    sizes = [p.stat().st_size for p in site.rglob("*") if p.is_file()]
    return len(sizes), sum(sizes)


def report(given: argparse.Namespace) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as where:
        folder, site = Path(where) / "audit", Path(where) / "site"
        write_audit(folder, given.models, given.items)
        first, again = timed_build(folder, site), timed_build(folder, site)
        files, size = weight(site)
        rows = sum(p.stat().st_size for p in site.rglob("rows-*/*.bin"))
        yield (
            f"{given.models:,} models × {given.items:,} items; Python "
            f"{platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, "
            f"Chromium, {given.repeat} visits each."
        )
        yield ""
        yield "| build, s | again, nothing changed, s | files | MB | of which pairs, MB |"
        yield "|---|---|---|---|---|"
        yield f"| {first:.1f} | {again:.1f} | {files:,} | {size / 1e6:.1f} | {rows / 1e6:.1f} |"
        yield ""
        yield "| page | first load, KB | limit, KB | answers after, ms | first search, ms |"
        yield "|---|---|---|---|---|"
        for kind, v in visits(site, given.repeat).items():
            searched = f"{v['search']:.0f}" if "search" in v else "–"
            yield (
                f"| {kind} | {v['bytes'] / 1e3:.0f} | {LIMIT / 1e3:.0f} | {v['ms']:.0f} | "
                f"{searched} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=4576)
    parser.add_argument("--items", type=int, default=21_606)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/evidence/performance.md")
    given = parser.parse_args()
    show(report(given), key="site", title="A site of a large leaderboard", write=given.write)


if __name__ == "__main__":
    main()
