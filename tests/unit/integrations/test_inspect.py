"""Inspect runs that stop themselves: order, epochs, errors and refusals by hand."""

import asyncio
import json
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nstar._verbs.watch import Watch
from nstar.errors import DataError, NstarWarning, ParameterError, ReadError
from nstar.integrations.inspect import EarlyStopping
from nstar.integrations.inspect.baseline import Baseline, read_baseline
from nstar.integrations.inspect.watched_run import SampleQueue, score_of
from nstar.readers import read

BASELINE = Path(__file__).parents[2] / "fixtures" / "inspect" / "zstd.eval"


def run(awaited: Coroutine[Any, Any, Any]) -> Any:
    """Its result; in a thread, since a browser's fixture may keep a loop running in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, awaited).result()


def sample(k: int, **fields: Any) -> Any:
    return SimpleNamespace(id=k, input=f"question {k}", target="A", metadata=None, **fields)


def scored(value: Any) -> dict[str, Any]:
    return {"match": SimpleNamespace(score=SimpleNamespace(value=value))}


def started(
    monkeypatch: pytest.MonkeyPatch, baseline: dict[str, float], epochs: int = 1, **question: Any
) -> EarlyStopping:
    """Early stopping at the start of a task of as many samples as the baseline has."""
    found = Baseline("base.eval", "acme/old", "match", baseline, {})
    monkeypatch.setattr("nstar.integrations.inspect.stopping.read_baseline", lambda *_: found)
    monkeypatch.setattr("nstar.integrations.inspect.stopping.refuse_missing", lambda _: None)
    stopping = EarlyStopping("base.eval", **question)
    task = SimpleNamespace(task="mini", model="acme/new")
    samples = [sample(int(k)) for k in baseline]
    assert run(stopping.start_task(task, samples, epochs)) == "nstar"
    return stopping


def finish(stopping: EarlyStopping, k: int, value: Any, epoch: int = 1) -> None:
    run(stopping.complete_sample(k, epoch, scored(value)))


def watch_of(stopping: EarlyStopping) -> Watch:
    assert stopping.watch is not None
    return stopping.watch


def test_results_are_held_back_until_all_before_are_in(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(6)})
    for k in (1, 2, 4):
        finish(stopping, k, "C")
    assert watch_of(stopping).n_items == 0
    finish(stopping, 0, "I")
    assert watch_of(stopping).n_items == 3


def test_slow_failures_do_not_make_a_model_look_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right answers come at once, wrong ones after all others: no word before they are in."""
    rng = np.random.default_rng(3)
    n = 200
    baseline = {str(k): float(rng.random() < 0.5) for k in range(n)}
    right = rng.random(n) < 0.5
    stopping = started(monkeypatch, baseline)
    for k in [k for k in range(n) if right[k]]:
        finish(stopping, k, 1)
    assert watch_of(stopping).n_items < 10
    for k in [k for k in range(n) if not right[k]]:
        finish(stopping, k, 0)
    assert watch_of(stopping).n_items == n
    assert watch_of(stopping).verdict == "futile"


def test_epochs_count_once_and_when_all_are_in(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {"0": 0.5, "1": 0.0}, epochs=2)
    assert watch_of(stopping).question.scale == "graded"
    finish(stopping, 0, "C", 1)
    assert watch_of(stopping).n_items == 0
    finish(stopping, 0, "I", 2)
    assert watch_of(stopping).n_items == 1
    assert watch_of(stopping).decision.gap == 0.0


def test_samples_without_a_score_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {"0": 1.0, "1": 0.0})
    finish(stopping, 0, float("nan"))
    run(stopping.complete_sample(1, 1, {}))
    assert (watch_of(stopping).n_items, watch_of(stopping).n_items_unscored) == (0, 2)


def test_metadata_is_json_and_says_all(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(40)})
    for k in range(20):
        finish(stopping, k, "C")
    told = run(stopping.complete_task())
    assert told["verdict"] == "better"
    assert told["decided_at"] <= 20
    assert told["baseline"] == "base.eval"
    assert told["question"]["models"] == ["acme/new", "acme/old"]
    assert told["assumptions"]


