"""``simulate``: the same numbers however the work is cut, and as many as precision asks for."""

from typing import Any

import numpy as np
import pytest

from nstar import stats
from nstar._engine.work import Execution
from nstar._verbs.simulate import (
    SCENARIOS,
    TESTS,
    Counts,
    Scores,
    SimulatedSample,
    Simulation,
    simulate,
)
from nstar._verbs.simulate import batch as batch_module
from nstar._verbs.simulate import quota as quota_module
from nstar._verbs.simulate import registry as registry_module
from nstar._verbs.simulate.batch import (
    BatchTally,
    RequestedProcedures,
    batch_size,
    run_batch,
    run_together,
)
from nstar._verbs.simulate.grid import Cell, cells
from nstar._verbs.simulate.procedures.signed_ranks import critical_sums
from nstar._verbs.simulate.quota import CellQuota, next_look, open_batches
from nstar._verbs.simulate.stream import SharedNormals, generator, key
from nstar.errors import ParameterError


def events(found: Simulation) -> list[tuple[int, int]]:
    return [(r.n_events, r.n_reps) for r in found.rates]


def asked(**more: Any) -> RequestedProcedures:
    given: dict[str, Any] = {
        "tests": ("t",),
        "intervals": (),
        "alpha": 0.05,
        "seed": 3,
        "common": False,
    }
    return RequestedProcedures(**(given | more))


def cell(scenario: str, items: int, **given: Any) -> Cell:
    return cells(SCENARIOS, scenario, [items], {k: [v] for k, v in given.items()})[0]


GRID: dict[str, Any] = {
    "scenario": "normal",
    "items": [40, 900],
    "tests": ["t", "wilcoxon", "sign-flip"],
    "intervals": ["t", "bootstrap"],
    "values": {"delta": [0.0, 0.02], "rho": [0.5]},
    "reps": 150,
}


# --- the same numbers ---------------------------------------------------------------------


def test_any_number_of_workers_gives_the_same_numbers() -> None:
    one, two, four = (
        events(simulate(**GRID, seed=1, execution=Execution(workers=k))) for k in (1, 2, 4)
    )
    assert one == two == four


def test_any_number_of_workers_with_counts_and_precision() -> None:
    given: dict[str, Any] = {
        "items": [50, 200],
        "tests": ["midp", "e-process"],
        "intervals": ["tango"],
        "precision": 0.004,
    }
    one, two, four = (
        events(simulate("bernoulli", **given, execution=Execution(workers=k))) for k in (1, 2, 4)
    )
    assert one == two == four


def test_seeds_differ() -> None:
    assert events(simulate(**GRID, seed=1)) != events(simulate(**GRID, seed=2))


@pytest.mark.parametrize("scenario", ["beta", "bernoulli", "clusters"])
def test_a_batch_is_one_stream_cut_into_draws(
    scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_module, "_COUNTED", 64)
    here = cell(scenario, 700)
    reps = batch_size(here) - 5
    ask = asked()
    whole = SCENARIOS[scenario](
        generator(3, here.stream(common=False), 4), reps, 700, **here.parameters
    )
    want = int(TESTS["t"](whole, 0.05, np.random.default_rng(1)).sum())
    assert reps > batch_size(here) // 2
    assert run_batch(here, 4, reps, ask) == BatchTally(
        reps=reps, events=(want,), truth=whole.truth
    )


def test_batches_add_up_to_the_replications_asked_for() -> None:
    here = cell("normal", 900, rho=0.5)
    size = batch_size(here)
    found = simulate("normal", items=[900], tests=["t"], values={"rho": [0.5]}, reps=2 * size + 7)
    parts = [run_batch(here, k, n, asked(seed=0)) for k, n in enumerate((size, size, 7))]
    assert events(found) == [(sum(p.events[0] for p in parts), 2 * size + 7)]


def test_a_test_does_not_change_by_company() -> None:
    alone = simulate("normal", items=[60], tests=["bootstrap"], reps=300)
    among = simulate("normal", items=[60], tests=["sign-flip", "t", "bootstrap"], reps=300)
    assert events(alone)[0] == events(among)[2]


def test_a_test_does_not_change_by_an_interval_of_its_name() -> None:
    given: dict[str, Any] = {"items": [900], "tests": ["bootstrap"], "reps": 200}
    alone = simulate("normal", **given)
    among = simulate("normal", **given, intervals=["bootstrap"])
    assert events(alone)[0] == events(among)[0]


