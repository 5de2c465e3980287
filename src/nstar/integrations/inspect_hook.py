"""Hook of Inspect that compares a finished eval set with a baseline.

Inspect imports this module at every start, by the entry point ``inspect_ai``. It is therefore
outside the package ``inspect``, which loads NumPy.
"""

import os
import re
import shlex
from pathlib import Path

from inspect_ai.hooks import EvalSetEnd, Hooks, hooks

__all__ = ["BASELINE", "BaselineComparison"]

BASELINE = "NSTAR_BASELINE"
"""Environment variable with the logs of the baseline, as PATH or PATH::MODEL."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_LENGTH = 80
"""Largest number of characters of a model name in the name of a page."""


class BaselineComparison(Hooks):  # type: ignore[misc, unused-ignore]
    """Hook that compares each model of an eval set with a baseline, if one is set."""

    def enabled(self) -> bool:
        """Return whether the environment names a baseline."""
        return bool(os.environ.get(BASELINE))

    async def on_eval_set_end(self, data: EvalSetEnd) -> None:
        """Print the comparison, and write it as a page beside the logs. Never raise an error."""
        import click

        from nstar.cli.kit.output import printable
        from nstar.cli.kit.spelling import FlagSpeller
        from nstar.errors import NstarError, spelling

        try:
            with spelling(FlagSpeller()):
                _report(data.log_dir.removeprefix("file://"), os.environ[BASELINE])
        except Exception as error:
            text = str(error) if isinstance(error, NstarError) else repr(error)
            line = " ".join(printable(text).split())
            click.echo(f"nstar: no comparison with the baseline. {line}", err=True)


def _report(folder: str, baseline: str) -> None:
    import click

    from nstar import compare
    from nstar.cli.kit.output import printable
    from nstar.report import render

    pairs = _pairs(folder, baseline)
    for k, (model, new, old) in enumerate(pairs, start=1):
        result = compare(new, old)
        command = shlex.join(("nstar", "compare", new, old))
        click.echo(f"\n$ {printable(command)}\n{render(result)}")
        if not Path(folder).is_dir():
            continue  # a store such as s3://, to which nstar does not write
        part = "" if len(pairs) == 1 else f"-{k}-{_UNSAFE.sub('-', model)[:_MAX_NAME_LENGTH]}"
        page = Path(folder) / f"nstar{part}.html"
        result.save(page)
        click.echo(f"\nnstar: wrote {printable(str(page))}")


def _pairs(folder: str, baseline: str) -> list[tuple[str, str, str]]:
    """Return each model of a folder, its logs, and the logs of its baseline.

    If the baseline has several models, each model is compared with the one of the same name.
    """
    from nstar import read

    models = read(folder).models
    same_name = "::" not in baseline and len(read(baseline).models) > 1
    return [
        (
            model,
            folder if len(models) == 1 else f"{folder}::{model}",
            f"{baseline}::{model}" if same_name else baseline,
        )
        for model in models
    ]


hooks("baseline", f"compares an eval set with the logs in {BASELINE}")(BaselineComparison)
