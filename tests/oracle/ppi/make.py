"""Reference values of ppi-python: ``python make.py`` writes ppi.json beside itself.

Run by hand in an environment of its own with ppi-python and statsmodels: the package brings
numba, scikit-learn and a top-level package ``tests``, so that it is no dependency of the tests,
which read the file and repeat it live only where ppi_py can be imported.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np


def binary(rng: np.random.Generator, items: int) -> tuple[Any, Any]:
    """Differences of two models right or wrong, by people and by a judge lenient to one."""
    ability = rng.normal(size=items)
    truth, judge = [], []
    for lead, lenient in ((0.2, 0.1), (0.0, 0.3)):
        right = ability + rng.normal(size=items) < 0.6 + lead
        luck = rng.random(items)
        truth.append(right.astype(float))
        judge.append(np.where(right, luck >= 0.1, luck < lenient).astype(float))
    return truth[0] - truth[1], judge[0] - judge[1]


def graded(rng: np.random.Generator, items: int) -> tuple[Any, Any]:
    """Differences of five levels, by people and by a judge with a scale of its own."""
    z = rng.normal(size=(2, items))
    truth = np.clip(np.round(2 + z + np.array([[0.2], [0.0]])), 0, 4) / 4
    judge = np.clip(np.round(2.5 + 0.7 * z + 0.6 * rng.normal(size=z.shape)), 0, 4) / 4
    return truth[0] - truth[1], judge[0] - judge[1]


def number(value: Any) -> float:
    return float(np.squeeze(value))


def case(name: str, draw: Any, items: int, labels: int, seed: int) -> dict[str, Any]:
    import ppi_py  # noqa: PLC0415 not a dependency of the tests
    import statsmodels.api as sm  # noqa: PLC0415

    d, f = (x.round(6) for x in draw(np.random.default_rng(seed), items))
    y, fl, fu = d[:labels], f[:labels], f[labels:]
    line = sm.OLS(y, sm.add_constant(fl)).fit()
    slope = float(line.params[1])
    weight = slope * (items - labels) / items  # λ of the unlabeled mean
    low, high = ppi_py.ppi_mean_ci(y, fl, fu, alpha=0.05, lam=weight)
    low0, high0 = ppi_py.ppi_mean_ci(y, fl, fu, alpha=0.05, lam=None)
    at = line.get_prediction([[1.0, float(f.mean())]])
    return {
        "name": name,
        "truth": y.tolist(),
        "judged": f.tolist(),
        "slope": slope,
        "weight": weight,
        "estimate": number(ppi_py.ppi_mean_pointestimate(y, fl, fu, lam=weight)),
        "ci": [number(low), number(high)],
        "auto": number(ppi_py.ppi_mean_pointestimate(y, fl, fu, lam=None)),
        "auto_ci": [number(low0), number(high0)],
        "predicted": number(at.predicted_mean),
        "residual": float(line.mse_resid),
    }


CASES = (
    ("paired 0/1", binary, 500, 80, 1),
    ("paired 0/1, few labels", binary, 300, 35, 2),
    ("paired 0/1, most labeled", binary, 300, 240, 3),
    ("graded", graded, 400, 90, 4),
)


def made() -> dict[str, Any]:
    used = {name: version(name) for name in ("ppi-python", "statsmodels", "numpy")}
    return {"packages": used, "cases": [case(*given) for given in CASES]}


if __name__ == "__main__":
    text = json.dumps(made(), separators=(",", ":")).replace('{"name"', '\n{"name"')
    Path(__file__).with_name("ppi.json").write_text(text + "\n", encoding="utf-8")
