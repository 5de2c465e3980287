"""Scenarios, model client and run specs for `helm-run --plugins harness.helm.plugin`."""

# mypy: disable-error-code="import-not-found", allow-subclassing-any, allow-untyped-decorators
from typing import Any, ClassVar

from helm.benchmark.adaptation.common_adapter_specs import (
    get_generation_adapter_spec,
    get_multiple_choice_joint_adapter_spec,
)
from helm.benchmark.metrics.common_metric_specs import get_exact_match_metric_specs
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.clients.simple_client import SimpleClient

from harness.answers import LETTERS, find, pick, read


class Questions(Scenario):
    """The items of one subject; without choices only the right one is a reference."""

    name = "mini"
    description = "A few questions"
    tags: ClassVar[list[str]] = []

    def __init__(self, subject: str, choices: bool) -> None:
        super().__init__()
        self.subject = subject
        self.choices = choices

    def get_instances(self, output_path: str) -> list[Instance]:
        return [
            Instance(
                input=Input(text=item.question),
                references=[
                    Reference(Output(text=text), tags=[CORRECT_TAG] * (i == item.answer))
                    for i, text in enumerate(item.choices)
                    if self.choices or i == item.answer
                ],
                split=TEST_SPLIT,
            )
            for item in read(self.subject)
        ]


class Client(SimpleClient):
    """The model of `harness.answers` that has the name asked for."""

    def invoke_model(self, raw_request: dict[str, Any]) -> dict[str, Any]:
        prompt = raw_request["prompt"]
        item = find(prompt)
        picks = [
            pick(raw_request["engine"], item, i) for i in range(raw_request["num_completions"])
        ]
        # Asked to choose, it answers by letter.
        words = LETTERS if "\nA. " in prompt else item.choices
        return {"completions": [words[i] for i in picks]}


def spec(name: str, subject: str, adapter: Any, choices: bool) -> RunSpec:
    return RunSpec(
        name=f"{name}:subject={subject}",
        scenario_spec=ScenarioSpec(
            class_name="harness.helm.plugin.Questions",
            args={"subject": subject, "choices": choices},
        ),
        adapter_spec=adapter,
        metric_specs=get_exact_match_metric_specs(),
        groups=[name],
    )


ASK = {"instructions": "", "input_noun": "Question", "output_noun": "Answer"}


@run_spec_function("mini")
def mini(subject: str) -> RunSpec:
    adapter = get_multiple_choice_joint_adapter_spec(**ASK, max_train_instances=0)
    return spec("mini", subject, adapter, choices=True)


@run_spec_function("mini_generation")
def mini_generation(subject: str) -> RunSpec:
    adapter = get_generation_adapter_spec(
        **ASK, max_train_instances=0, num_outputs=3, temperature=0.7
    )
    return spec("mini_generation", subject, adapter, choices=False)
