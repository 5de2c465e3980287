"""Convert votes to the rows of a fit: rated models, and covariates of each vote."""

from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.findings import Finding, find
from nstar._data.votes import VoteGrouping, Votes
from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.result import UnratedModel, UnratedWhy
from nstar.errors import DataError, arg
from nstar.stats._votes import VoteRows
from nstar.stats.bradley_terry import bradley_terry_sums, prior_limit

_KNOWN = 1e-9
"""Share of its information that an effect must keep next to the strengths to be estimated."""
_ONE_GROUP: UnratedWhy = "one group"
MOST_OF_ONE_GROUP = 0.6
"""Largest share of a model's votes that one group may have."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteDesign:
    """Votes between rated models, as rows of a fit."""

    votes: Votes
    """Votes whose models are all rated."""
    rows: VoteRows
    """One row for each vote, with its covariates."""
    cells: VoteRows
    """Rows with identical votes combined, if possible."""
    effects: tuple[str, ...]
    """Names of the covariates: controls, then ``position``."""
    units: Array
    """Standard deviation that each covariate was divided by; 1 for the position."""
    prior: float
    """Weight of the tie that is added to each pair that met."""
    unrated: tuple[UnratedModel, ...]
    """Models without a finite rating."""
    findings: tuple[Finding, ...]
    """Findings about votes that were left out."""

    def plain(self) -> "VoteDesign":
        """Return the same votes without controls."""
        columns = [k for k, name in enumerate(self.effects) if name == "position"]
        rows = replace(self.rows, covariates=self.rows.covariates[:, columns])
        cells = _cells(self.votes)
        cells = replace(cells, covariates=np.ones((len(cells), len(columns))))
        names = tuple(self.effects[k] for k in columns)
        return replace(self, rows=rows, cells=cells, effects=names, units=self.units[columns])


def group_codes(group: VoteGrouping) -> IntArray:
    """Return the group of each vote; a vote with an unknown group is its own group."""
    codes = group.codes.astype(np.int64)
    lost = codes < 0
    codes[lost] = group.count + np.arange(np.count_nonzero(lost))
    return codes


def design_of(votes: Votes, question: BattlesQuestion) -> VoteDesign:
    """Build the design of a question.

    Raise DataError if there are no informative votes, fewer than two models can be rated, or a
    control is missing.
    """
    findings = list(votes.findings)
    votes = _decisive(votes, question)
    z, units, votes, lost = _controls(votes, question.control)
    findings += lost
    inside, unrated = _rated_votes(votes, question)
    if not inside.all():
        votes, z = votes.select(inside), z[inside]
    cells = _cells(votes)
    prior, reduced = _prior(cells, question.prior)
    findings += reduced
    names = question.control
    if votes.ordered if question.position is None else question.position:
        z, names, units = _with_position(z), (*names, "position"), np.append(units, 1.0)
    rows = _rows(votes, z)
    cells = (
        rows if question.control else replace(cells, covariates=np.ones((len(cells), len(names))))
    )
    known = _estimable(cells)
    if names and names[-1] == "position" and not known[-1]:
        text = "every pair was shown in one order only, or as good as: no position is estimated"
        findings.append(find("one-order", text))
        names, units, known = names[:-1], units[:-1], known[:-1]
        rows, cells = (replace(r, covariates=r.covariates[:, :-1]) for r in (rows, cells))
    if not known.all():
        name = names[int(np.argmin(known))]
        msg = (
            f"{arg('control', name)} is determined by the pairing of models, so it has no "
            "effect. Remove it."
        )
        raise DataError(msg)
    return VoteDesign(
        votes=votes,
        rows=rows,
        cells=cells,
        effects=names,
        units=units,
        prior=prior,
        unrated=unrated,
        findings=tuple(findings),
    )


def _with_position(z: Array) -> Array:
    """Append the column that the first answer was shown first to the covariates."""
    return np.column_stack([z, np.ones(len(z))])


def _rows(votes: Votes, z: Array | None = None) -> VoteRows:
    return VoteRows.of(
        votes.first,
        votes.second,
        votes.score,
        models=len(votes.models),
        weight=votes.weight,
        covariates=z,
    )


def _cells(votes: Votes) -> VoteRows:
    """Combine identical votes, without covariates."""
    return stats.vote_cells(_rows(votes))


def _decisive(votes: Votes, question: BattlesQuestion) -> Votes:
    tied = votes.score == 0.5
    if tied.all():
        msg = f"All {len(votes):,} votes are ties, so models cannot be rated."
        raise DataError(msg)
    if question.ties == "davidson":
        graded = ~np.isin(votes.score, (0.0, 0.5, 1.0))
        if graded.any() or not tied.any():
            reason = "graded preferences" if graded.any() else "no ties"
            msg = (
                f"{arg('ties', 'davidson')} needs both wins and ties, but the votes have "
                f"{reason}. Use {arg('ties', 'half')}."
            )
            raise DataError(msg)
    return votes.select(votes.score != 0.5) if question.ties == "drop" and tied.any() else votes


def _controls(
    votes: Votes, names: tuple[str, ...]
) -> tuple[Array, Array, Votes, tuple[Finding, ...]]:
    """Return standardized covariates, their standard deviations, and the votes that have them."""
    missing = [name for name in names if name not in votes.covariates]
    if missing:
        available = ", ".join(votes.covariates) or "none"
        msg = f"No values of {missing[0]!r:.60} for {arg('control')}. Available: {available}."
        raise DataError(msg)
    columns = [_difference(name, votes.covariates[name]) for name in names]
    z = np.stack(columns, axis=1) if columns else np.zeros((len(votes), 0))
    known = np.asarray(np.isfinite(z).all(axis=1))
    findings: tuple[Finding, ...] = ()
    if not known.all():
        lost = int(np.count_nonzero(~known))
        if lost == len(votes):
            msg = f"No vote has all values of {arg('control')}."
            raise DataError(msg)
        text = f"{lost:,} of {len(votes):,} votes lack {' or '.join(names)} and are left out"
        findings = (find("votes-without-control", text),)
        votes, z = votes.select(known), z[known]
    units = z.std(axis=0) if z.size else np.ones(z.shape[1])
    flat = [name for name, unit in zip(names, units, strict=True) if not unit > 0]
    if flat:
        msg = f"{arg('control', flat[0])} has the same value in every vote. Remove it."
        raise DataError(msg)
    return z / units, units, votes, findings


def _difference(name: str, values: Array) -> Array:
    """Return first less second.

    Lengths as a share of both, so that long answers do not dominate.
    """
    gap = values[:, 0] - values[:, 1]
    if name != "length":
        return np.asarray(gap)
    total = values.sum(axis=1)
    return np.divide(gap, total, out=np.zeros(len(gap)), where=total != 0)


def _estimable(rows: VoteRows) -> BoolArray:
    """Return which covariates add information to the pairing of models."""
    m, q = rows.models, rows.covariates.shape[1]
    if not q:
        return np.zeros(0, np.bool_)
    h = bradley_terry_sums(rows, np.zeros(m + q)).information
    bread = stats.information_inverse(h[:m, :m], models=m)
    information = np.diagonal(h)[m:]
    left = information - np.einsum("ik,ij,jk->k", h[:m, m:], bread, h[:m, m:], optimize=True)
    return np.asarray(left > _KNOWN * information)


def _prior(cells: VoteRows, weight: float) -> tuple[float, list[Finding]]:
    """Return the weight of the prior's ties, and a finding if it was reduced."""
    if not weight:
        return 0.0, []
    max_weight = prior_limit(cells)
    if weight <= max_weight:
        return weight, []
    text = (
        f"the prior's weight of {weight:g} was reduced to {max_weight:.2g}: a larger weight "
        "would bias "
        "ratings by more than their intervals allow for"
    )
    return max_weight, [find("prior-reduced", text)]


