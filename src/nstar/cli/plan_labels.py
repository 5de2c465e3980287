"""``nstar plan labels``."""

from nstar._api.plan.labels import plan_labels
from nstar.cli.kit.front import front

plan_labels_command = front(
    plan_labels,
    examples=(
        "nstar plan labels --judge-r 0.65 --judged 10000 --delta 3pp --baseline 70%",
        "nstar plan labels --judge-r 0.65 --delta 3pp --baseline 70% --cost-label 1 "
        "--cost-judge 0.01",
        "nstar plan labels scores.csv --judge verdict --label human --delta 3pp",
    ),
)
