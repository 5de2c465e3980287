"""What the changelog says of a version, for the page of the release: ``release_notes.py v0.1.0``.

Exit status 1 if it says nothing, or if fragments are left in changelog.d.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def section(changelog: str, version: str) -> str:
    """The text under the heading of a version; empty if there is none."""
    parts = re.split(r"^## (\S+) \(.*\)$", changelog, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return sections.get(version, "").strip()


def main() -> int:
    version = sys.argv[1].removeprefix("v")
    notes = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not notes:
        print(f"CHANGELOG.md has no section of {version}", file=sys.stderr)
    left = [p.name for p in (ROOT / "changelog.d").glob("*.*.md")]
    if left:
        print(f"not in CHANGELOG.md yet: {', '.join(sorted(left))}", file=sys.stderr)
    print(notes)
    return 0 if notes and not left else 1


if __name__ == "__main__":
    sys.exit(main())
