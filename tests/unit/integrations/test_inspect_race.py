"""Runs that stop one another, by Inspect's protocol and without Inspect."""

import asyncio
import contextvars
from types import SimpleNamespace
from typing import Any

import pytest

from nstar.errors import DataError, NstarWarning, ParameterError
from nstar.integrations.inspect import RaceStopping


class Run:
    """One model's run, in a context of its own as Inspect has it."""

    def __init__(self, race: RaceStopping, model: str, ids: range, epochs: int = 1) -> None:
        self._race, self._context = race, contextvars.copy_context()
        samples: Any = [SimpleNamespace(id=k, metadata={"subject": "law"}) for k in ids]
        spec: Any = SimpleNamespace(model=model)
        self._do(race.start_task(spec, samples, epochs))

    def _do(self, coroutine: Any) -> Any:
        def driven() -> Any:
            try:
                coroutine.send(None)
            except StopIteration as done:
                return done.value
            msg = "waits for something"
            raise AssertionError(msg)

        return self._context.run(driven)

    def done(self, k: int, value: float) -> None:
        scores: Any = {"match": SimpleNamespace(score=SimpleNamespace(value=value))}
        self._do(self._race.complete_sample(k, 1, scores))

    def end(self) -> dict[str, Any]:
        told: dict[str, Any] = self._do(self._race.complete_task())
        return told


def test_samples_count_in_the_order_of_the_dataset() -> None:
    race = RaceStopping(["a", "b"])
    runs = [Run(race, name, range(5)) for name in ("a", "b")]
    for run in runs:
        run.done(3, 1)
        run.done(1, 0)
    assert race.race is not None
    assert race.race.n_items == 0
    for run in runs:
        run.done(0, 1)
    assert race.race.n_items == 2  # 0 and 1; 3 waits for 2
    told = [run.end() for run in runs]
    assert told[1]["schema"] == "nstar.raceresult/1"
    assert told[1]["race_failed"] is None


def test_a_score_that_does_not_fit_ends_the_race_alone() -> None:
    race = RaceStopping(["a", "b"])
    first, second = (Run(race, name, range(5)) for name in ("a", "b"))
    with pytest.warns(NstarWarning, match="race of nstar ended with an error"):
        first.done(0, 0.5)
    second.done(0, 1)
    assert "must be 0 or 1" in second.end()["race_failed"]


def test_what_is_refused_at_the_start() -> None:
    race = RaceStopping(["a", "b"])
    Run(race, "a", range(5))
    with pytest.raises(DataError, match="has already run in this race"):
        Run(race, "a", range(5))
    with pytest.raises(DataError, match="different samples"):
        Run(race, "b", range(6))
    with pytest.raises(DataError, match="not one of the models of this race"):
        Run(race, "c", range(5))
    with pytest.raises(ParameterError, match="models"):
        RaceStopping(["a"])
    with pytest.raises(ParameterError, match="margin"):
        RaceStopping(["a", "b"], margin=2)


def test_without_a_run_nothing_is_said() -> None:
    race = RaceStopping(["a", "b"])
    assert race.race is None
    assert asyncio.run(race.complete_task()) == {}
