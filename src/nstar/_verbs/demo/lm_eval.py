"""Two models of the board as lm-eval 0.4.13 would log them: results_*.json, samples_*.jsonl."""

import json
import math
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from nstar._verbs.demo.leaderboard import Item, board, items

TASK = "demo_qa"
LOGGED = {"wren": "2026-01-15T09-30-00.250000", "heron": "2026-01-15T09-45-00.750000"}
"""Models, and when their run began."""

_SETTINGS = {"until": ["Question:"], "do_sample": False, "temperature": 0.0}
_METRIC = {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _row(number: int, item: Item, score: int) -> dict[str, Any]:
    doc = {
        "id": item.name,
        "subject": item.subject,
        "question": item.question,
        "answer": item.answer,
    }
    prompt = f"Question: {item.question}\nAnswer:"
    said = item.answer if score else str(int(item.answer) + 1)
    return {
        "doc_id": number,
        "doc": doc,
        "target": item.answer,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": _SETTINGS}},
        "resps": [[said]],
        "filtered_resps": [said],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": _hash(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _hash(prompt),
        "target_hash": _hash(item.answer),
        "exact_match": float(score),
    }


def _config(model: str) -> dict[str, Any]:
    """The task, as lm-eval describes it."""
    ask = {"doc_to_text": "Question: {{question}}\nAnswer:", "doc_to_target": "{{answer}}"}
    gaps = {"target_delimiter": " ", "fewshot_delimiter": "\n\n"}
    return {
        "task": TASK,
        "dataset_path": "json",
        "test_split": "test",
        **ask,
        "unsafe_code": False,
        "description": "",
        **gaps,
        "fewshot_config": {"sampler": "default", "split": None, **ask, **gaps},
        "num_fewshot": 0,
        "metric_list": [_METRIC],
        "output_type": "generate_until",
        "generation_kwargs": _SETTINGS,
        "repeats": 1,
        "should_decontaminate": False,
        "metadata": {"version": 1.0, "pretrained": model},
    }


def _results(model: str, scores: list[int], began: float) -> dict[str, Any]:
    n, mean = len(scores), sum(scores) / len(scores)
    return {
        "results": {
            TASK: {
                "name": TASK,
                "alias": TASK,
                "sample_len": n,
                "exact_match,none": mean,
                "exact_match_stderr,none": math.sqrt(mean * (1 - mean) / (n - 1)),
            }
        },
        "group_subtasks": {},
        "configs": {TASK: _config(model)},
        "versions": {TASK: 1.0},
        "n-shot": {TASK: 0},
        "higher_is_better": {TASK: {"exact_match": True}},
        "n-samples": {TASK: {"original": n, "effective": n}},
        "config": {
            "model": "nstar-demo",
            "model_args": {"pretrained": model},
            "batch_size": 1,
            "batch_sizes": [],
            "device": None,
            "use_cache": None,
            "limit": None,
            "bootstrap_iters": 100000,
            "gen_kwargs": None,
            "random_seed": 0,
            "numpy_seed": 1234,
            "torch_seed": 1234,
            "fewshot_seed": 1234,
        },
        "git_hash": None,
        "date": began,
        "pretty_env_info": "made up by nstar demo; no model was run",
        "transformers_version": "N/A",
        "lm_eval_version": "0.4.13",
        "upper_git_hash": None,
        "task_hashes": {TASK: _hash("".join(i.question for i in items()))},
        "model_source": "nstar-demo",
        "model_name": model,
        "model_name_sanitized": model,
        "system_instruction": None,
        "system_instruction_sha": None,
        "fewshot_as_multiturn": True,
        "chat_template": None,
        "chat_template_sha": None,
        "total_evaluation_time_seconds": "60.0",
    }


def files() -> Iterator[tuple[str, bytes]]:
    """Names below the folder of the demo, and contents."""
    for k, (model, time) in enumerate(LOGGED.items()):
        scores = board().row(model).astype(int).tolist()
        rows = map(_row, range(len(scores)), items(), scores)
        results = _results(model, scores, 1768469400.25 + 900.5 * k)
        yield f"lm-eval/{model}/results_{time}.json", json.dumps(results, indent=2).encode()
        samples = "".join(f"{json.dumps(row)}\n" for row in rows)
        yield f"lm-eval/{model}/samples_{TASK}_{time}.jsonl", samples.encode()
