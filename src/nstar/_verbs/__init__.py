"""Analyses: one package for each question that nstar answers."""
