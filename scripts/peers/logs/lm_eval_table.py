"""Run lm-eval on a table: the model answers 1 where the table says that it was right.

python lm_eval_table.py MODEL OUTPUT_DIR [TABLE]
"""

# mypy: disable-error-code="import-not-found, misc"
import csv
import json
import sys
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from lm_eval.utils import make_table

TASK = """\
task: {table}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {table}.jsonl
test_split: test
output_type: generate_until
doc_to_text: "Question {{{{item}}}}"
doc_to_target: "1"
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
generation_kwargs:
  until: ["\\n"]
metadata:
  version: 1.0
"""


class Scripted(LM):
    def __init__(self, answers: dict[str, str]) -> None:
        super().__init__()
        self.answers = answers

    def generate_until(self, requests, disable_tqdm=False):  # type: ignore[no-untyped-def]  # noqa: ARG002
        return [self.answers[request.args[0].removeprefix("Question ")] for request in requests]

    def loglikelihood(self, requests):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):  # type: ignore[no-untyped-def]
        raise NotImplementedError


def main(model: str, out: str, table: str = "p1") -> None:
    with Path(f"{table}-{model}.csv").open(encoding="utf-8") as file:
        answers = {row["item_id"]: row["score"] for row in csv.DictReader(file)}
    lines = (json.dumps({"item": q}) for q in answers)
    Path(f"{table}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    folder = Path(f"{table}_task")
    folder.mkdir(exist_ok=True)
    (folder / f"{table}.yaml").write_text(TASK.format(table=table), encoding="utf-8")
    tracker = EvaluationTracker(output_path=out)
    results = lm_eval.simple_evaluate(
        model=Scripted(answers),
        tasks=[table],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        evaluation_tracker=tracker,
        log_samples=True,
    )
    samples = results.pop("samples")
    tracker.general_config_tracker.model_name_sanitized = model
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name=table, samples=samples[table])
    print(make_table(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
