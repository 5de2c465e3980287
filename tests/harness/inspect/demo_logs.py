"""The logs of ``nstar demo`` as Inspect itself reads them.

python demo_logs.py FOLDER    exit 1 if it finds anything else than the demo says
"""

# mypy: disable-error-code="import-not-found"
# ruff: noqa: T201
import sys
from pathlib import Path

from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.scorer import value_to_float


def check(path: Path) -> None:
    log = read_eval_log(str(path))
    assert log.status == "success", log.status
    assert log.samples is not None
    assert log.results is not None
    to_float = value_to_float()
    scores = [to_float((s.scores or {})["match"].value) for s in log.samples]
    (score,) = log.results.scores
    assert len(scores) == len(log.eval.dataset.sample_ids or []) == score.scored_samples
    assert abs(sum(scores) / len(scores) - score.metrics["accuracy"].value) < 1e-12
    summaries = read_eval_log_sample_summaries(str(path))
    assert [s.id for s in summaries] == [s.id for s in log.samples]
    assert [to_float((s.scores or {})["match"].value) for s in summaries] == scores
    print(f"{path.name}: {len(scores)} samples of {log.eval.task}, {log.eval.model}")


def main(folder: Path) -> None:
    assert len(list_eval_logs(str(folder))) == 2
    for name in ("baseline", "candidate"):
        check(folder / f"{name}.eval")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
