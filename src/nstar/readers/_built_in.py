"""Readers in this folder, each of which is imported when the first matching file is found.

Loading all of them takes longer than reading a small table. This module therefore lists a
signature of each format: a text in the first bytes of its files, or a part of their paths.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

import pyarrow as pa

from nstar.readers._base import Journal, Reader, Role, Unit
from nstar.readers._files import Place


class FileSignature(NamedTuple):
    """Signature of a format. Its files have at least one of the marks; tables have none."""

    inside: tuple[bytes, ...] = ()
    """Texts that may occur in the first bytes."""
    outside: tuple[str, ...] = ()
    """Texts that may occur in the path."""

    def allow(self, place: Place, head: bytes) -> bool:
        """Return whether a file could be of this format."""
        if not self.inside and not self.outside:
            return True
        path = place.path
        return any(s in head for s in self.inside) or any(s in path for s in self.outside)


SIGNS = {
    "inspect_ai": FileSignature((b"PK\x03\x04", b'"eval"')),
    "lm_eval": FileSignature((b"doc_id", b'"results"'), ("samples_",)),
    "lighteval": FileSignature((b"PAR1", b'"config_general"')),
    "helm": FileSignature(
        outside=(
            *("per_instance_stats.json", "run_spec.json", "stats.json", "scenario.json"),
            *("scenario_state.json", "instances.json", "display_predictions.json"),
            "display_requests.json",
        )
    ),
    "swe_bench": FileSignature((b'"resolved',), ("run_evaluation",)),
    "terminal_bench": FileSignature((b'"trial_name"', b'"n_concurrent_trials"')),
    "harbor": FileSignature(
        (b'"trial_name"', b'"n_total_trials"', b'"job_name"'),
        ("lock.json", "exception.txt", "reward.txt", "reward.json"),
    ),
    "tau_bench": FileSignature((b'"task_id"', b'"num_trials"')),
    "mmlu_pro": FileSignature((b"PK\x03\x04", b'"corr"', b'"question_id"')),
    "openai_evals": FileSignature((b'"completion_fns"',)),
    "promptfoo": FileSignature((b",Named Scores,", b'"evalId"', b'"promptIdx"')),
    "deepeval": FileSignature((b'"testCases"',)),
    "open_llm": FileSignature((b"PAR1",)),
    "every_eval_ever": FileSignature((b'"evaluation_id"',)),
    "mteb": FileSignature(
        (b'"revision"', b'"mteb_model_meta"', b'"mteb_version"'), ("run_settings.jsonl",)
    ),
    "evalplus": FileSignature((b'"base_status"', b'"status"', b'"pass@1"')),
    "livebench": FileSignature(outside=("ground_truth_judgment.jsonl",)),
    "livecodebench": FileSignature((b'"graded_list"',), ("codegeneration_", "selfrepair_")),
    "verifiers": FileSignature((b'"rollouts_per_example"',), ("results.jsonl", "traces.jsonl")),
    "bfcl": FileSignature(outside=("BFCL_v",)),
    "opencompass": FileSignature((b'"example_abbr"', b'"predictions"')),
    "pydantic_evals": FileSignature((b'"task_duration"',)),
    "dspy": FileSignature((b'"pred_',)),
    "arena": FileSignature((b"PAR1", b"model_a", b'"g1_winner"', b'"games"', b'"states"')),
    "tabular": FileSignature(),
}
"""Signatures of the modules in the order in which they are tried; plain tables are last."""


class LazyReader:
    """Reader whose module is imported on demand."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _reader(self) -> Reader:
        reader: Reader = import_module(f"nstar.readers.{self.name}").READER
        return reader

    def sniff(self, place: Place, head: bytes) -> Role:
        """Call the reader's method; return None without importing it if the file has no mark."""
        return self._reader.sniff(place, head) if SIGNS[self.name].allow(place, head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """Call the reader's method."""
        return self._reader.units(places, journal)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Call the reader's method."""
        return self._reader.read(unit, journal)
