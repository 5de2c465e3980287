"""What a HELM run folder says about its run, its printed means and its questions."""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import msgspec

from nstar._table import KNOWN
from nstar.errors import ReadError
from nstar.readers._base import Journal, SourceDraft, content_key
from nstar.readers._common import GROUP_FIELDS, above, group_label
from nstar.readers._files import Place, printable
from nstar.readers._json import json_document, json_elements
from nstar.readers._values import brief, entry

__all__ = ["Printed", "Questions", "Run", "Stat", "is_score"]

STATE_CAP = 256 << 20
"""Bytes of scenario_state.json beyond which its questions are not looked at."""

_BOOKKEEPING = (
    "num_",
    "inference_",
    "training_",
    "prompt_",
    "finish_reason_",
    "estimated_num_",
    "batch_size",
    "logprob",
    "max_prob",
    "predicted_index",
)
"""Beginnings of the names of statistics that tell how a run went, not how good the answer was."""
_NOT_DATA = {"model", "model_deployment", "groups"}
_ADAPTER_SETTINGS = (
    "method",
    "max_train_instances",
    "max_eval_instances",
    "num_outputs",
    "max_tokens",
    "temperature",
)


class _Name(msgspec.Struct):
    name: str
    split: str | None = None
    perturbation: Any = None


class Stat(msgspec.Struct):
    """One statistic; without a mean if nothing was counted."""

    name: _Name
    mean: float | None = None


@lru_cache(maxsize=4096)
def is_score(name: str) -> bool:
    """Whether a statistic measures the answer.

    Examples
    --------
    >>> is_score("exact_match@5"), is_score("num_output_tokens"), is_score("training_co2_cost")
    (True, False, False)
    """
    return not name.startswith(_BOOKKEEPING) and not name.endswith("_cost")


class _Spec(msgspec.Struct):
    name: str = ""
    scenario_spec: dict[str, Any] = msgspec.field(default_factory=dict)
    adapter_spec: dict[str, Any] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What run_spec.json says, or for want of it the folder's name."""

    model: str
    scenario: str
    """Scenario and the arguments that choose its data, without the subject."""
    subject: str | None
    variant: str
    """The other arguments of the run."""
    adapter: dict[str, Any]
    note: str | None = None
    task: str = ""
    """Name of the task in the table."""

    @classmethod
    def find(cls, place: Place) -> "Run":
        """The run whose statistics are in this file."""
        folder = next((printable(f.name) for f in above(place)), "")
        file = place.sibling("run_spec.json")
        known = file.exists()
        spec = json_document(file, _Spec) if known else _Spec(name=folder)
        base, _, rest = (spec.name or folder).partition(":")
        given = dict(a.partition("=")[::2] for a in rest.split(",") if "=" in a)
        data = _data_arguments(spec, given, known=known)
        subject = data.pop("subject", None)
        other = {k: v for k, v in given.items() if k not in {*_NOT_DATA, *data, "subject"}}
        model = brief(entry(spec.adapter_spec, "model") or given.get("model") or folder)
        return cls(
            model=model,
            scenario=f"{base}:{_listed(data)}" if data else base,
            subject=subject,
            variant=_listed(other),
            adapter=spec.adapter_spec,
            note=None if known else f"no run_spec.json; {model} is from the folder's name",
        )

    def told_apart(self, tasks: set[str]) -> "Run":
        """The run with its task's name for the table; these tasks need the other arguments."""
        apart = self.scenario in tasks and self.variant
        return replace(self, task=f"{self.scenario}[{self.variant}]" if apart else self.scenario)

    @property
    def trials(self) -> int:
        """Repetitions with other few-shot examples."""
        number = self.adapter.get("num_train_trials")
        return number if isinstance(number, int) and number > 0 else 1

    def item(self, instance: str) -> str:
        """Name of an instance; its id counts from zero in every subject."""
        return f"{self.subject}:{instance}" if self.subject else instance

    def settings(self) -> dict[str, str]:
        """Prompt and sampling, and the arguments of the run that do not choose its data."""
        found = {name: self.adapter.get(name) for name in _ADAPTER_SETTINGS}
        if not self.subject:  # instructions often name the subject
            found["instructions"] = self.adapter.get("instructions")
        found["arguments"] = self.variant
        said = {name: "" if value is None else brief(value) for name, value in found.items()}
        return {name: value for name, value in said.items() if value}


