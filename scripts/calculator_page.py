"""Write docs/calculator/index.html: one file that plans, checks, and compares without nstar.

python scripts/calculator_page.py            rewrite the page
python scripts/calculator_page.py --check    exit 1 if it is stale

Its arithmetic is that of the pages of nstar: numbers.js and detection.js, and core.js on top.
"""

import sys
from pathlib import Path

from _section import keep_page
from nstar.report.page._document import content_policy, head, script

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "scripts" / "calculator"
PAGE = ROOT / "docs" / "calculator" / "index.html"
TITLE = "Which differences can your evaluation support? · nstar calculator"
FOOTER = (
    "The arithmetic is that of nstar's pages. A test compares it with the Python functions on "
    "500 random inputs."
)


def calculator() -> str:
    """Return the page: a policy, one style sheet, the markup, and one script."""
    sources = [(SOURCES / name).read_text(encoding="utf-8") for name in ("core.js", "view.js")]
    code = script(("numbers.js", "detection.js"), sources)
    style = (SOURCES / "calculator.css").read_text(encoding="utf-8")
    body = (SOURCES / "page.html").read_text(encoding="utf-8").replace("@FOOTER@", FOOTER)
    lines = [
        *head(TITLE, content_policy(scripts=code, styles=style)),
        f"<style>{style}</style>",
        *("</head>", "<body>", body.rstrip()),
        f"<script>{code}</script>",
        *("</body>", "</html>"),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(keep_page(PAGE, calculator()))
