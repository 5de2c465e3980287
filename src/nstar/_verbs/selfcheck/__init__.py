"""Reference values, recomputed on the user's machine.

The wheel carries values obtained by other means (R, multiprecision arithmetic, enumeration);
:func:`selfcheck` computes each of them with the public kernel and reports every difference.
"""

from nstar._verbs.selfcheck.result import FamilyResult, Mismatch, Selfcheck
from nstar._verbs.selfcheck.run import FAMILIES, selfcheck

__all__ = ["FAMILIES", "FamilyResult", "Mismatch", "Selfcheck", "selfcheck"]