@pytest.mark.parametrize("value", [0.5, 7.0, -1, True, "maybe", {"match": 0.5}])
def test_an_odd_score_ends_the_comparison_and_not_the_run(
    monkeypatch: pytest.MonkeyPatch, value: Any
) -> None:
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(40)})
    odd = value in (0.5, 7.0, -1)
    with (
        pytest.warns(NstarWarning, match="ended with an error, so all samples run")
        if odd
        else nullcontext()
    ):
        finish(stopping, 0, value)
    assert run(stopping.schedule_sample(1, 1)) is None
    for k in range(1, 40):
        finish(stopping, k, "C")
    told = run(stopping.complete_task())
    json.dumps(told, allow_nan=False)
    if odd:
        assert told["watch_failed"].startswith("The score of item '0' must be 0 or 1")
        assert f"got {value:g}" in told["watch_failed"]
        assert (told["verdict"], told["n_items"]) == ("open", 0)
        assert run(stopping.schedule_sample(39, 1)) is None
    else:
        assert told["watch_failed"] is None


def test_graded_scores_outside_the_unit_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {"0": 0.5, "1": 0.25, "2": 1.0})
    with pytest.warns(NstarWarning, match="so all samples run"):
        finish(stopping, 0, 4.0)
    finish(stopping, 1, 1.0)
    told = run(stopping.complete_task())
    assert "must be in [0, 1]; got 4" in told["watch_failed"]
    with pytest.raises(DataError, match="outside"):
        started(monkeypatch, {str(k): 4.0 for k in range(40)})
    free = started(monkeypatch, {str(k): 4.0 for k in range(40)}, asymptotic=True)
    finish(free, 0, 5.0)
    assert watch_of(free).n_items == 1


def test_anything_that_goes_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {"0": 0.0, "1": 0.0})

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(watch_of(stopping), "update", broken)
    with pytest.warns(NstarWarning, match="ZeroDivisionError"):
        finish(stopping, 0, "C")
    finish(stopping, 1, "C")
    assert run(stopping.complete_task())["watch_failed"] == "ZeroDivisionError()"


def test_a_report_that_fails_does_not_lose_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {"0": 0.0, "1": 0.0})

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("nstar.report.render", broken)
    assert run(stopping.complete_task()) == {"watch_failed": "ZeroDivisionError()"}


def test_samples_that_the_baseline_has_no_score_for_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "base.csv"
    lines = ["model,task,metric,item,score,content"]
    lines += [f"m,mini,match,{k},{score},{k}" for k, score in ((1, 1), (2, 0), (3, ""), (4, ""))]
    path.write_text("\n".join(lines), "utf-8")
    stopping = EarlyStopping(path)
    task: Any = SimpleNamespace(task="mini", model="new")
    samples = [sample(k) for k in (1, 2, 3, 4)]
    for one in samples:
        one.target = ["A"]
    with pytest.warns(
        NstarWarning, match="no score for 2 of the 4 samples. These samples run but are not"
    ):
        run(stopping.start_task(task, samples, 1))
    told = run(stopping.complete_task())
    assert told["baseline_without_score"] == 2
    assert told["question"]["items"] == 2
    assert "2 of 4 samples have no score in the baseline" in told["notes"][-1]


def test_refusals() -> None:
    with pytest.raises(ParameterError):
        EarlyStopping(BASELINE, margin=2.0)
    task: Any = SimpleNamespace(task="mini_wp", model="m")
    with pytest.raises(DataError, match="of 'nothing'"):
        run(EarlyStopping(BASELINE, scorer="nothing").start_task(task, [], 1))
    with pytest.raises(DataError, match=r"scores for only 0 of the 1 samples .*matched by id"):
        run(EarlyStopping(BASELINE).start_task(task, [sample(1)], 1))