def _rated_votes(
    votes: Votes, question: BattlesQuestion
) -> tuple[BoolArray, tuple[UnratedModel, ...]]:
    """Return the votes between models that can be rated, and why other models cannot."""
    all_reasons: dict[str, UnratedWhy] = {}
    inside, now = np.ones(len(votes), np.bool_), votes
    while True:
        rated, reasons = _connected(now, question)
        all_reasons |= reasons
        led = rated & _led_by_one_group(now, question.cluster, rated)
        all_reasons |= {now.models[k]: _ONE_GROUP for k in np.flatnonzero(led)}
        rated &= ~led
        keep_mask = rated[now.first] & rated[now.second]
        inside[inside] = keep_mask
        if not keep_mask.any():
            share = f"{MOST_OF_ONE_GROUP:.0%}"
            msg = (
                f"No two models can be rated, because one group of {arg('cluster')} has more than "
                f"{share} of the votes on each model."
            )
            raise DataError(msg)
        now = now.select(keep_mask)
        if not led.any():
            return inside, unrated_models(votes, now.models, all_reasons)


def unrated_models(
    votes: Votes, rated: tuple[str, ...], reasons: dict[str, UnratedWhy]
) -> tuple[UnratedModel, ...]:
    """Return the models without a rating, sorted by name."""
    on = np.bincount(votes.first, minlength=len(votes.models))
    on = on + np.bincount(votes.second, minlength=len(votes.models))
    have = set(rated)
    return tuple(
        UnratedModel(model=name, n_votes=int(n), reason=reasons.get(name, "never met"))
        for name, n in zip(votes.models, on.tolist(), strict=True)
        if name not in have
    )


