"""``python -m validation``: check the error rates, coverage, and power that nstar states."""

import argparse
import sys
from collections.abc import Sequence

from nstar._data.align import matrices
from nstar._data.matrix import ScoreMatrix
from nstar._engine.work import Execution
from nstar.errors import NstarError
from nstar.readers import read
from validation import CLAIMS, validate
from validation.report import render


def _largest_task(path: str) -> ScoreMatrix:
    """Return the task with the most scores."""
    return max(matrices(read(path)), key=lambda matrix: matrix.shape[0] * matrix.shape[1])


def _show_progress(n_done: int, total: int) -> None:
    """Rewrite the line that shows how many jobs are done."""
    sys.stderr.write(f"\r{n_done:,} of {total:,} jobs" + "\n" * (n_done == total))
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    add = parser.add_argument
    add("--thorough", action="store_true", help="check every cell; takes about half an hour")
    add("--claim", default="", metavar="NAME,…", help="check only these claims; see --list")
    add("--data", metavar="PATH", help="real scores, to check power in samples of their items")
    add("--seed", type=int, default=0, help="seed of the random numbers")
    add("--workers", type=int, default=0, help="threads; the numbers do not depend on them")
    add("--format", choices=("text", "markdown", "json"), default="text", help="output format")
    add("--list", action="store_true", help="list the claims")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program. Return the exit status."""
    options = _parser().parse_args(arguments)
    if options.list:
        sys.stdout.writelines(f"{name}: {claim.says}\n" for name, claim in CLAIMS.items())
        return 0
    try:
        result = validate(
            thorough=options.thorough,
            claims=[name.strip() for name in options.claim.split(",") if name.strip()],
            data=None if options.data is None else _largest_task(options.data),
            seed=options.seed,
            execution=Execution(
                workers=options.workers,
                progress=_show_progress if sys.stderr.isatty() else None,
            ),
        )
    except NstarError as error:
        sys.stderr.write(f"validation: {error}\n")
        return 3
    sys.stdout.write(render(result, options.format))
    return 0


if __name__ == "__main__":
    sys.exit(main())
