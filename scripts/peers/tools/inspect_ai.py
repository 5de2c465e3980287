"""Inspect: the evaluation harness, whose reports carry standard errors."""

from peers.tool import Probe, Tool, no, partly, yes

SCORES = (r"^accuracy", r"^stderr", "samples\\): mockllm")
P1 = Probe(
    "p1",
    """for model in A B; do
  inspect eval inspect_table.py --model mockllm/$model --log-dir logs/inspect
done
""",
    "How sure is the score of *one* model: in every run, without asking. Whether A beats B is another "
    "question, which Inspect leaves to its logs: the two standard errors say nothing about the items "
    "that both answered. nstar reads these logs.",
    SCORES,
)
CLUSTERS = Probe(
    "clusters",
    """for model in A B; do
  inspect eval inspect_table.py -T table=clustered -T cluster=passage --model mockllm/$model --log-dir logs/clustered
done
""",
    "Clustered standard errors are built in, for the score of one model; intervals too (`ci`, "
    "`ci_wilson`).",
    SCORES,
)
RUNS = Probe(
    "runs",
    """for model in A B; do
  inspect eval inspect_table.py -T table=runs --epochs 5 --model mockllm/$model --log-dir logs/runs
done
""",
    "Epochs are reduced (mean, at least k, pass@k, pass^k) before the standard error is taken, so that "
    "runs do not count as items. Parts of the variance are not told apart.",
    SCORES,
)
MISSING = Probe(
    "missing",
    "inspect eval inspect_table.py -T table=missing --model mockllm/B --no-fail-on-error --log-dir logs/missing",
    "B's 100 samples without an answer end in an error. Inspect says so beside the score, which is that of "
    "the others; without `--no-fail-on-error` the run fails. What a comparison makes of it is not its subject.",
    (*SCORES, "WARNING: .*not scored"),
)
VIEW = Probe(
    "view",
    """inspect view bundle --log-dir logs/inspect --output-dir bundle --overwrite && ls bundle
inspect log convert logs/inspect --to json --output-dir logs/inspect-json --overwrite && ls logs/inspect-json | wc -l
""",
    "A viewer of every sample, locally or bundled as a static site: far better than anything nstar "
    "has for *reading* a run. Pages of comparisons it has not. (The JSON is for tools that read that.)",
)
NAMES = Probe(
    "names",
    """python -c "
import inspect_ai.scorer as s, inspect_ai.util as u
print(*[n for n in s.__all__ if n in 'accuracy mean std stderr bootstrap_stderr ci ci_wilson var grouped pass_at pass_k at_least krippendorff_alpha'.split()])
print(u.EarlyStopping.__doc__)
"
""",
    "Metrics are of one run. Early stopping is a hook without a rule of its own; "
    "`nstar.integrations.inspect` is one such rule.",
)
TOOL = Tool(
    name="inspect_ai",
    package="inspect_ai==0.3.285",
    what="Runs evaluations. Its reports give each model's score with a standard error.",
    better="It is built in: no second tool, no export, and errors are there before anyone asks for them. "
    "It also runs the evaluation, retries it and shows every sample.",
    probes=(P1, CLUSTERS, RUNS, MISSING, VIEW, NAMES),
    cells={
        "evaluates": yes("p1"),
        "paired": no("p1", note="another question: one model's score"),
        "plan": no("names"),
        "tell": no("names"),
        "clusters": yes("clusters", note="for one model's score"),
        "runs": partly("runs", note="epochs are reduced first; no parts of variance"),
        "many": no("names"),
        "peek": partly("names", note="a hook for early stopping, no rule"),
        "missing": partly("missing", note="warns, for one run"),
        "gate": no("names"),
        "readers": partly("view", note="its own logs"),
        "html": partly("view", note="of samples, not of comparisons"),
        "big": no("names", note="another question"),
        "judge": no("names", note="judges, but does not correct them"),
        "votes": no("names"),
    },
)
