"""``nstar claim table``."""

from nstar._api.claim_table import claim_table
from nstar.cli.kit.front import ReportOutput, front

claim_table_command = front(
    claim_table,
    examples=(
        "nstar claim table table.csv --items items.csv",
        "nstar claim table table.csv --items 1000 --format latex",
    ),
    output=ReportOutput,
)
