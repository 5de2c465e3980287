"""Write src/nstar/_verbs/selfcheck/golden.json, the reference values that the wheel carries.

They are those of tests/oracle/golden.json, and of many models, items and parts of a benchmark in
golden_next.json, that
`nstar selfcheck` can recompute in a few seconds and without chance; LEFT_OUT and PARTS_LEFT_OUT
say why the others stay out.

python scripts/build_reference.py            rewrite the file
python scripts/build_reference.py --check    exit 1 if it is stale
"""

import json
import sys
from pathlib import Path
from typing import Any

from _section import keep_page

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "tests" / "oracle" / "golden.json"
NEXT = ROOT / "tests" / "oracle" / "golden_next.json"
"""More values, of which those of many models, items and parts of a benchmark are carried."""
THIRD = ROOT / "tests" / "oracle" / "golden_3.json"
"""More values, of which those of all families but metrics and snapshots are carried."""
TARGET = ROOT / "src" / "nstar" / "_verbs" / "selfcheck" / "golden.json"

OF_METRICS = ("metric.plan", "metric.auroc_plan", "metric.auroc_delong")
"""Values of metrics that are carried; tests/oracle/test_golden_metrics.py has the others."""

SIMULATED = "the reference is itself simulated; see tests/oracle/test_calibration_*.py"
RANDOM = "nstar's answer is simulated; see tests/oracle/test_golden.py"
SLOW = "takes long and says what smaller cases say; see tests/oracle/test_golden.py"
COVERAGE = "enumerates all tables; see tests/oracle/test_calibration_paired.py"
DATA = "needs data that are not part of the package; see tests/oracle/test_real_data.py"

LEFT_OUT = {
    "anytime.power_sim": SIMULATED,
    "anytime.typeI_sim": SIMULATED,
    "betting.N80_sim": SIMULATED,
    "betting.typeI_sim": SIMULATED,
    "boot.coverage": SIMULATED,
    "cluster.fixed_vs_random": SIMULATED,
    "cluster.typeI": SIMULATED,
    "equiv.tango n=400": SLOW,
    "equiv.tango n=600": SLOW,
    "graded.boot_exact": RANDOM,
    "multi.fwer_sim": SIMULATED,
    "multi.maxt_crit": RANDOM,
    "multi.rank_sets": RANDOM,
    "multi.romano_wolf": RANDOM,
    "paired.n_exact asym psi=0.2 d=0.05": SLOW,
    "paired.n_exact cc psi=0.2 d=0.05": SLOW,
    "paired.n_exact exact psi=0.2 d=0.05": SLOW,
    "paired.q_ci_coverage": SIMULATED,
    "paired.size N=1000": SLOW,
    "paired.size N=500": SLOW,
    "paired.size_psi_le_.6 N=1000": SLOW,
    "paired.size_psi_le_.6 N=2000": SLOW,
    "paired.size_psi_le_.6 N=500": SLOW,
    "paired_ci.coverage": COVERAGE,
    "real.": DATA,
    "runs.typeI": SIMULATED,
}
"""Beginning of a name → reason."""

PARTS_LEFT_OUT = {
    ("betting.prpl_eb", "confseq_variant"): "another formula; see tests/oracle/test_golden.py",
    ("graded.wilcoxon_power", "sim"): SIMULATED,
    # K² / (T - z)² with T - z = 0.0085: one unit in the last place of z moves it by 5.6e-9
    ("paired.q_ci T=1.9685", "Nstar_over_N_hi"): "ill-conditioned: good to 5e-9, tol 1e-9",
}
"""Beginning of a name and key of one of its numbers → reason."""


def kept_value(item: dict[str, Any]) -> Any:
    dropped = {key for start, key in PARTS_LEFT_OUT if item["id"].startswith(start)}
    if not dropped:
        return item["value"]
    return {key: value for key, value in item["value"].items() if key not in dropped}


def of_many_models() -> list[dict[str, Any]]:
    """Values of the second file, with the names of the first."""
    items = json.loads(NEXT.read_text(encoding="utf-8"))["items"]
    return [
        item | {"value": item["expected"], "how": item["source"]}
        for item in items
        if item["id"].startswith(("arms.", "items.", "shrink.items_needed"))
    ]


def of_new_methods() -> list[dict[str, Any]]:
    """Values of the third file, with the names of the first and the data that they name."""
    items = {i["id"]: i for i in json.loads(THIRD.read_text(encoding="utf-8"))["items"]}
    carried = []
    for item in items.values():
        family, _, name = item["id"].partition(".")
        families = {"judge", "votes", "board", "gate", "one", "tasks", "next"}
        is_carried = family in families and name != "data"
        if is_carried or item["id"].startswith(OF_METRICS):
            inputs = dict(item["inputs"])
            if "data" in inputs:
                inputs["data"] = items[inputs["data"]]["inputs"]
            carried.append(
                item | {"inputs": inputs, "value": item["expected"], "how": item["source"]}
            )
    return carried


def build() -> str:
    items = [
        *json.loads(SOURCE.read_text(encoding="utf-8"))["items"],
        *of_many_models(),
        *of_new_methods(),
    ]
    for start in (*LEFT_OUT, *(start for start, _ in PARTS_LEFT_OUT)):
        if not any(item["id"].startswith(start) for item in items):
            sys.exit(f"no reference value begins with {start!r}: mend the tables in {__file__}")
    items_kept = [item for item in items if not item["id"].startswith(tuple(LEFT_OUT))]
    items_kept.sort(
        key=lambda item: item["id"].split(".", 1)[0]
    )  # stable: one family after another
    lines = (
        json.dumps(
            {
                "id": item["id"],
                "inputs": item["inputs"],
                "value": kept_value(item),
                "tol": item["tol"],
                "how": item["how"],
            },
            separators=(",", ":"),
        )
        for item in items_kept
    )
    note = (
        "made by scripts/build_reference.py; |got - value| <= tol, null is infinite or infeasible"
    )
    return f'{{"note":{json.dumps(note)},"items":[\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    sys.exit(keep_page(TARGET, build()))
