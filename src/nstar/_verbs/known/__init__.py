"""A new model on some items against models that are known on all of them."""

from nstar._verbs.known.compare import compare_known
from nstar._verbs.known.question import KnownQuestion
from nstar._verbs.known.result import Known, ReferenceGap, ReferenceModel

__all__ = ["Known", "KnownQuestion", "ReferenceGap", "ReferenceModel", "compare_known"]
