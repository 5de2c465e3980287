"""``nstar judges``."""

from nstar._api.judges import judges
from nstar.cli.kit.front import OutputOptions, front

judges_command = front(
    judges,
    examples=(
        "nstar judges scores.csv --judge gpt --judge claude --label human",
        "nstar judges long.csv --rater judge --label human --cost-judge 0.01 --cost-label 1",
    ),
    output=OutputOptions,
)