def test_a_baseline_of_60_refuses_a_run_of_600() -> None:
    base = Baseline("b.eval", "m", "match", {str(k): 1.0 for k in range(60)}, {})
    with pytest.raises(
        DataError, match=r"b.eval covers only 60 of the 600 samples .*limit this run"
    ):
        base.common([sample(k) for k in range(600)])
    assert base.common([sample(k) for k in range(30)]) == 30
    assert base.common([sample(k) for k in range(63)]) == 60


def test_a_baseline_of_another_task_is_refused() -> None:
    stopping = EarlyStopping(BASELINE)
    task: Any = SimpleNamespace(task="pack/algebra", model="m")
    with pytest.raises(DataError, match="is a log of the task mini_wp, not of pack/algebra"):
        run(stopping.start_task(task, [sample(1)], 1))


def test_a_missing_baseline_is_refused_at_construction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", str(tmp_path))
    with pytest.raises(ReadError, match=r"Baseline logs/base.eval: no such file"):
        EarlyStopping("logs/base.eval")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "base.eval").touch()
    EarlyStopping("logs/base.eval")  # Inspect creates tasks in the folder of the task file
    EarlyStopping("s3://bucket/base.eval")
    with pytest.raises(ReadError, match="no such file"):
        EarlyStopping(tmp_path / "logs" / "other.eval")


def test_an_unknown_parameter_names_the_class() -> None:
    with pytest.raises(
        TypeError, match=r"^EarlyStopping\(\) has no parameter futilty\. Did you mean futility\?"
    ):
        EarlyStopping(BASELINE, futilty=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^EarlyStopping\(\) has no parameter items\."):
        EarlyStopping(BASELINE, items=60)  # type: ignore[call-arg]


def test_scale_must_fit_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="need scale='graded'"):
        started(monkeypatch, {"0": 0.5, "1": 0.0}, scale="binary")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"status": "error"}, "did not finish .status 'error'"),
        ({"stopped": "by nstar, 9 samples not run"}, "was stopped early .by nstar, 9"),
    ],
)
def test_a_baseline_whose_items_were_chosen_by_its_scores_is_refused(
    monkeypatch: pytest.MonkeyPatch, how: Any, says: str
) -> None:
    whole = read(BASELINE)
    part = SimpleNamespace(data=whole.data, sources=[replace(whole.sources[0], **how)])
    monkeypatch.setattr("nstar.readers.read", lambda _: part)
    with pytest.raises(DataError, match=says):
        read_baseline("base.eval", "mini", None)


def test_another_question_under_the_same_id() -> None:
    base = Baseline("b.eval", "m", "match", {"0": 1.0, "1": 0.0}, {"1": 17})
    with pytest.raises(DataError, match="Sample 1 has a different question or target in b"):
        base.common([sample(0), sample(1)])


# --- what comes late, or never --------------------------------------------------------------


def schedule(stopping: EarlyStopping, k: int, epoch: int = 1) -> Any:
    return run(stopping.schedule_sample(k, epoch))


def test_samples_behind_an_error_are_counted_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(40)})
    for k in range(40):
        assert schedule(stopping, k) is None
        if k != 2:
            finish(stopping, k, "C")
    schedule(stopping, 2)  # tried again, in vain
    assert watch_of(stopping).n_items == 2
    told = run(stopping.complete_task())
    assert (told["n_items"], told["n_items_unscored"], told["verdict"]) == (39, 1, "better")
    assert (told["samples_scheduled"], told["samples_without_score"]) == (40, 1)
    assert (told["samples_not_run"], told["stopped_for"]) == (0, None)
    assert any("1 item without scores from both models" in note for note in told["notes"])


def test_epochs_that_failed_are_told() -> None:
    line = SampleQueue(["q1", "q2", "q3"], epochs=2)
    for item in line.items[:2]:
        line.schedule(item, 1)
        line.schedule(item, 2)
    line.schedule("q3", 1)
    line.add("q1", 1, 1.0)
    line.add("q2", 1, 0.0)
    line.add("q2", 2, 1.0)
    line.add("q3", 1, 1.0)
    line.stop("q3", 2)
    assert line.ready() == []
    assert line.rest() == [("q1", 1.0), ("q2", 0.5)]
    assert line.without_score == 1


