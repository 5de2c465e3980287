"""Compare a new model that ran on some items with models that are known on all items."""

from nstar._verbs.reference.compare import KnownQuestion, compare_known
from nstar._verbs.reference.result import Known, ReferenceGap, ReferenceModel

__all__ = ["Known", "KnownQuestion", "ReferenceGap", "ReferenceModel", "compare_known"]
