"""Corrected errors of strengths if votes, or groups of votes, are few or unequal.

Strengths are fitted to the votes, so a residual is smaller than its error. The difference is small
on a large board, and large if one vote or one group determines a strength. Residuals are divided
by the share that the fit leaves: of single votes by 1 - h (HC3), of groups by (1 - I_g H⁺)^½
(CR2). A group as a whole has one residual, however many votes it has, so the number of groups, and
how unequal they are, determines the degrees of freedom.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray
from nstar.stats._vote_scores import (
    ROW_CELLS,
    GroupOrder,
    VoteScores,
    bilinear,
    checked_codes,
    group_products,
    products,
    scores_of,
    spread_of,
)
from nstar.stats._votes import VoteRows, predictor
from nstar.stats.bradley_terry import VoteFit, bradley_terry_sums, information_inverse
from nstar.stats.davidson import davidson_probabilities, davidson_sums

_LEAST_FREE = 1e-4
"""Smallest 1 - h that a residual is divided by: at h = 1 the residual is 0, or rounding error."""
_TERMS = 200
_TOLERANCE = 1e-8
"""Size of the last term of a series, relative to the first."""
_DENSE = 8
"""Number of models over the smallest group, in votes, that is stored as a row of all parameters.
"""
_LARGEST_SHARE = 0.999
"""Largest share of the information about a strength that a group is assumed to hold."""


def _gap_covariates(rows: VoteRows, fit: VoteFit) -> Array:
    """Coefficient of each shared parameter in a gap: the covariates, and 0 of log ν, (N, k)."""
    if fit.log_tie is None:
        return rows.covariates
    return np.column_stack([rows.covariates, np.zeros(len(rows))])


def leverage_meat(rows: VoteRows, fit: VoteFit, *, hc: Literal[2, 3] = 3) -> Array:
    """Return B = Σ s sᵀ over votes, with residuals divided by the share that the fit leaves.

    A vote of weight w has the leverage h = w v xᵀ H⁺ x with the variance v of its score. Squared
    residuals are divided by (1 - h)² in HC3, which is conservative for few and unequal votes, and
    by 1 - h in HC2, which is unbiased where the model holds.

    MacKinnon and White (1985), Journal of Econometrics 29.
    """
    checks.require(hc in {2, 3}, "hc", "2 or 3", hc)
    bread = information_inverse(fit.information, models=rows.models)
    row = (np.ones(len(rows)), _gap_covariates(rows, fit))
    form = bilinear(bread, (rows.first, rows.second), row, row)
    one = rows.squares / rows.weight  # weight of each vote in the row
    left = 1 - one * spread_of(rows, fit).residual / rows.weight * form
    factor = np.maximum(left, _LEAST_FREE) ** (-(hc - 1) / 2)
    e, u = scores_of(rows, fit)
    return products(rows, VoteScores(e * factor, u * factor[:, None]), rows.squares)


def pseudo_vote_meat(rows: VoteRows, fit: VoteFit, *, pseudo_votes: float = 0.5) -> Array:
    """Return the addition to B for pseudo-votes of each model, each with variance ¼.

    A new model whose few votes are ties leaves no residuals and would have no error. The votes of
    a model share its pseudo-votes: a vote between i and j gains w² pseudo (1 / n_i + 1 / n_j) / 4,
    where n counts votes and not their weights.

    Agresti and Coull (1998), The American Statistician 52.
    """
    checks.nonnegative("pseudo_votes", pseudo_votes)
    count = np.square(rows.weight) / rows.squares
    votes = np.bincount(rows.first, weights=count, minlength=rows.models)
    votes += np.bincount(rows.second, weights=count, minlength=rows.models)
    root = np.sqrt(pseudo_votes / 4 * (1 / votes[rows.first] + 1 / votes[rows.second]))
    scores = VoteScores(root, _gap_covariates(rows, fit) * root[:, None])
    return products(rows, scores, rows.squares)


class _Curvature(NamedTuple):
    """Second derivatives of each vote, multiplied by its weight and -1, (N,)."""

    gap: Array
    """Second derivative with respect to the gap."""
    both: Array
    """Mixed derivative with respect to the gap and log ν."""
    tie: Array
    """Second derivative with respect to log ν."""

    @classmethod
    def of(cls, rows: VoteRows, fit: VoteFit) -> "_Curvature":
        v, moved = spread_of(rows, fit)
        if fit.log_tie is None:
            none = np.zeros(v.size)
            return cls(v, none, none)
        _, tie, _ = davidson_probabilities(predictor(rows, fit.theta), fit.log_tie)
        return cls(v, moved[:, -1], rows.weight * tie * (1 - tie))

    def at(self, indices: IntArray) -> "_Curvature":
        """Return the derivatives of some votes."""
        return _Curvature(*(x[indices] for x in self))

    def moved(self, gap: Array, tie: Array) -> tuple[Array, Array]:
        """Return the change of the derivatives by the gap and by log ν with both."""
        return self.gap * gap + self.both * tie, self.both * gap + self.tie * tie


def adjusted_cluster_meat(
    rows: VoteRows, fit: VoteFit, cluster: FloatLike, *, cr: Literal[2, 3] = 2
) -> Array:
    """Return B = Σ_g s_g s_gᵀ over groups of votes, each divided by the share that the fit leaves.

    CR2 has (1 - I_g H⁺)^-½ s_g in place of s_g with the information I_g of the group's votes,
    which is unbiased if votes of a group are in fact independent; CR3 has (1 - I_g H⁺)⁻¹ s_g. Both
    are sums of a series in I_g H⁺.

    A term of the series costs the votes of a group squared for small groups, and P² for large
    ones. Nearly all groups of a large board need a few terms. Sums over parts add if no group is
    split.

    Bell and McCaffrey (2002), Survey Methodology 28. Pustejovsky and Tipton (2018), Journal of
    Business and Economic Statistics 36.
    """
    checks.require(cr in {2, 3}, "cr", "2 or 3", cr)
    order, begins, size = GroupOrder.of(checked_codes(rows, cluster))
    rows = rows.part(order)
    gap, tie = _adjusted(rows, fit, begins, size, (cr - 1) / 2)
    shared = rows.covariates * gap[:, None]
    if fit.log_tie is not None:
        shared = np.column_stack([shared, tie])
    groups = GroupOrder(np.arange(len(rows)), begins, size)
    return group_products(rows, VoteScores(gap, shared), groups)


def _adjusted(
    rows: VoteRows, fit: VoteFit, begins: IntArray, size: IntArray, power: float
) -> tuple[Array, Array]:
    """Return adjusted residuals of votes in the order of their groups, by the gap and by log ν."""
    bread = information_inverse(fit.information, models=rows.models)
    e, u = scores_of(rows, fit)
    gap = rows.weight * e
    tie = np.zeros(gap.size) if fit.log_tie is None else rows.weight * u[:, -1]
    curvature = _Curvature.of(rows, fit)
    large = size > rows.models // _DENSE
    for at, code in _row_chunks(begins[large], size[large], len(bread)):
        form: _Form = _RowForm(rows.part(at), curvature.at(at), bread, code)
        gap[at], tie[at] = _series(form, gap[at], tie[at], power)
    for at in _vote_chunks(begins[~large], size[~large]):
        form = _VoteForm.of(rows, curvature, bread, at)
        gap[at], tie[at] = _series(form, gap[at], tie[at], power)
    return gap, tie


def _row_chunks(
    begins: IntArray, size: IntArray, width: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield votes of some groups, and the group of each from 0."""
    groups_per_chunk = max(1, ROW_CELLS // width)
    for k in range(0, begins.size, groups_per_chunk):
        begin, count = begins[k : k + groups_per_chunk], size[k : k + groups_per_chunk]
        at = np.repeat(begin - np.cumsum(count) + count, count) + np.arange(count.sum())
        yield at, np.repeat(np.arange(begin.size), count)


def _vote_chunks(begins: IntArray, size: IntArray) -> Iterator[IntArray]:
    """Yield votes of some groups of one size, (groups, size)."""
    for k in np.unique(size).tolist():
        group_begins = begins[size == k]
        groups_per_chunk = max(1, ROW_CELLS // (k * k))
        for start in range(0, group_begins.size, groups_per_chunk):
            yield group_begins[start : start + groups_per_chunk, None] + np.arange(k)


@dataclass(frozen=True, slots=True, eq=False)
class _RowForm:
    """H⁺ s_g for large groups, each a row of all parameters."""

    rows: VoteRows
    curvature: _Curvature
    bread: Array
    code: IntArray
    """Group of each vote, from 0, in non-decreasing order."""

    def steps(self, gap: Array, tie: Array) -> tuple[Array, Array, Array]:
        """Change of each vote's gap and of log ν with its group's sum, and sᵀ H⁺ s by group."""
        rows, code, m, q = self.rows, self.code, self.rows.models, self.rows.covariates.shape[1]
        groups = int(code[-1]) + 1
        sums, cells = np.zeros((groups, len(self.bread))), groups * m
        model_sums = np.bincount(code * m + rows.first, weights=gap, minlength=cells)
        model_sums -= np.bincount(code * m + rows.second, weights=gap, minlength=cells)
        sums[:, :m] = model_sums.reshape(groups, m)
        for k in range(q):
            sums[:, m + k] = np.bincount(code, weights=gap * rows.covariates[:, k])
        if len(self.bread) > m + q:
            sums[:, -1] = np.bincount(code, weights=tie)
        turn = sums @ self.bread
        step = turn[code, rows.first] - turn[code, rows.second]
        if q:
            step += np.sum(turn[code, m : m + q] * rows.covariates, axis=1)
        by_tie = turn[code, -1] if len(self.bread) > m + q else np.zeros(step.size)
        return step, by_tie, np.sum(sums * turn, axis=1)

    def select(self, keep_mask: BoolArray) -> "tuple[_RowForm, BoolArray]":
        """Return some of the groups, and a mask of their votes."""
        votes = keep_mask[self.code]
        code = (np.cumsum(keep_mask) - 1)[self.code[votes]]
        indices = np.flatnonzero(votes)
        return _RowForm(
            self.rows.part(indices), self.curvature.at(indices), self.bread, code
        ), votes


@dataclass(frozen=True, slots=True, eq=False)
class _VoteForm:
    """H⁺ s_g for small groups of one size, by the products Jᵀ H⁺ J of their votes."""

    products: Array
    """Products of the gaps of any two votes, (groups, size, size)."""
    tie: Array
    """Products of the gap of a vote and log ν, (groups, size)."""
    ties: float
    """Product of log ν with itself."""
    curvature: _Curvature

    @classmethod
    def of(cls, rows: VoteRows, curvature: _Curvature, bread: Array, at: IntArray) -> "_VoteForm":
        """Build from the votes of some groups, (groups, size)."""
        m, q = rows.models, rows.covariates.shape[1]
        a, b, z = rows.first[at], rows.second[at], rows.covariates[at]
        width, flat = len(bread), bread.ravel()

        def between(left: IntArray, right: IntArray) -> Array:
            return flat.take(left[:, :, None] * width + right[:, None, :])

        products = between(a, a) - between(a, b)
        products -= between(b, a)
        products += between(b, b)
        tie, ties = np.zeros(at.shape), 0.0
        if width > m:
            side = bread[a, m:] - bread[b, m:]
            shared_terms = side + z @ bread[m : m + q, m:]
            products += side[..., :q] @ z.swapaxes(1, 2)
            products += z @ shared_terms[..., :q].swapaxes(1, 2)
            if width > m + q:
                tie, ties = shared_terms[..., -1], float(bread[-1, -1])
        return cls(products, tie, ties, curvature.at(at))

    def steps(self, gap: Array, tie: Array) -> tuple[Array, Array, Array]:
        """Return the values of :meth:`_RowForm.steps` by vote, (groups, size)."""
        total = tie.sum(axis=1, keepdims=True)
        step = (self.products @ gap[..., None])[..., 0] + self.tie * total
        by_tie = np.sum(self.tie * gap, axis=1, keepdims=True) + self.ties * total
        form = np.sum(gap * step, axis=1) + (total * by_tie)[:, 0]
        return step, np.broadcast_to(by_tie, step.shape), form

    def select(self, keep_mask: BoolArray) -> "tuple[_VoteForm, BoolArray]":
        """Return some of the groups, and their indices."""
        indices = np.flatnonzero(keep_mask)
        products, tie = self.products[indices], self.tie[indices]
        return _VoteForm(products, tie, self.ties, self.curvature.at(indices)), keep_mask


_Form = _RowForm | _VoteForm


def _series(form: _Form, gap: Array, tie: Array, power: float) -> tuple[Array, Array]:
    """Return residuals times (1 - I_g H⁺)^-power, group by group."""
    out = gap.copy(), tie.copy()
    live: IntArray | None = None  # votes or groups whose series still counts
    first: Array | None = None
    for j in range(1, _TERMS + 1):
        step, by_tie, size = form.steps(gap, tie)
        first = size if first is None else first
        keep_mask = size > _TOLERANCE**2 * first
        if not keep_mask.any():
            break
        if 2 * np.count_nonzero(keep_mask) < keep_mask.size:
            form, mine = form.select(keep_mask)
            live = np.flatnonzero(mine) if live is None else live[mine]
            step, by_tie, first = step[mine], by_tie[mine], first[keep_mask]
        gap, tie = (x * ((power + j - 1) / j) for x in form.curvature.moved(step, by_tie))
        for total, term in zip(out, (gap, tie), strict=True):
            total[slice(None) if live is None else live] += term
    return out


def cluster_df(
    rows: VoteRows,
    fit: VoteFit,
    cluster: FloatLike,
    contrasts: FloatLike,
    *,
    cr: Literal[2, 3] = 2,
) -> Array:
    """Return degrees of freedom of contrasts whose error comes from groups of votes.

    ν = (tr Ω)² / ‖Ω‖² with the covariance Ω of what groups contribute to a contrast, if votes were
    independent: G - 1 for groups that are alike, little more than 1 if one of them has nearly all
    of the information.

    Costs P³ for each group; see :func:`cluster_share_df` for many of them.

    Bell and McCaffrey (2002), Survey Methodology 28. Imbens and Kolesár (2016), Review of
    Economics and Statistics 98.
    """
    checks.require(cr in {2, 3}, "cr", "2 or 3", cr)
    order, begins, size = GroupOrder.of(checked_codes(rows, cluster))
    c = np.asarray(contrasts, dtype=np.float64)
    bread = information_inverse(fit.information, models=rows.models)
    checks.require(c.ndim == 2, "number of axes of contrasts", "2", c.ndim)
    checks.require(len(c) == len(bread), "rows of contrasts", f"{len(bread)} parameters", len(c))
    values, vectors = np.linalg.eigh(bread)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    turned = root.T @ c
    rows = rows.part(order)
    sums = bradley_terry_sums if fit.log_tie is None else davidson_sums
    own_terms, parts = [], []  # Ω of a group with itself; what it shares with others, (G, K, P)
    for begin, count in zip(begins.tolist(), size.tolist(), strict=True):
        part = rows.part(slice(begin, begin + count))
        share, axes = np.linalg.eigh(root.T @ sums(part, fit.theta).information @ root)
        left = 1 - share
        factor = np.where(left > _LEAST_FREE, np.maximum(left, _LEAST_FREE), np.inf)
        factor **= -(cr - 1) / 2
        y = axes.T @ turned
        own_terms.append(np.sum((factor**2 * share * left)[:, None] * y * y, axis=0))
        parts.append((axes @ ((factor * share)[:, None] * y)).T)
    omega, k = np.array(own_terms), np.array(parts).swapaxes(0, 1)  # (G, K), (K, G, P)
    inner = k @ k.swapaxes(1, 2) if k.shape[1] <= k.shape[2] else k.swapaxes(1, 2) @ k
    same_group = np.sum(np.square(np.sum(k * k, axis=2)), axis=1)
    across = np.sum(inner * inner, axis=(1, 2)) - same_group
    return np.asarray(np.square(omega.sum(axis=0)) / (np.sum(omega * omega, axis=0) + across))


def cluster_share_df(rows: VoteRows, fit: VoteFit, cluster: FloatLike) -> Array:
    """Return degrees of freedom of every parameter, from each group's information about it alone.

    As :func:`cluster_df` of the parameters, with two approximations that save P³ for each group.
    Of votes on other models, groups are assumed to have equal shares. The overlap of two groups is
    assumed to be the product of their shares. Both hold if groups have the same mix of pairs.

    Bell and McCaffrey (2002), Survey Methodology 28.
    """
    code = np.unique(checked_codes(rows, cluster), return_inverse=True)[1]
    m, groups = rows.models, int(code.max()) + 1
    bread = information_inverse(fit.information, models=m)
    spread = spread_of(rows, fit).residual
    share = np.bincount(code, weights=spread, minlength=groups) / spread.sum()
    z = _gap_covariates(rows, fit)

    def known(by: IntArray | int) -> Array:
        """Return the information of each vote about one parameter."""
        step = bread[rows.first, by] - bread[rows.second, by]
        return np.asarray(spread * np.square(step + np.sum(z * bread[m:, by].T, axis=1)))

    variances = np.diagonal(bread)
    place = np.concatenate([code * m + rows.first, code * m + rows.second])
    cell_codes, at = np.unique(place, return_inverse=True)
    cell_information = np.bincount(
        at, weights=np.concatenate([known(rows.first), known(rows.second)])
    )
    group, model = np.divmod(cell_codes, m)
    rest = np.maximum(
        variances[:m] - np.bincount(model, weights=cell_information, minlength=m), 0.0
    )
    q = (cell_information + rest[model] * share[group]) / variances[model]
    others = np.square(rest / variances[:m])
    others *= np.sum(share * share) - np.bincount(model, share[group] ** 2, minlength=m)
    strengths = _share_df(q, model, m, np.maximum(others, 0.0))
    if len(bread) == m:
        return strengths
    shared = [np.bincount(code, weights=known(k), minlength=groups) for k in range(m, len(bread))]
    q = np.concatenate([x / max(float(x.sum()), 1e-300) for x in shared])
    parameters = np.repeat(np.arange(len(shared)), groups)
    return np.concatenate(
        [strengths, _share_df(q, parameters, len(shared), np.zeros(len(shared)))]
    )


def _share_df(q: Array, parameters: IntArray, count: int, others: Array) -> Array:
    """Return 1 / ‖Ω‖² of groups with the shares q, each of one parameter.

    ``others`` adds to Σ q².
    """
    common = q * q / (1 - np.minimum(q, _LARGEST_SHARE))

    def added(values: Array) -> Array:
        return np.asarray(np.bincount(parameters, weights=values, minlength=count), np.float64)

    across = np.square(added(common)) - added(common * common)
    return np.asarray(1 / (added(q * q) + others + across))
