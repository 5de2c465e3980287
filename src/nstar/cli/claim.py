"""``nstar claim`` and ``nstar claim scores``."""

import re
from pathlib import Path

import click

from nstar._api.claim import claim
from nstar._api.claim_scores import claim_scores
from nstar._base.visible import escaped
from nstar.cli.kit.front import ReportOutput, front
from nstar.cli.kit.params import Command

_NEGATIVE = re.compile(r"-\.?\d.*")


class _ClaimCommand(Command):
    """The command ``claim``, with a helpful error for ``claim table.csv``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise UsageError for a file in place of two scores."""
        words = tuple(args)  # click empties its list
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            file = next((word for word in words if Path(word).is_file()), None)
            if file is None:
                raise
            msg = (
                f"{escaped(file)} is a file, but claim takes two scores: nstar claim 71.4% 70.6% "
                "--items 1000. For a table with a row for each model and a column for each "
                "benchmark, use nstar claim table FILE --items N."
            )
            raise click.UsageError(msg, ctx) from error


claim_command = front(
    claim,
    examples=(
        "nstar claim 71.4% 70.6% --items 1000",
        "nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp",
        "nstar claim 71.4% 70.6% --items 1000 --p '<0.05'",
    ),
    output=ReportOutput,
    cls=_ClaimCommand,
)


class _SignedCommand(Command):
    """Command whose scores may be negative, such as log-likelihoods and rewards."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Mark negative numbers as values, because click reads ``-1.2`` as an option."""
        options = (p for p in self.params if isinstance(p, click.Option) and p.is_flag)
        flags = {flag for p in options for flag in p.opts}
        marked = []
        for before, value in zip(["", *args], args, strict=False):
            is_taken = before.startswith("--") and before not in flags and "=" not in before
            is_score = _NEGATIVE.fullmatch(value) is not None and not is_taken
            marked.append(f"−{value[1:]}" if is_score else value)
        return super().parse_args(ctx, marked)


claim_scores_command = front(
    claim_scores,
    examples=(
        "nstar claim scores 71.4 70.6 --pm 0.5,0.4 --seeds 5",
        "nstar claim scores 1285 1272 --pm 5 --pm-is ci",
    ),
    output=ReportOutput,
    cls=_SignedCommand,
)
