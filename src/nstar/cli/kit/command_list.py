"""List of commands with their purposes. Help shows it without importing any command."""

OCCASIONS: dict[str, tuple[str, ...]] = {
    "Start here": ("demo",),
    "Analyze results": ("compare", "audit", "battles", "runs", "items"),
    "Plan and monitor": ("plan", "shrink", "watch", "gate"),
    "Check and share": ("claim", "read", "site"),
}
"""Commands by occasion. Help lists all other commands in one line."""

SUMMARIES = {
    "demo": "Tour a synthetic leaderboard (no files needed)",
    "compare": "Is model A better than model B?",
    "compare judged": "Compare two models by judge scores, corrected with human labels",
    "compare known": "Compare a new model with models scored on all items",
    "audit": "Which leaderboard ranks are statistically supported?",
    "battles": "Rate models from pairwise votes",
    "runs": "How much do repeated runs vary?",
    "items": "Find non-discriminating items and suspect answer keys",
    "plan": "How many items, runs, votes or labels do I need?",
    "plan margin": "How many items do I need to show that a gap is small?",
    "plan board": "How many items does a leaderboard need?",
    "plan labels": "How many human labels do I need to correct a judge?",
    "plan looks": "How many items do I need if I test results as they arrive?",
    "plan runs": "How many tasks and runs does my budget allow?",
    "plan single": "How many items do I need to compare one model with a threshold?",
    "plan votes": "How many votes do I need, or which gap do my votes detect?",
    "shrink": "Pick a smaller subset of a benchmark",
    "watch": "Monitor a running evaluation and stop early",
    "watch race": "Find the best of several models while they run",
    "watch votes": "Monitor votes between models and stop early",
    "gate": "Pass or fail a release candidate (for CI)",
    "gate looks": "Pass or fail a candidate, with repeated looks at the data",
    "gate runs": "Pass or fail a candidate, based on repeated runs of each task",
    "gate plan": "Estimate the probability of a PASS before you run the candidate",
    "gate aa": "Estimate the false alarm rate from runs of one model",
    "claim": "Check a published result from its reported scores",
    "claim unpaired": "Check two reported accuracies on different items",
    "claim gap": "Check a reported gap by its interval and p-value",
    "claim list": "Check a list of claims and count the verdicts",
    "claim scores": "Check two scores with reported errors",
    "claim table": "Check the best values in a reported table",
    "claim wins": "Check a number of wins over several benchmarks",
    "read": "Inspect logs and convert them",
    "site": "Build a static leaderboard website",
    "simulate": "Simulate error rates, power, and coverage",
    "simulate study": "Repeat a published simulation study",
    "judges": "Compare several judges that score the same answers",
    "mcp": "Let coding agents use nstar (MCP server)",
    "selfcheck": "Check this installation against reference values",
}
"""Summary line of every command."""

EXAMPLES = (
    "nstar compare results/a results/b",
    "nstar audit results/ --html report.html",
    "nstar plan --baseline 70% --delta 1pp",
)


def related(name: str) -> dict[str, str]:
    """Return the commands that share the first word, with their summaries."""
    first = name.split(maxsplit=1)[0]
    return {
        other: text
        for other, text in SUMMARIES.items()
        if other.split()[0] == first and other != name
    }
