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
    "compare judged": "Compare two models by a judge, corrected by labels",
    "compare known": "Compare a new model with models scored on all items",
    "audit": "Which leaderboard ranks are statistically supported?",
    "battles": "Rate models from pairwise votes",
    "runs": "How much do repeated runs vary?",
    "items": "Find non-discriminating items and suspect answer keys",
    "plan": "How many items, runs, votes or labels do I need?",
    "plan margin": "How many items show that a gap is small?",
    "plan board": "How many items does a board of models need?",
    "plan labels": "How many labels does a judge need?",
    "plan looks": "How many items do I need if I test while they come in?",
    "plan runs": "How many tasks and runs does a budget buy?",
    "plan votes": "How many votes do I need, or what do mine detect?",
    "shrink": "Pick a smaller subset of a benchmark",
    "watch": "Monitor a running evaluation and stop early",
    "watch race": "Find the best of several models while they run",
    "watch votes": "Monitor votes between models and stop early",
    "gate": "Pass or fail a release candidate (for CI)",
    "gate looks": "Look at a growing run, or accumulate evidence",
    "gate runs": "Pass or fail by a rule for repeated runs",
    "gate plan": "Estimate the chance of a PASS before running",
    "gate aa": "Estimate false alarms from runs of one model",
    "claim": "Check a published result from its reported scores",
    "claim unpaired": "Check two reported accuracies on different items",
    "claim scores": "Check two reported scores with their errors",
    "claim table": "Check the best values of a reported table",
    "claim wins": "Check a count of wins over benchmarks",
    "read": "Inspect logs and convert them",
    "site": "Build a static leaderboard website",
    "simulate": "Simulate error rates, power and coverage",
    "simulate study": "Repeat a published simulation",
    "judges": "Compare several judges of the same answers",
    "mcp": "Let coding agents check claims",
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
