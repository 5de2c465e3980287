"""How many pairs stay unresolved under each reading: the same gaps, other questions."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._engine.pairs import PairStats
from nstar._verbs.audit.family import Exact, Ruler, freedom, ruler, ruler_at
from nstar._verbs.audit.maxt import StepDown
from nstar._verbs.audit.tables import FamilyName, Stress
from nstar._verbs.audit.tiles import Tile
from nstar._verbs.verdict import Criteria

POLICIES = ("bonferroni", "holm", "maxt", "bh", "anytime")


def rulers(family: Any, rule: Criteria, step: StepDown | str) -> dict[str, Ruler]:
    """The ruler of every policy for one family; of max-T only if there is one.

    ``""`` is each pair alone.
    """
    alpha, m = rule.alpha, max(family.size, 1)
    found = {
        "": ruler(alpha, rule),
        "bonferroni": ruler(alpha / m, rule),
        "holm": ruler(family.holm(alpha), rule),
        "bh": ruler(family.bh(alpha), rule),
        "anytime": ruler_at(float(stats.anytime_critical(alpha)), rule),
    }
    return found if isinstance(step, str) else found | {"maxt": ruler_at(step.critical, rule)}


def middle(value: Any) -> float:
    """One number for a critical value that may differ from pair to pair."""
    return float(np.median(value))


def _row(reading: str, family: FamilyName, pairs: PairStats, r: Ruler, significant: Any) -> Stress:
    df, size = freedom(pairs), pairs.delta.size
    return Stress(
        reading=reading,
        family=family,
        pairs=size,
        critical=middle(r.critical(df)),
        needed=middle(r.reach(df)),
        unresolved=int(size - np.count_nonzero(significant & r.resolves(pairs))),
        insignificant=int(size - np.count_nonzero(significant)),
    )


def fixed(reading: str, family: FamilyName, pairs: PairStats, p: Array, rule: Criteria) -> Stress:
    """Fixed n, no allowance for the number of comparisons."""
    return _row(reading, family, pairs, ruler(rule.alpha, rule), p <= rule.alpha)


def absent(reading: str, family: FamilyName, pairs: int, why: str) -> Stress:
    """A reading that cannot be had."""
    return Stress(
        reading=reading,
        family=family,
        pairs=pairs,
        critical=None,
        needed=None,
        unresolved=None,
        insignificant=None,
        why_not=why,
    )


def policies(
    family: FamilyName,
    tile: Tile,
    rule: Criteria,
    step: StepDown | str,
) -> Iterator[Stress]:
    """Every policy on one family whose pairs are all at hand; ``step`` or why there is none."""
    own = rulers(Exact(np.sort(tile.p, axis=None)), rule, step)
    for reading in POLICIES:
        if reading in own:
            yield _row(reading, family, tile.pairs, own[reading], tile.p <= own[reading].p)
        else:
            yield absent(reading, family, tile.p.size, str(step))
