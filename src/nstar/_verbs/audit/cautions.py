"""What an audit says beside its verdicts: what flips, what a shortcut would say, cautions."""

import warnings
from collections.abc import Iterator

import numpy as np

from nstar import stats
from nstar._engine.pairs import ItemDesign
from nstar._verbs.audit.selection import Field
from nstar._verbs.audit.tables import Flip, Pairs, Shortcut
from nstar._verbs.verdict import Criteria
from nstar.errors import DegenerateDataWarning


def shortcut(pairs: Pairs, rule: Criteria) -> Shortcut:
    """What (1 - rho) K² / h² with one arm's variance would have made of these pairs."""
    none = Shortcut(flips=0, pairs=0, ratio=None)
    if pairs.n10 is None:
        return none
    usable = (pairs.delta != 0) & np.isfinite(pairs.rho) & (np.abs(pairs.rho) < 1)
    if not usable.any():
        return none
    n = stats.shortcut_n(
        pairs.mean_a[usable],
        pairs.mean_b[usable],
        pairs.rho[usable],
        alpha=rule.alpha,
        power=rule.power,
    )
    truth = pairs.n_star[usable]
    items = pairs.n[usable]
    return Shortcut(
        flips=int(((items >= n) & (items < truth)).sum()),
        pairs=int(usable.sum()),
        ratio=float(np.median(n / truth)),
    )


def flips(pairs: Pairs, field: Field) -> Iterator[Flip]:
    """Neighbours whose order is the other way on the items both have."""
    if field.complete:
        return
    for k in np.flatnonzero(field.better * pairs.delta < 0).tolist():
        yield Flip(
            a=pairs.a[k],
            b=pairs.b[k],
            own_a=float(field.means[k]),
            own_b=float(field.means[k + 1]),
            n=int(pairs.n[k]),
            delta=float(pairs.delta[k]),
        )


def caution(design: ItemDesign) -> str | None:
    """What the kernel warns of when clusters are few or one of them is large."""
    if design.kind != "cluster":
        return None
    sizes = design.layout.sizes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDataWarning)
        stats.cluster_pvalue(np.zeros(len(sizes)), sizes)
    return str(caught[0].message) if caught else None
