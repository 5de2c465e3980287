"""Why a cluster cannot be joined, in one line; without any cluster."""

from typing import Any

import pytest

pytest.importorskip("ray")

from nstar._engine.work import cluster as joining
from nstar._engine.work.cluster import RayCluster
from nstar.errors import ClusterError

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

HERE = "ray://head:10001"
UNKNOWN = RuntimeError("AuthToken is missing")


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)


def test_a_token_that_is_missing() -> None:
    assert "requires a token. Set RAY_AUTH_MODE=token" in (joining._refused(HERE, UNKNOWN))
    slow = joining._refused(HERE, ConnectionError("ray client connection timeout\nmore"))
    assert slow.startswith("No Ray cluster responds at ray://head:10001: ray client connection")
    assert "If it needs a token, set RAY_AUTH_MODE=token" in slow


def test_a_token_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x")
    assert "rejected the token" in joining._refused(HERE, UNKNOWN)
    timeout = joining._refused(HERE, ConnectionError("ray client connection timeout"))
    assert "token" not in timeout


@pytest.mark.parametrize("error", [OSError("AF_UNIX path is too long"), RuntimeError("no\nroom")])
def test_ray_that_cannot_start(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(**_: Any) -> None:
        raise error

    monkeypatch.setattr("ray.init", failing)
    monkeypatch.setattr("ray.shutdown", lambda: None)
    first = str(error).partition("\n")[0]
    with pytest.raises(ClusterError, match=rf"^Ray cannot be started here: {first}$"):
        joining.join("local", 1)


def test_a_version_of_ray_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "_private_module", lambda _: None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(ClusterError, match="does not report whether a cluster is running"):
        joining.join(None, 1)


def test_a_head_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = RayCluster(joined=False, head="127.0.0.1:9")
    assert not found.answers()
    assert found.lost() == []
    monkeypatch.setattr("nstar._engine.work.cluster._SILENT", 0.0)
    with pytest.raises(ClusterError, match=r"no longer responds. Run the command again"):
        found.answers()
