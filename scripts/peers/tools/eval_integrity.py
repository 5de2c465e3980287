"""eval-integrity (evalgate): checks of printed claims, and an MCP server."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    """python -c "
import csv
from evalgate.format import format_matrix
from evalgate.leaderboard import audit_matrix
for name in ('p1', 'ten'):
    table = {}
    for r in csv.DictReader(open(name + '.csv')):
        table.setdefault(r['model'], {})[r['item']] = int(r['score'])
    print(format_matrix(audit_matrix(table, n_boot=200), title=name))
"
""",
    "From items: paired tests with the leader, ranks by bootstrap (each model's own, not all together), "
    "tiers, and how far the best is flattered by having been picked.",
    ("verdict", "tie group", "resolution", "curse", r"^ +\d+ "),
)
PLAN = Probe(
    "plan",
    "evalgate power --n 1000 --p1 0.714 --p2 0.706\nevalgate correct --p 0.009 --n 23\n"
    "evalgate bias --wins 68 --n 100",
    "From printed figures: the MDE of unpaired models (5.7 pp; paired it is 3.6), best of many, a judge's "
    "preference against chance.",
)
VOTES = Probe(
    "votes",
    """python -c "
import csv
from evalgate.format import format_pairwise
from evalgate.leaderboard import audit_pairwise
rows = csv.DictReader(open('votes.csv'))
won = [(r['model_a'], r['model_b'])[:: 1 if r['winner'] == 'model_a' else -1] for r in rows]
print(format_pairwise(audit_pairwise(won, n_boot=50)))
"
""",
    "Bradley-Terry with ranks by bootstrap, and whether preferences go in circles.",
    ("verdict", "preferences", r"^ +\d+ "),
)
MCP = Probe(
    "mcp",
    """python -c "
import asyncio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    async with stdio_client(StdioServerParameters(command='evalgate-mcp')) as (r, w):
        async with ClientSession(r, w) as s:
            await s.initialize()
            print(*[t.name for t in (await s.list_tools()).tools])
            asked = {'n_items': 1000, 'score_a': 0.714, 'score_b': 0.706}
            print((await s.call_tool('check_resolution', asked)).content[0].text)
asyncio.run(main())
"
""",
    "A server that an agent can ask before it believes a figure.",
    ("check_", "verdict|resolv|MDE|mde|recommend"),
)
NAMES = Probe(
    "names",
    "evalgate --help",
    "Four commands. No clusters, repeated runs, sequential tests, margins, missing items, logs or pages.",
    (r"^    (correct|bias|loo|power) ",),
)
BIG = Probe(
    "big",
    P1.command.replace("('p1', 'ten')", "('big',)"),
    "Plain Python, a bootstrap over all items and tests of the leader against each; not of all pairs.",
    ("verdict", "tie group"),
)
TOOL = Tool(
    name="eval_integrity",
    package="eval-integrity[mcp]==0.4.2",
    what="Cheap checks of what a benchmark claims, for people and for agents (`evalgate`).",
    better="It corrects a figure for the best of many that are not at hand, and tests whether one point carries a "
    "trend. nstar has neither.",
    probes=(P1, PLAN, VOTES, MCP, NAMES, BIG),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": partly("plan", note="unpaired, from printed figures"),
        "tell": partly("plan", note="as if unpaired"),
        "clusters": no("names"),
        "runs": no("names"),
        "many": yes("p1", note="each rank for itself"),
        "peek": no("names"),
        "missing": no("names"),
        "gate": no("names"),
        "readers": no("names", note="dictionaries, JSON"),
        "html": no("names"),
        "big": yes("big", note="200 resamples, the leader against each"),
        "judge": partly("plan", note="tests a preference, corrects nothing"),
        "votes": yes("votes"),
    },
)