def _data_arguments(spec: _Spec, given: dict[str, str], *, known: bool) -> dict[str, str]:
    """Arguments of the scenario: those in run_spec.json, else all that the run's name bears."""
    args = entry(spec.scenario_spec, "args")
    named = sorted(args.items()) if isinstance(args, dict) else []
    data = {k: brief(v)[:80] for k, v in named} if known else given
    return {k: v for k, v in data.items() if k not in _NOT_DATA}


def _listed(args: dict[str, str]) -> str:
    return ",".join(f"{k}={v}" for k, v in args.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What stats.json says about the unperturbed instances of the split that counts."""

    split: str | None = None
    """``test`` if it was evaluated, else the other one; ``None`` if unknown."""
    means: dict[str, float] = field(default_factory=dict)
    """HELM's own means."""
    instances: int | None = None
    """Instances of that split."""

    @classmethod
    def load(cls, place: Place) -> "Printed":
        """From the file beside the statistics per instance."""
        file = place.sibling("stats.json")
        if not file.exists():
            return cls()
        stats = [s for s in json_document(file, list[Stat]) if not s.name.perturbation]
        splits = [s.name.split for s in stats if is_score(s.name.name) and s.name.split]
        split = "test" if "test" in splits else next(iter(splits), None)
        means = {s.name.name: s.mean for s in stats if s.name.split == split}
        count = means.pop("num_instances", None)
        return cls(
            split=split,
            means={k: v for k, v in means.items() if v is not None and math.isfinite(v)},
            instances=int(count) if count is not None and 0 < count < 1e12 else None,
        )


class _State(msgspec.Struct):
    instance: dict[str, Any]


@dataclass(slots=True)
class Questions:
    """What scenario_state.json says about the instances, by id."""

    groups: tuple[str, ...] = ()
    """Fields of the questions that group them."""
    _known: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, place: Place, source: SourceDraft, journal: Journal) -> "Questions":
        """From the file beside the statistics per instance, if it is there and not too long."""
        file = place.sibling("scenario_state.json")
        size = file.size() if file.exists() else None
        if size is None or size > STATE_CAP:
            return cls()
        wanted = dict.fromkeys((*GROUP_FIELDS, *journal.options.groups))
        groups = tuple(g for g in wanted if g not in {*KNOWN, "subject"})
        try:
            states = json_elements(file, "request_states", _State, Journal())
            known = dict(_question(s.instance, groups) for _, s in states)
        except ReadError as error:
            source.notes.append(f"questions are not compared: {error}")
            return cls()
        used = [i for i in range(len(groups)) if any(about[i + 1] for about in known.values())]
        slim = {name: (about[0], *(about[i + 1] for i in used)) for name, about in known.items()}
        return cls(tuple(groups[i] for i in used), slim)

    def about(self, instance: str) -> tuple[Any, ...]:
        """Content key and groups of an instance."""
        return self._known.get(instance) or (None,) * (1 + len(self.groups))


def _question(instance: dict[str, Any], groups: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    """Id, content key and groups of an instance; "" stands for the id of a perturbed one."""
    name = instance.get("id")
    if not isinstance(name, str) or instance.get("perturbation"):
        return "", (None,) * (1 + len(groups))
    listed = instance.get("references")
    options = [entry(r, "output", "text") for r in listed] if isinstance(listed, list) else []
    text = entry(instance, "input", "text"), sorted(o for o in options if isinstance(o, str))
    extra = instance.get("extra_data")
    of = (group_label(entry(extra, g)) for g in groups)
    return name, (content_key(repr(text).encode()), *of)
