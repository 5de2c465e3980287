"""Scores out, in formats of others: one module per format, the counterpart of ``readers``."""

__all__: list[str] = []
