"""FastChat's own functions on votes.csv: logistic regression on doubled rows, bootstrap of votes.

python with_fastchat.py votes.csv > fastchat.json, in an environment of its own
"""

import functools
import importlib.util
import json
import sys
import time
import types
from pathlib import Path

# the analysis wants only a list of links of fastchat.model, whose package loads transformers
ratings = importlib.util.find_spec("fastchat")
assert ratings is not None
assert ratings.submodule_search_locations is not None
bare = types.ModuleType("fastchat.model")
bare.__path__ = [str(Path(ratings.submodule_search_locations[0]) / "model")]
sys.modules["fastchat.model"] = bare

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import sklearn.linear_model  # noqa: E402
from fastchat.serve.monitor.elo_analysis import (  # noqa: E402
    compute_elo_mle_with_tie,
    get_bootstrap_result,
)

votes = pd.read_csv(sys.argv[1])
np.random.seed(42)  # noqa: NPY002 as its command does
start = time.process_time()
rating = compute_elo_mle_with_tie(votes)
fitted = time.process_time() - start
draws = get_bootstrap_result(votes, compute_elo_mle_with_tie, num_round=100)
seconds = time.process_time() - start
plain = sklearn.linear_model.LogisticRegression
sklearn.linear_model.LogisticRegression = functools.partial(
    plain, C=1e12, tol=1e-12, max_iter=10_000
)
free = compute_elo_mle_with_tie(votes)
json.dump(
    {
        "seconds": {"fit": fitted, "with intervals": seconds},
        "rating": rating.to_dict(),
        "low": draws.quantile(0.025).to_dict(),
        "high": draws.quantile(0.975).to_dict(),
        "unpenalized": free.to_dict(),
    },
    sys.stdout,
)
