"""Sentences of reports: one module or package per result."""