def test_results_of_the_run_that_is_retried_count(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(40)})
    for k in range(3):
        finish(stopping, k, "C")
    schedule(stopping, 3)
    finish(stopping, 3, "C")
    told = run(stopping.complete_task())
    assert (told["n_items"], told["samples_reused"], told["samples_scheduled"]) == (4, 3, 1)


def futile_then_open(monkeypatch: pytest.MonkeyPatch, order: list[int]) -> EarlyStopping:
    """Hopeless for one item only, then not: what may happen while samples are on their way."""
    stopping = started(monkeypatch, {str(k): float(k % 2) for k in range(100)}, futility=True)
    monkeypatch.setattr(
        Watch, "verdict", property(lambda watch: "futile" if watch.n_items == 30 else "open")
    )
    for k in order:
        finish(stopping, k, k % 2)
    return stopping


def test_a_reason_to_stop_stands_in_whatever_order_samples_finish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if find_spec("inspect_ai") is None:
        stand_in = SimpleNamespace(EarlyStop=SimpleNamespace)
        monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(util=stand_in))
        monkeypatch.setitem(sys.modules, "inspect_ai.util", stand_in)
    rng = np.random.default_rng(1)
    for order in (range(40), reversed(range(40)), rng.permutation(40).tolist()):
        stopping = futile_then_open(monkeypatch, list(order))
        stop = schedule(stopping, 40)
        assert stop.metadata == {"verdict": "futile", "n_items": 30}
        assert schedule(stopping, 41) is not None
        told = run(stopping.complete_task())
        assert (told["stopped_for"], told["stopped_at"], told["n_items"]) == ("futile", 30, 40)
        assert any("Inspect's own means" in note for note in told["notes"])


def test_without_futility_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {str(k): float(k % 2) for k in range(60)})
    for k in range(60):
        finish(stopping, k, k % 2)
    assert watch_of(stopping).verdict == "futile"
    assert schedule(stopping, 60) is None


def test_a_scorer_that_the_run_lacks_is_told_early(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(40)})
    other: Any = {"exact": SimpleNamespace(score=SimpleNamespace(value=1))}
    for k in range(19):
        run(stopping.complete_sample(k, 1, other))
    with pytest.warns(NstarWarning, match=r"no 'match' score.*found: exact"):
        run(stopping.complete_sample(19, 1, other))


@pytest.mark.parametrize(
    ("metric", "value"),
    [("both.right", 1.0), ("both.style", 0.25), ("both.else", None), ("match", 0.0)],
)
def test_scorers_with_parts(metric: str, value: float | None) -> None:
    both = SimpleNamespace(score=SimpleNamespace(value={"right": True, "style": 0.25}))
    scores: Any = {"both": both, **scored("I")}
    assert score_of(scores, metric) == value


def test_two_models_at_once_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect gives one task object to several models, and says of no sample whose it is."""
    stopping = started(monkeypatch, {str(k): 0.0 for k in range(40)})
    samples = [sample(k) for k in range(40)]

    async def one(name: str, value: str) -> dict[str, Any]:
        task: Any = SimpleNamespace(task="mini", model=name)
        await stopping.start_task(task, samples, 1)
        for k in range(15):
            await asyncio.sleep(0)
            done = asyncio.create_task(stopping.complete_sample(k, 1, scored(value)))
            await done
        return await stopping.complete_task()

    async def both() -> tuple[dict[str, Any], ...]:
        return await asyncio.gather(one("good", "C"), one("bad", "I"))

    good, bad = run(both())
    assert [told["question"]["models"][0] for told in (good, bad)] == ["good", "bad"]
    assert [told["n_items"] for told in (good, bad)] == [15, 15]
    assert [told["gap"] for told in (good, bad)] == [1.0, 0.0]


def test_nothing_happens_before_the_start() -> None:
    stopping = EarlyStopping(BASELINE)
    finish(stopping, 1, "C")
    assert run(stopping.complete_task()) == {}
