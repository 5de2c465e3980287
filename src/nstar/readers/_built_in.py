"""Readers of this folder, each loaded when the first file comes that may be its.

Loading all of them takes longer than reading a small table. What a file must have for a reader
to look at it again is written down here: a text among its first bytes, or a part of its path.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

import pyarrow as pa

from nstar.readers._base import Journal, Reader, Role, Unit
from nstar.readers._files import Place


class Signs(NamedTuple):
    """Marks of which a reader's files have one at least; those of a table have none."""

    inside: tuple[bytes, ...] = ()
    """Among the first bytes."""
    outside: tuple[str, ...] = ()
    """In the path."""

    def allow(self, place: Place, head: bytes) -> bool:
        """Whether a file may be the reader's."""
        if not self.inside and not self.outside:
            return True
        path = place.path
        return any(s in head for s in self.inside) or any(s in path for s in self.outside)


SIGNS = {
    "inspect_ai": Signs((b"PK\x03\x04", b'"eval"')),
    "lm_eval": Signs((b"doc_id", b'"results"'), ("samples_",)),
    "lighteval": Signs((b"PAR1", b'"config_general"')),
    "helm": Signs(
        outside=(
            *("per_instance_stats.json", "run_spec.json", "stats.json", "scenario.json"),
            *("scenario_state.json", "instances.json", "display_predictions.json"),
            "display_requests.json",
        )
    ),
    "swe_bench": Signs((b'"resolved',), ("run_evaluation",)),
    "terminal_bench": Signs((b'"trial_name"', b'"n_concurrent_trials"')),
    "harbor": Signs(
        (b'"trial_name"', b'"n_total_trials"', b'"job_name"'),
        ("lock.json", "exception.txt", "reward.txt", "reward.json"),
    ),
    "tau_bench": Signs((b'"task_id"', b'"num_trials"')),
    "mmlu_pro": Signs((b"PK\x03\x04", b'"corr"', b'"question_id"')),
    "openai_evals": Signs((b'"completion_fns"',)),
    "promptfoo": Signs((b",Named Scores,", b'"evalId"', b'"promptIdx"')),
    "deepeval": Signs((b'"testCases"',)),
    "open_llm": Signs((b"PAR1",)),
    "every_eval_ever": Signs((b'"evaluation_id"',)),
    "mteb": Signs(
        (b'"revision"', b'"mteb_model_meta"', b'"mteb_version"'), ("run_settings.jsonl",)
    ),
    "evalplus": Signs((b'"base_status"', b'"status"', b'"pass@1"')),
    "livebench": Signs(outside=("ground_truth_judgment.jsonl",)),
    "livecodebench": Signs((b'"graded_list"',), ("codegeneration_", "selfrepair_")),
    "verifiers": Signs((b'"rollouts_per_example"',), ("results.jsonl", "traces.jsonl")),
    "bfcl": Signs(outside=("BFCL_v",)),
    "opencompass": Signs((b'"example_abbr"', b'"predictions"')),
    "pydantic_evals": Signs((b'"task_duration"',)),
    "dspy": Signs((b'"pred_',)),
    "arena": Signs((b"PAR1", b"model_a", b'"g1_winner"', b'"games"', b'"states"')),
    "tabular": Signs(),
}
"""Modules of this folder in order of trial, plain tables last."""


class BuiltIn:
    """The reader of a module, which is loaded when it is needed."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _reader(self) -> Reader:
        found: Reader = import_module(f"nstar.readers.{self.name}").READER
        return found

    def sniff(self, place: Place, head: bytes) -> Role:
        """As the reader; None without asking it if the file has no sign of it."""
        return self._reader.sniff(place, head) if SIGNS[self.name].allow(place, head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """As the reader."""
        return self._reader.units(places, journal)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """As the reader."""
        return self._reader.read(unit, journal)