def _led_by_one_group(votes: Votes, names: tuple[str, ...], rated: BoolArray) -> BoolArray:
    """Return models with most votes, by weight and among rated models, from one declared group."""
    led = np.zeros(len(votes.models), np.bool_)
    inside = rated[votes.first] & rated[votes.second]
    ends = np.concatenate([votes.first[inside], votes.second[inside]]).astype(np.int64)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    weight = np.tile(weight[inside], 2)
    total = np.bincount(ends, weights=weight, minlength=led.size)
    for name in names:
        if name not in votes.groups:
            continue
        codes = np.tile(group_codes(votes.groups[name])[inside], 2)
        keys, at = np.unique(codes * led.size + ends, return_inverse=True)
        share = np.bincount(at, weights=weight) / total[keys % led.size]
        led[keys[share > MOST_OF_ONE_GROUP] % led.size] = True
    return led


def _connected(votes: Votes, question: BattlesQuestion) -> tuple[BoolArray, dict[str, UnratedWhy]]:
    """Return the models of the largest connected part, and why others are not in it."""
    cells = _cells(votes)
    tied = np.full(len(cells), 0.5)
    label, above = stats.strong_components(replace(cells, score=tied) if question.prior else cells)
    sizes = np.bincount(label)
    main = int(sizes.argmax())
    if sizes[main] < 2:
        msg = (
            "No two models both win and lose against each other, even indirectly. Add votes or "
            f"set {arg('prior', '1')}."
        )
        raise DataError(msg)
    higher, lower = _reaching(above.T, main), _reaching(above, main)
    out = np.flatnonzero(label != main)
    return label == main, {votes.models[k]: _why(label[k], higher, lower) for k in out}


def _reaching(edges: BoolArray, start: int) -> BoolArray:
    """Return the components that can be reached from one."""
    is_reached = np.zeros(len(edges), np.bool_)
    new = edges[start]
    while (new & ~is_reached).any():
        is_reached |= new
        new = edges[is_reached].any(axis=0)
    return is_reached


def _why(component: IntArray, higher: BoolArray, lower: BoolArray) -> UnratedWhy:
    if higher[component]:
        return "won all"
    return "lost all" if lower[component] else "never met"
