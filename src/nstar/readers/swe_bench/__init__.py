"""SWE-bench: run reports, reports per instance, and the files of SWE-bench/experiments."""

from nstar.readers.swe_bench._reader import READER

__all__ = ["READER"]
