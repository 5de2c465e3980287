"""Recompute reference values on the user's machine.

The wheel contains values that were computed by other means (R, multiprecision arithmetic,
enumeration). :func:`selfcheck` computes each value with the public kernel and reports every
difference.
"""

from nstar._verbs.selfcheck.run import FAMILIES, FamilyResult, Mismatch, Selfcheck, selfcheck

__all__ = ["FAMILIES", "FamilyResult", "Mismatch", "Selfcheck", "selfcheck"]
