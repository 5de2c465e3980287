"""Tasks and model for `lighteval custom`, and that command itself: evals.py MODEL OUT_DIR."""

# mypy: disable-error-code="import-not-found", allow-subclassing-any
import sys
from typing import Any

from lighteval.main_custom import custom
from lighteval.metrics.metrics import Metrics
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc
from lighteval.utils.cache_management import SampleCache

from harness.answers import LETTERS, SUBJECTS, find, pick


def choice(line: dict[str, Any], task_name: str) -> Doc:
    item = find(line["question"])
    options = [f" {letter}" for letter in LETTERS]
    return Doc(task_name=task_name, query=item.prompt, choices=options, gold_index=item.answer)


def generation(line: dict[str, Any], task_name: str) -> Doc:
    item = find(line["question"])
    return Doc(
        task_name=task_name,
        query=item.question,
        choices=[item.choices[item.answer]],
        gold_index=0,
        specific={"subject": item.subject},
    )


def config(name: str, subset: str, **options: Any) -> LightevalTaskConfig:
    return LightevalTaskConfig(
        name=name,
        hf_repo="./data",
        hf_subset=subset,
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        **options,
    )


N_SAMPLES = 4
TASKS_TABLE = [
    config(f"mini:{subject}", subject, prompt_function=choice, metrics=[Metrics.loglikelihood_acc])
    for subject in SUBJECTS
] + [
    config(
        "mini_generation",
        "division",
        prompt_function=generation,
        metrics=[
            Metrics.expr_gold_metric,
            Metrics.avg_at_n(sample_params={"n": N_SAMPLES}),
            Metrics.pass_at_k(sample_params={"k": 1, "n": N_SAMPLES}),
        ],
        generation_size=64,
        stop_sequence=[],
    )
]


class Answers(LightevalModel):
    """The model of `harness.answers` that has the name asked for."""

    tokenizer = None
    add_special_tokens = False
    max_length = 2048

    def __init__(self, config: Any) -> None:
        self.config = config
        self._cache = SampleCache(config)

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        replies = []
        for doc in docs:
            item = find(doc.query)
            picks = [pick(self.config.model_name, item, i) for i in range(doc.num_samples)]
            texts = [item.choices[i] for i in picks]
            tokens = [[1]] * len(texts)
            replies.append(
                ModelResponse(input=doc.query, text=texts, input_tokens=[1], output_tokens=tokens)
            )
        return replies

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        replies = []
        for doc in docs:
            picked = pick(self.config.model_name, find(doc.query))
            chosen = [i == picked for i in range(len(doc.choices))]
            replies.append(
                ModelResponse(
                    input=doc.query,
                    logprobs=[-0.3 if is_chosen else -2.0 for is_chosen in chosen],
                    argmax_logits_eq_gold=chosen,
                    input_tokens=[1],
                    output_tokens=[[1]] * len(chosen),
                )
            )
        return replies

    def loglikelihood_rolling(self, docs: list[Doc]) -> list[ModelResponse]:
        raise NotImplementedError


if __name__ == "__main__":
    # The built-in tasks ask the hub for their data at import.
    Registry._load_from_files = staticmethod(lambda *_: {})
    Registry._load_from_subdirs = staticmethod(lambda *_: {})
    custom(
        model_name=sys.argv[1],
        model_definition_file_path=__file__,
        tasks=",".join(f"{task.name}|0" for task in TASKS_TABLE),
        custom_tasks=__file__,
        output_dir=sys.argv[2],
        save_details=True,
    )