def test_work_is_not_listed_before_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    class EnoughError(Exception):
        pass

    started: list[int] = []

    def counted(_: Cell, number: int, reps: int, ask: RequestedProcedures) -> BatchTally:
        started.append(number)
        if number == 20:
            raise EnoughError
        return BatchTally(reps=reps, events=(0,) * len(ask.names), truth=0.0)

    monkeypatch.setattr(quota_module, "run_batch", counted)
    for workers in (1, 3):
        started.clear()
        with pytest.raises(EnoughError):
            simulate(
                "normal",
                items=[500],
                tests=["t"],
                reps=10**13,
                execution=Execution(workers=workers),
            )
        assert len(started) < 60


def test_a_cell_does_not_change_by_company() -> None:
    alone = simulate("normal", items=[60], tests=["t"], values={"delta": [0.02]}, reps=300)
    among = simulate("normal", items=[60], tests=["t"], values={"delta": [0.0, 0.02]}, reps=300)
    assert events(alone)[0] == events(among)[1]


def test_a_number_is_one_however_it_is_written() -> None:
    same: list[dict[str, Any]] = [
        {"x": 0, "y": [1.0]},
        {"x": 0.0, "y": (1,)},
        {"x": np.int64(0), "y": np.array([1])},
    ]
    assert len({key(about) for about in same}) == 1
    assert key({"x": None}) != key({"x": 0})


# --- precision ----------------------------------------------------------------------------


def test_precision_is_reached_and_not_by_far() -> None:
    found = simulate(
        "normal", items=[500], tests=["t"], values={"delta": [0.0, 0.005]}, precision=0.006
    )
    assert all(r.se <= 0.006 for r in found.rates)
    most = max(r.n_reps for r in found.rates)
    assert min(r.n_reps for r in found.rates) < most
    assert found.rates[1].se > 0.006 * 0.8


def test_the_first_round_is_enough_if_it_is() -> None:
    found = simulate("normal", items=[50], tests=["t"], precision=0.1)
    assert found.rates[0].n_reps == batch_size(cell("normal", 50))


def test_most_ends_it() -> None:
    found = simulate("normal", items=[500], tests=["t"], precision=0.0001, max_reps=3000)
    size = batch_size(cell("normal", 500))
    assert 3000 <= found.rates[0].n_reps < 3000 + size


def test_looks_grow_by_a_quarter() -> None:
    looks = [1]
    while looks[-1] < 60:
        looks.append(next_look(looks[-1]))
    assert looks == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63]


class Memory:
    """A journal that forgets what came after some number of notes."""

    def __init__(self) -> None:
        self.notes: list[tuple[int, int, BatchTally]] = []

    def finished(self, cell: int) -> tuple[int, BatchTally] | None:
        mine = [(b, t) for c, b, t in self.notes if c == cell]
        return mine[-1] if mine else None

    def keep(self, cell: int, batches: int, tally: BatchTally) -> None:
        self.notes.append((cell, batches, tally))


@pytest.mark.parametrize("precision", [None, 0.009])
def test_a_run_that_was_stopped_anywhere_ends_the_same(precision: float | None) -> None:
    given: dict[str, Any] = {
        "items": [700],
        "tests": ["t"],
        "values": {"rho": [0.5, 0.8], "delta": [0.005]},
        "reps": 1500,
        "precision": precision,
        "execution": Execution(workers=1),
    }
    full = Memory()
    want = events(simulate("normal", **given, journal=full))
    assert len(full.notes) >= 8
    for kept in range(0, len(full.notes) + 1, 3):
        again = Memory()
        again.notes = full.notes[:kept]
        assert events(simulate("normal", **given, journal=again)) == want


# --- common random numbers ----------------------------------------------------------------


def test_common_random_numbers_are_common() -> None:
    here, there = (cell("heterogeneous", 50, delta=d, share=1.0) for d in (0.0, 0.25))
    assert here.stream(common=True) == there.stream(common=True)
    assert here.stream(common=False) != there.stream(common=False)
    assert cell("heterogeneous", 51).stream(common=True) != here.stream(common=True)
    draws = [
        SCENARIOS["heterogeneous"](generator(0, c.stream(common=True), 0), 9, 50, **c.parameters)
        for c in (here, there)
    ]
    assert isinstance(draws[0], Scores)
    assert isinstance(draws[1], Scores)
    assert np.allclose(draws[1].d - draws[0].d, 0.25)


