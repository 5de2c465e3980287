"""``--model``, ``--exclude``: which of the models in the logs are meant."""

from nstar.cli.kit.completion import complete_models
from nstar.cli.kit.params import Heading, group, option


@group
class ModelOptions:
    """Only some of the models that logs hold."""

    models: tuple[str, ...] = option(
        "--model",
        under=Heading.INPUT,
        multiple=True,
        metavar="GLOB",
        shell_complete=complete_models,
        help="Only these models: 'meta-*'.",
    )
    exclude: tuple[str, ...] = option(
        "--exclude",
        under=Heading.INPUT,
        multiple=True,
        metavar="MODEL",
        shell_complete=complete_models,
        help="All but these models: 'meta-*'.",
    )
