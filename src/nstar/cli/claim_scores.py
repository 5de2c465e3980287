"""``nstar claim scores``."""

import re

import click

from nstar._api.claim_scores import claim_scores
from nstar.cli.kit.front import ReportOutput, front
from nstar.cli.kit.params import Command

_NEGATIVE = re.compile(r"-\.?\d.*")


class _SignedCommand(Command):
    """Command whose scores may be negative, such as log-likelihoods and rewards."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Mark negative numbers as values, because click reads ``-1.2`` as an option."""
        options = (p for p in self.params if isinstance(p, click.Option) and p.is_flag)
        flags = {flag for p in options for flag in p.opts}
        return super().parse_args(ctx, _with_minus_signs(args, flags))


def _with_minus_signs(args: list[str], flags: set[str]) -> list[str]:
    """Replace the hyphen of each negative score, but not of option values, by a minus sign."""
    marked = []
    for before, value in zip(["", *args], args, strict=False):
        is_taken = before.startswith("--") and before not in flags and "=" not in before
        is_score = _NEGATIVE.fullmatch(value) is not None and not is_taken
        marked.append(f"−{value[1:]}" if is_score else value)
    return marked


claim_scores_command = front(
    claim_scores,
    examples=(
        "nstar claim scores 71.4 70.6 --pm 0.5,0.4 --seeds 5",
        "nstar claim scores 1285 1272 --pm 5 --pm-is ci",
    ),
    output=ReportOutput,
    cls=_SignedCommand,
)
