"""Scores out, in formats of others: one module per format, the counterpart of ``readers``."""
