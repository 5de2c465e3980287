"""Computation for all pairs of models, and the workers that run it."""
