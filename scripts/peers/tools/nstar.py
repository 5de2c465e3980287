"""nstar, with the same inputs."""

from peers.tool import Probe, Tool, no, yes

P1 = Probe(
    "p1",
    "nstar compare p1.csv --a A --b B",
    "The gap, what this benchmark could have detected, and what would settle it.",
    ("MDE", r"N\*"),
    first=3,
)
PLAN = Probe(
    "plan",
    "nstar plan --psi 16.4% --delta 0.8pp; nstar plan --psi 16.4% --items 1000",
    "Items for a gap, or the gap for items, before any data; from a guess of the correlation (`--rho`) "
    "where the disagreement is not known.",
    ("^Detecting", "can detect", "two-sided", "disagree on"),
)
TELL = Probe(
    "tell",
    "nstar compare p1.csv --a A --b B --delta 2pp",
    "q = N/N* at a gap declared in advance: below 1, these items are too few for it.",
    first=3,
)
CLUSTERS = Probe(
    "clusters",
    "nstar compare clustered.csv --a A --b B --cluster passage --full",
    "Undeclared, every report shows the gap under each reading of the groups.",
    (r"passage   +50", "independent items   +–"),
    first=3,
)
RUNS = Probe(
    "runs",
    "nstar runs runs.csv --a A --b B",
    "Noise of tasks and of runs apart, and what endless runs would detect.",
    first=13,
)
MANY = Probe(
    "many",
    "nstar audit ten.csv",
    "Rank sets and tiers that hold for all models at once.",
    (r"^  +\d+ +[\d–]+ +m0",),
    first=3,
)
PEEK = Probe(
    "peek",
    "nstar watch p1.csv --a A --b B --items 1000",
    "Evidence that may be looked at after every item.",
    first=2,
)
MISSING = Probe(
    "missing",
    "nstar compare missing.csv --a A --b B",
    "Answers on the common items, warns, and bounds what the missing ones could hide: here they could "
    "turn the order, and did.",
    ("missing-items", "Left out", "Had the missing", "turn the order"),
    first=3,
)
GATE = Probe(
    "gate",
    "nstar gate --candidate p1.csv::A --baseline p1.csv::B --margin 2pp; echo exit status $?\n"
    "nstar gate --candidate p1.csv::B --baseline p1.csv::A --margin 2pp; echo exit status $?",
    "The same models, asked both ways: one answer is shown, the other is not.",
    ("^PASS", "^INCONCLUSIVE", "against more", "^neither", "exit status"),
)
READERS = Probe(
    "readers",
    "nstar compare logs/inspect --a mockllm/A --b mockllm/B | head -3\n"
    "nstar compare A=logs/lm-eval/A B=logs/lm-eval/B | head -3",
    "Logs that Inspect and lm-eval wrote themselves. The others are listed in [formats](../formats.md).",
)
HTML = Probe(
    "html",
    "nstar audit ten.csv --html ten.html >/dev/null && wc -c ten.html",
    "One file that opens offline, with level and power to change.",
)
BIG = Probe(
    "big",
    "nstar audit big.csv",
    "19,900 pairs with rank sets, reading of the table included.",
    first=3,
)
VOTES = Probe(
    "votes",
    "nstar battles votes.csv",
    "Ratings with ranks that hold for all models at once, and the votes that would settle each place. Beside "
    "evalica, arena-rank and FastChat on real votes: [the same votes, other tools](votes.md).",
    (r"^  #", r"^  \d +m\d", "shown first", "allow for it"),
    first=3,
)
JUDGE = Probe(
    "judge",
    "nstar compare judged judged.csv --judge judge --label human",
    "The gap of two models corrected by labels, paired, beside what the judge and the labels say alone.",
    ("judge and labels", "labels alone", "judge alone", "favors"),
    first=3,
)
TOOL = Tool(
    name="nstar",
    package=".",
    what="Says what an evaluation can tell, before it is run, from its logs and from printed figures.",
    better="",
    probes=(
        P1,
        PLAN,
        TELL,
        CLUSTERS,
        RUNS,
        MANY,
        PEEK,
        MISSING,
        GATE,
        READERS,
        HTML,
        BIG,
        VOTES,
        JUDGE,
    ),
    cells={
        "evaluates": no(note="reads what others ran"),
        "paired": yes("p1"),
        "plan": yes("plan"),
        "tell": yes("tell"),
        "clusters": yes("clusters"),
        "runs": yes("runs"),
        "many": yes("many"),
        "peek": yes("peek"),
        "missing": yes("missing"),
        "gate": yes("gate"),
        "readers": yes("readers"),
        "html": yes("html"),
        "big": yes("big"),
        "judge": yes("judge"),
        "votes": yes("votes"),
    },
)