def other_draws(
    rng: np.random.Generator, reps: int, items: int, *, more: int = 0, delta: float = 0.0
) -> Scores:
    """Draws of several kinds, whose number depends on a parameter; normals are changed."""
    d = rng.standard_normal((reps, items))
    d *= 1 + rng.random((reps, 1))
    d += rng.standard_normal((more + 1, reps, items))[0]
    d += rng.standard_normal((reps, items)) + rng.standard_normal()
    return Scores(d=d + delta, truth=delta)


@pytest.mark.parametrize(
    ("scenario", "values"),
    [
        ("normal", {"delta": [0.0, 0.02, 0.1], "rho": [0.5, 0.95]}),
        ("beta", {"delta": [0.0, 0.05], "sd": [0.12, 0.3]}),
        ("heavy-tailed", {"delta": [0.0, 0.05], "df": [2.5, 4.0]}),
        ("zero-inflated", {"zeros": [0.1, 0.4]}),
        ("bernoulli", {"delta": [0.0, 0.05]}),
        ("other-draws", {"more": [0, 2, 0, 1], "delta": [0.0, 0.1]}),
    ],
)
def test_cells_together_get_what_each_gets_alone(
    scenario: str, values: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**SCENARIOS._known(), "other-draws": other_draws}
    monkeypatch.setattr(SCENARIOS, "_all", known)
    grid = cells(SCENARIOS, scenario, [700], values)
    ask = asked(tests=("t", "wilcoxon", "sign-flip"), intervals=("t",), common=True)
    reps = 60
    alone = tuple(run_batch(here, 2, reps, ask) for here in grid)
    assert run_together(grid, 2, reps, ask) == alone
    assert len({tally.events for tally in alone}) > 1


def test_normals_are_drawn_once_for_all_readers() -> None:
    shared = SharedNormals(generator(0, 1, 0), 3)
    own = [generator(0, 1, 0) for _ in range(3)]
    for reader in (0, 1, 2):
        here = shared.read_by(reader).standard_normal((4, 5))
        assert np.array_equal(here, own[reader].standard_normal((4, 5)))
        here[:] = 0.0
    assert len(shared._kept) == 1
    shared.forget()
    for reader in (2, 0, 1):
        other = shared.read_by(reader).standard_normal((2, reader + 1), dtype=np.float32)
        want = own[reader].standard_normal((2, reader + 1), dtype=np.float32)
        assert np.array_equal(other, want)
        assert shared.random() == own[reader].random()


def test_batches_go_together_if_they_share_their_random_numbers() -> None:
    grid = cells(SCENARIOS, "normal", [50, 900], {"delta": [0.001 * k for k in range(20)]})
    quotas = [CellQuota(k, here, 1000, common=True) for k, here in enumerate(grid)]
    quotas[3].batches = 1  # it is done
    quotas[25].batches = 2
    every = list(open_batches(quotas))
    assert max(map(len, every)) == 16
    assert [b.cell for b in every[0]] == [0, 1, 2, *range(4, 17)]
    for together in every:
        assert len({(b.number, b.reps, grid[b.cell].items) for b in together}) == 1
    for quota in quotas:
        mine = [b for together in every for b in together if b.cell == quota.number]
        assert mine == list(quota.left())
    own = [CellQuota(k, here, 1000) for k, here in enumerate(grid)]
    assert {len(together) for together in open_batches(own)} == {1}


def test_cells_that_are_the_same_have_the_same_rates_either_way() -> None:
    given: dict[str, Any] = {"items": [60], "tests": ["t"], "reps": 300}
    twice = simulate("normal", **given, values={"delta": [0.02, 0.02]})
    once = simulate("normal", **given, values={"delta": [0.02]})
    assert events(twice) == 2 * events(once)


def test_common_random_numbers_make_power_climb() -> None:
    values = {"delta": [0.01 + 0.0005 * k for k in range(8)]}
    given: dict[str, Any] = {"items": [60], "tests": ["t"], "values": values, "reps": 400}
    common = [r.rate for r in simulate("normal", **given, common=True).rates]
    assert common == sorted(common)
    own = [r.rate for r in simulate("normal", **given, common=False).rates]
    assert own != sorted(own)


# --- right numbers ------------------------------------------------------------------------


