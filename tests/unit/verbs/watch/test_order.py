"""Sorted items are found, shuffled ones are not; moments against enumeration."""

import itertools

import numpy as np
import pytest

from nstar._verbs.watch import OrderCheck


def order(items: list[str] | None = None, groups: list[str] | None = None) -> OrderCheck:
    out = OrderCheck()
    n = len(items or groups or [])
    for k in range(n):
        out.add(item=items[k] if items else None, group=groups[k] if groups else None)
    return out


def test_runs_against_all_orders() -> None:
    """Mean 0 and the variance told, over orders of 20 items in unequal groups."""
    rng = np.random.default_rng(2)
    labels = ["a"] * 11 + ["b"] * 6 + ["c"] * 3
    found = [order(groups=rng.permutation(labels).tolist()).too_few_runs() for _ in range(4000)]
    off, variance = np.array(found).T
    assert off.mean() == pytest.approx(0, abs=0.1)
    assert off.var() == pytest.approx(variance[0], rel=0.08)


def test_runs_moments_by_enumeration() -> None:
    every = set(itertools.permutations("aaabbc"))
    off, variance = np.array([order(groups=list(p)).too_few_runs() for p in every]).T
    assert off.mean() == pytest.approx(0, abs=1e-12)
    assert off.var() == pytest.approx(variance[0])


def test_steps_up_by_enumeration() -> None:
    every = itertools.permutations(range(7))
    off, variance = np.array([order(items=[str(i) for i in p]).too_many_up() for p in every]).T
    assert off.mean() == pytest.approx(0, abs=1e-12)
    assert off.var() == pytest.approx(variance[0])


@pytest.mark.parametrize("sizes", [[100] * 57, [2] * 200, [50] * 20, [900, 100], [3] * 100])
def test_random_orders_are_not_called_sorted(sizes: list[int]) -> None:
    """Many small groups too, of which a normal limit calls 1 to 5% sorted."""
    rng = np.random.default_rng(11)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(60):
        mixed = rng.permutation(labels)[:400].astype(str).tolist()
        assert order(groups=mixed).sorted is None


def test_bound_is_above_the_exact_tail() -> None:
    """Runs of 12 items in 6 pairs, all 7,484,400 orders by their probabilities."""
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(6), 2)
    mixed = rng.permuted(np.tile(labels, (200_000, 1)), axis=1)
    runs = 1 + (np.diff(mixed, axis=1) != 0).sum(axis=1)
    for few in range(6, 11):
        seen = OrderCheck(groups={str(k): 2 for k in range(6)}, runs=few)
        bound = np.exp(seen.too_few_runs().log_bound())
        assert bound >= (runs <= few).mean()


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_is_not_sorted(seed: int) -> None:
    names = [f"q{i}" for i in np.random.default_rng(seed).permutation(300)]
    subjects = [["law", "art", "bio"][hash(n) % 3] for n in names]
    assert order(names, subjects).sorted is None


def test_sorted_by_group_and_by_item() -> None:
    shuffled = [f"q{i * 37 % 100}" for i in range(100)]
    assert order(shuffled, ["law"] * 50 + ["art"] * 50).sorted == "groups"
    assert order([f"q{i}" for i in range(100)]).sorted == "items"
    assert order([f"q{i}" for i in reversed(range(100))]).sorted == "items"
    assert order([str(i) for i in range(15)]).sorted is None
    assert order([str(i) for i in range(26)]).sorted == "items"


def test_alternating_groups_are_no_trouble() -> None:
    assert order(groups=["law", "art"] * 50).sorted is None


def test_goes_on_from_a_dict() -> None:
    whole = order([f"q{i}" for i in range(40)], ["law"] * 40)
    assert OrderCheck.from_dict(whole.to_dict()) == whole
