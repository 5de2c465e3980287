"""``compare_known``: a new model on some items against models known on all of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from nstar._api.criteria import criteria
from nstar._api.inputs.data_kinds import Data, model_named, readable
from nstar._api.inputs.model_source import ModelSource, one_side
from nstar._api.inputs.reading import ReadSettings, names_in
from nstar._api.inputs.reference_logs import load_known
from nstar._api.reading_words import ReadingWords
from nstar._data.findings import refuse_fatal, refuse_stopped
from nstar._verbs.reference import Known, KnownQuestion
from nstar._verbs.reference import compare_known as compared
from nstar.errors import arg


def compare_known(
    data: Data,
    known: Data,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
    **reading: Unpack[ReadingWords],
) -> Known:
    """Is a new model better than one that is known on all items, of which it ran on some?

    Parameters
    ----------
    data
        A frame, a mapping of columns, records or paths with the new model's scores on some items,
        drawn at random.
    known
        The same of models that are known on all items. What they did on the others says what the
        sample happened to be; the more models, the better.
    a, b
        The new model, if ``data`` hold several, and the known one that it is compared with; the
        best by default.
    tasks, metric
        The task, if there are several, and this metric instead of the first.
    alpha, power, one_sided
        Level, wanted power, and whether only "the new model is better" is of interest.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Known
        The gap as a claim about such questions, as this benchmark's own score, and by pairing on
        the sampled items alone; what the known results saved, and the items that would settle it.

    Raises
    ------
    DataError
        The new model ran on fewer than 30 items, on all, or on others than the known ones.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(4)
    >>> hard = rng.random(800)
    >>> right = (rng.random((6, 800)) * 0.7 + 0.4 > hard).astype(int)
    >>> old = {"item": list(range(800)) * 5, "model": [m for m in "pqrst" for _ in range(800)]}
    >>> old["score"] = right[1:].ravel().tolist()
    >>> ran = sorted(rng.permutation(800)[:120].tolist())
    >>> new = {"item": ran, "model": ["new"] * 120, "score": right[0, ran].tolist()}
    >>> found = compare_known(new, old, b="q")
    >>> found.sampled, found.items, found.verdict, found.gain > 1
    (120, 800, 'inconclusive', True)
    """
    how = ReadSettings.of(reading, "compare_known")
    side = one_side(data) if isinstance(data, str) else ModelSource(data=readable(data))
    side = replace(
        side, model=model_named("a", a) or side.model, usual="new", choice=arg("a", "MODEL")
    )
    ask = criteria(alpha, power, one_sided=one_sided)
    ready = load_known(
        side, readable(known), model_named("b", b), how, tasks=names_in(tasks), metric=metric
    )
    refuse_fatal(ready.findings)
    refuse_stopped(ready.findings, names_in(reading.get("allow")))
    return compared(
        ready.matrix, ready.new, KnownQuestion(b=ready.b, criteria=ask), ready.findings
    )
