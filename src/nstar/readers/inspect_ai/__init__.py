"""Inspect (inspect-ai of the UK AISI): ``.eval`` and ``.json`` logs, without inspect-ai."""

from nstar.readers.inspect_ai._reader import READER

__all__ = ["READER"]
