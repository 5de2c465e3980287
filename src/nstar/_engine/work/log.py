"""What happened on the way, told to whoever listens: jobs done again, nodes lost."""

import logging

LOGGER = "nstar.work"
"""Name of the logger that is told."""


def tell(text: str) -> None:
    """One line about what happened; no result depends on it."""
    logging.getLogger(LOGGER).warning(text)
