"""lighteval: details_<task>_<time>.parquet, with results_<time>.json for names and means."""

from nstar.readers.lighteval._reader import READER

__all__ = ["READER"]
