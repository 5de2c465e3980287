"""statsmodels: the general library, functions to be put together."""

from peers.tool import Probe, Tool, no, partly, yes

P1 = Probe(
    "p1",
    """python -c "
from statsmodels.stats.contingency_tables import mcnemar
print(mcnemar([[628, 86], [78, 208]], exact=True))
print(mcnemar([[628, 86], [78, 208]], exact=False, correction=False))
"
""",
    "The right paired test, from counts that you make yourself. Exact and chi-squared; no mid-p.",
)
PLAN = Probe(
    "plan",
    """python -c "
from statsmodels.stats.power import TTestPower, NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize
sd = (0.164 - 0.008**2) ** 0.5
print('paired, d of the difference:', TTestPower().solve_power(0.008 / sd, power=0.8, alpha=0.05))
print('gap detected by 1,000 items:', TTestPower().solve_power(nobs=1000, power=0.8, alpha=0.05) * sd)
h = proportion_effectsize(0.714, 0.706)
print('two separate samples, each :', NormalIndPower().solve_power(h, power=0.8, alpha=0.05))
"
""",
    "Items and MDE as nstar has them, if you know that the effect size is the gap over the standard "
    "deviation of the *difference*. The function for two proportions answers another question: two "
    "models that answer different items.",
)
CLUSTERS = Probe(
    "clusters",
    """python -c "
import pandas as pd, statsmodels.api as sm
t = pd.read_csv('clustered.csv').pivot(index=['item', 'passage'], columns='model', values='score')
d = (t.A - t.B).reset_index(name='gap')
codes = d.passage.astype('category').cat.codes
kwds = {'groups': codes, 'use_correction': True}
fit = sm.OLS(d.gap, pd.Series(1.0, d.index, name='gap')).fit(cov_type='cluster', cov_kwds=kwds, use_t=True)
print(fit.summary().tables[1])
"
""",
    "The clustered standard error and p that nstar has too, from five lines of your own.",
)
RUNS = Probe(
    "runs",
    """python -c "
import pandas as pd, statsmodels.formula.api as smf
t = pd.read_csv('runs.csv')
print(smf.mixedlm('score ~ model', t, groups='item', re_formula='~model').fit().summary().tables[1])
"
""",
    "A mixed model in which tasks differ, and differ in the gap too: run noise and tasks apart, the gap with "
    "nstar's error. That the second term is needed is for you to know.",
)
MANY = Probe(
    "many",
    """python -c "
import itertools, numpy as np, pandas as pd
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
x = pd.read_csv('ten-wide.csv', index_col=0).to_numpy()
p = [mcnemar(np.histogram2d(x[:, i], x[:, j], 2)[0]).pvalue for i, j in itertools.combinations(range(10), 2)]
print((np.array(p) < 0.05).sum(), 'of', len(p), 'pairs below 0.05;', multipletests(p, method='holm')[0].sum(), 'by Holm')
"
""",
    "Every correction one could want (Holm, Hochberg, Hommel, BH, BY …) for p-values that you "
    "bring. Ranks and tiers are not its subject.",
)
GATE = Probe(
    "gate",
    """python -c "
import pandas as pd
from statsmodels.stats.weightstats import ttost_paired, DescrStatsW
t = pd.read_csv('p1-wide.csv')
print('equivalence within 2 pp: p =', ttost_paired(t.A, t.B, -0.02, 0.02)[0])
print('A not worse by 2 pp: p =', DescrStatsW(t.A - t.B).ttest_mean(-0.02, 'larger')[1])
"
""",
    "Paired equivalence and non-inferiority tests as functions; verdict, exit status and what "
    "would settle it are yours to write.",
)
BIG = Probe(
    "big",
    """python -c "
import itertools, numpy as np, pandas as pd
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
x = pd.read_csv('big-wide.csv', index_col=0).to_numpy(float).T
both, right = x @ x.T, x.sum(1)
p = []
for i, j in itertools.combinations(range(200), 2):
    b, c = right[i] - both[i, j], right[j] - both[i, j]
    p.append(mcnemar([[both[i, j], b], [c, x.shape[1] - both[i, j] - b - c]]).pvalue)
print(len(p), 'pairs,', multipletests(p, method='holm')[0].sum(), 'different by Holm')
"
""",
    "All 19,900 pairs in seconds, with counts from one matrix product of your own.",
)
NAMES = Probe(
    "names",
    """python -c "
import statsmodels.stats.api as s
print(*[n for n in dir(s) if n[0] != '_'])
"
""",
    "What its module of tests offers. Sequential tests, logs and pages are not its subject.",
)
TOOL = Tool(
    name="statsmodels",
    package="statsmodels==0.15.0",
    what="The general statistics library of Python: tests, models and corrections as functions.",
    better="Breadth: regression, mixed and survival models, dozens of tests and corrections, "
    "two decades of users. nstar uses it as an oracle in its own tests.",
    probes=(P1, PLAN, CLUSTERS, RUNS, MANY, GATE, NAMES, BIG),
    cells={
        "evaluates": no("names"),
        "paired": yes("p1"),
        "plan": partly("plan", note="from an effect size that you work out"),
        "tell": no("names", note="no such question; the pieces are there"),
        "clusters": yes("clusters", note="by a regression of the differences"),
        "runs": yes("runs", note="mixed models, the widest choice of all"),
        "many": partly("many", note="corrections of p-values, no ranks"),
        "peek": no("names"),
        "missing": no("clusters", note="pairing is yours"),
        "gate": partly("gate", note="paired tests as functions"),
        "readers": no("names", note="arrays and data frames"),
        "html": no("names", note="regression tables only"),
        "big": yes("big", note="with a loop of your own"),
        "judge": no("names"),
        "votes": partly(note="a logistic regression, by hand"),
    },
)
