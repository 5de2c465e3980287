"""HELM: a folder per run, with per_instance_stats.json and run_spec.json."""

from nstar.readers.helm._reader import READER

__all__ = ["READER"]
