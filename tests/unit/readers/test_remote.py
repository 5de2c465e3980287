"""Logs behind a URL, from a server on the loopback interface."""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import Command
from nstar import read
from nstar.errors import ReadError

EXAMPLE = Path(__file__).parents[3] / "examples" / "results.csv"
FIXTURES = Path(__file__).parents[2] / "fixtures"


class _Ranges(SimpleHTTPRequestHandler):
    """Files by byte ranges, as object stores serve them."""

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            return super().do_GET()
        data = path.read_bytes()
        first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(data[first : last + 1])
        return None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    handler = partial(_Ranges, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}", tmp_path
        http.shutdown()
        thread.join()


def test_a_table_behind_a_url(server: tuple[str, Path]) -> None:
    pytest.importorskip("aiohttp")
    url, folder = server
    (folder / "results.csv").write_bytes(EXAMPLE.read_bytes())
    answer = Command("compare").answer(f"{url}/results.csv", "--a", "alpha", "--b", "beta")
    assert answer["tasks"][0]["n_items"] == 800


def test_an_inspect_log_behind_a_url(server: tuple[str, Path]) -> None:
    pytest.importorskip("aiohttp")
    url, folder = server
    log = sorted(FIXTURES.glob("inspect/**/*.eval"))[0]
    (folder / "log.eval").write_bytes(log.read_bytes())
    assert len(read(f"{url}/log.eval")) == len(read(log))


def test_a_url_that_is_not_there(server: tuple[str, Path]) -> None:
    pytest.importorskip("aiohttp")
    with pytest.raises(ReadError, match=r"nothing\.csv"):
        read(f"{server[0]}/nothing.csv")