def test_rates_are_those_of_enumeration() -> None:
    found = simulate(
        "bernoulli",
        items=[100],
        tests=["midp", "exact", "asymptotic"],
        values={"psi": [0.3], "delta": [0.0, 0.12]},
        reps=200_000,
    )
    for r in found.rates:
        power = stats.exact_power(
            r.truth,
            psi=0.3,
            n=100,
            method=r.procedure,  # type: ignore[arg-type]
        )
        assert abs(r.rate - float(power)) < 4.5 * r.se


def test_t_has_its_level_and_its_coverage() -> None:
    found = simulate("heterogeneous", items=[30], tests=["t"], intervals=["t"], reps=20_000)
    test, interval = found.rates
    assert abs(test.rate - 0.05) < 4.5 * test.se
    assert abs(interval.rate - 0.95) < 4.5 * interval.se
    assert test.n_events == interval.n_reps - interval.n_events


@pytest.mark.parametrize("items", [12, 40])
def test_wilcoxon_has_the_size_of_its_exact_law(items: int) -> None:
    found = simulate("heterogeneous", items=[items], tests=["wilcoxon"], reps=40_000, seed=2)
    ways = np.array([1])
    for rank in range(1, items + 1):
        ways = np.concatenate([ways, [0] * rank]) + np.concatenate([[0] * rank, ways])
    want = 2 * ways[: critical_sums(0.05)[items] + 1].sum() / 2**items
    assert abs(found.rates[0].rate - want) < 4.5 * found.rates[0].se


def test_power_of_t_is_the_formulas() -> None:
    found = simulate(
        "heterogeneous",
        items=[50],
        tests=["t"],
        values={"share": [1.0], "delta": [0.03], "rho": [0.5]},
        reps=20_000,
    )
    want = float(stats.t_power(0.03, sigma=0.12, n=50))
    assert abs(found.rates[0].rate - want) < 4.5 * found.rates[0].se


# --- what is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tests": []}, "Set tests or intervals"),
        ({"tests": ["z"]}, "No test 'z'. Available: asymptotic"),
        ({"intervals": ["z"]}, "No interval 'z'"),
        ({"scenario": "none"}, "No scenario 'none'"),
        ({"values": {"p": [1]}}, "no parameter 'p'. Available: mean, sd, rho, delta"),
        ({"items": []}, "items must be whole numbers"),
        ({"items": [1]}, "items must be whole numbers"),
        ({"items": [2.5]}, "items must be whole numbers"),
        ({"reps": 0}, "reps must be a whole number"),
        ({"precision": 0.5}, "precision must be in"),
        ({"alpha": 1.0}, "alpha must be in"),
        ({"values": {"delta": []}}, "0 cells are out of range"),
        ({"values": {"delta": [0.0] * 400, "rho": [0.5] * 400}}, "160,000 cells"),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    base: dict[str, Any] = {"scenario": "normal", "items": [50], "tests": ["t"], "reps": 10}
    with pytest.raises(ParameterError, match=message):
        simulate(**(base | given))


def test_a_scenario_that_gives_too_few_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(rng: np.random.Generator, reps: int, items: int) -> SimulatedSample:
        """Too few."""
        none = np.zeros(reps - 1, dtype=np.int64)
        return Counts(items=items, n10=none, n01=none, truth=0.0)

    monkeypatch.setattr(SCENARIOS, "_all", {"short": short})
    with pytest.raises(ParameterError, match="returned 9 replications instead of 10"):
        simulate("short", items=[50], tests=["t"], reps=10)


class Point:
    """An entry point of someone else's package."""

    name = "fixed"

    @staticmethod
    def load() -> Any:
        def fixed(
            rng: np.random.Generator, reps: int, items: int, *, won: int = 3
        ) -> SimulatedSample:
            """Always the same table."""
            n10 = np.full(reps, won)
            return Counts(items=items, n10=n10, n01=0 * n10, truth=won / items)

        return fixed


def test_a_third_party_adds_a_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SCENARIOS, "_all", None)
    monkeypatch.setattr(registry_module, "entry_points", lambda group: [Point])
    found = simulate("fixed", items=[50], tests=["midp"], values={"won": [3, 9]}, reps=10)
    assert [r.rate for r in found.rates] == [0.0, 1.0]
    assert SCENARIOS.about("fixed") == "Always the same table."
    assert "bernoulli" in SCENARIOS


def test_progress_ends_at_its_total() -> None:
    seen: list[tuple[int, int]] = []
    simulate(
        "normal",
        items=[50, 90],
        tests=["t"],
        reps=300,
        execution=Execution(progress=lambda *p: seen.append(p)),
    )
    assert seen[-1] == (600, 600)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
