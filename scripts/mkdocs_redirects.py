"""A hook of MkDocs: pages that were moved or merged redirect to their new address.

``scripts/check_site.py`` checks the target of each redirect, because a redirect is a page with a
link.
"""

import posixpath
from html import escape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

REDIRECTS = {
    "agents": "budget/#from-a-pilot",
    "bad-input": "reference/messages/#broken-and-hostile-input",
    "ci": "gate/#in-ci",
    "concepts": "start/reading-a-report/",
    "concepts/many-comparisons": "concepts/ranks/#the-family-of-comparisons",
    "concepts/mde-and-n-star": "start/reading-a-report/#two-thresholds",
    "concepts/q": "start/reading-a-report/#items-needed",
    "concepts/runs": "concepts/noise/",
    "demo": "start/first-comparison/",
    "evidence/budgets": "published-figures/",
    "extend/chart": "extend/#a-chart",
    "extend/reader": "extend/#a-log-format",
    "extend/scenario": "extend/#a-scenario-a-test-or-an-interval",
    "install": "start/first-comparison/#install",
    "known": "shrink/#a-new-model-on-some-of-the-items",
    "mcp": "extend/#tools-for-coding-agents",
    "methods": "methods/two-models/",
    "methods/fewer-items": "methods/many-models/#fewer-items",
    "methods/graded": "methods/two-models/#graded-scores",
    "methods/groups": "methods/two-models/#strata-and-clusters",
    "methods/items": "methods/many-models/#items",
    "methods/judges": "methods/many-models/#judges",
    "methods/looks": "methods/planning/#interim-looks",
    "methods/many": "methods/many-models/#families-of-comparisons",
    "methods/paired": "methods/two-models/#paired-01-scores",
    "methods/printed": "methods/planning/#reported-figures",
    "methods/runs": "methods/planning/#repeated-runs",
    "methods/small-gaps": "methods/two-models/#margins",
    "methods/unpaired": "methods/two-models/#different-items-one-model-precision",
    "methods/votes": "methods/many-models/#votes-between-models",
    "pack": "scale/#scores-larger-than-memory",
    "pages": "share/#html-pages",
    "papers": "share/#latex",
    "peers/votes": "peers/#votes-in-other-tools",
    "performance": "evidence/performance/",
    "race": "watch/#race-several-models",
    "reference/api/checking": "reference/functions/#simulate-and-check",
    "reference/api/claiming": "reference/functions/#published-claims",
    "reference/api/comparing": "reference/functions/#compare-and-rank",
    "reference/api/errors": "reference/types-errors/#errors-and-warnings",
    "reference/api/integrations": "reference/types-errors/#integrations",
    "reference/api/judging": "reference/functions/#judges",
    "reference/api/planning": "reference/functions/#plan",
    "reference/api/reading": "reference/functions/#read",
    "reference/api/releasing": "reference/functions/#stop-early-and-gate",
    "reference/api/report": "reference/types-errors/#reports-and-figures",
    "reference/api/running": "reference/functions/#runs",
    "reference/api/showing": "reference/results/#all-results",
    "reference/api/shrinking": "reference/functions/#fewer-items",
    "reference/api/stats-fewer": "reference/stats/fewer/",
    "reference/api/stats-graded": "reference/stats/graded/",
    "reference/api/stats-groups": "reference/stats/groups/",
    "reference/api/stats-judges": "reference/stats/judges/",
    "reference/api/stats-looks": "reference/stats/looks/",
    "reference/api/stats-many": "reference/stats/many/",
    "reference/api/stats-paired": "reference/stats/paired/",
    "reference/api/stats-power": "reference/stats/power/",
    "reference/api/stats-runs": "reference/stats/runs/",
    "reference/api/stats-votes": "reference/stats/votes/",
    "reference/api/types": "reference/types-errors/#types",
    "reference/api/voting": "reference/functions/#votes",
    "reference/python": "reference/functions/",
    "reference/schemas": "reference/results/#json",
    "selfcheck": "validation/#reference-values",
    "site": "share/#website",
    "stability": "security/#stability",
    "tutorials": "tutorials/researcher/",
    "tutorials/designer": "plan/",
    "tutorials/reviewer": "claim/",
    "votes-peers": "peers/#votes-in-other-tools",
}
"""Old addresses, and where their content is now, relative to the root of the site."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{canonical}">
<meta http-equiv="refresh" content="0; url={target}">
</head>
<body><p>This page is now at <a href="{target}">{target}</a>.</p></body>
</html>
"""


def on_post_build(config: MkDocsConfig) -> None:
    """Write a page for each old address."""
    for old, new in REDIRECTS.items():
        path = Path(config.site_dir, old, "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        target = escape(posixpath.join(posixpath.relpath(".", old), new))
        path.write_text(
            PAGE.format(target=target, canonical=f"{config.site_url}{new}"), encoding="utf-8"
        )
