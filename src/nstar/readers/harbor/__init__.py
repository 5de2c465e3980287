"""Harbor, the harness of terminal-bench 2: a folder per job, in it a folder per trial."""

from nstar.readers.harbor._reader import READER

__all__ = ["READER"]
