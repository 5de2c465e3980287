"""Write examples/results.csv: three made-up models on 800 made-up items, for the docs.

python scripts/make_example.py            rewrite the file
python scripts/make_example.py --check    exit 1 if it is not what this script makes
"""

import sys
from pathlib import Path

import numpy as np

PATH = Path(__file__).parents[1] / "examples" / "results.csv"
SUBJECTS = ("algebra", "law", "medicine", "history")
ABILITY = {"alpha": 1.0, "beta": 0.85, "gamma": 0.3}


def table() -> str:
    """Two close models and a weaker one; gamma's last 60 items are missing."""
    rng = np.random.default_rng(20261115)
    difficulty = rng.normal(size=800)
    lines = ["model,item,subject,score"]
    for model, ability in ABILITY.items():
        right = ability + 0.7 * rng.normal(size=800) > difficulty
        last = 740 if model == "gamma" else 800
        lines += [f"{model},q{k:03d},{SUBJECTS[k % 4]},{int(right[k])}" for k in range(last)]
    return "\n".join(lines) + "\n"


def main() -> int:
    new = table()
    if PATH.exists() and PATH.read_text(encoding="utf-8") == new:
        return 0
    if "--check" in sys.argv:
        print("examples/results.csv is not what scripts/make_example.py makes")
        return 1
    PATH.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
