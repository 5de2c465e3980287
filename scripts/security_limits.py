"""Write the limits and the policy of docs/security.md, read out of the code.

python scripts/security_limits.py            rewrite the page
python scripts/security_limits.py --check    exit 1 if it is stale
"""

import re
import sys

import numpy as np

import nstar
from _section import keep
from nstar._pack.manifest import _MOST_BYTES as MANIFEST
from nstar._pack.names import _MOST_BYTES as NAMES
from nstar.readers import _json, _stream, _zip
from nstar.readers._tables._csv import _HEADER_CAP as HEADER
from nstar.readers.follow import _LONGEST as WATCHED
from nstar.report._format import count


def size(n: int) -> str:
    """Bytes in words."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n >= 1 << shift:
            return f"{n / (1 << shift):g} {unit}"
    return f"{n} bytes"


def limits() -> str:
    rows = [
        ("one line, one element of an array, or the rest of a JSON document", size(_json.CAP)),
        ("one file in an archive, unpacked", size(_zip.MEMBER_CAP)),
        ("files in an archive", count(_zip.ENTRIES_CAP)),
        ("table of contents of an archive", size(_zip.DIRECTORY_CAP)),
        (
            "compression of an archive's file",
            f"{_zip.RATIO_CAP:,} : 1 beyond the first {size(_zip.RATIO_FREE)}",
        ),
        ("a gzip or zstd file, unpacked", size(_stream.INFLATED_CAP)),
        (
            "its compression",
            f"{_stream.RATIO_CAP:,} : 1 beyond the first {size(_stream.RATIO_FREE)}",
        ),
        ("header of a CSV file", size(HEADER)),
        ("a line of a log that is watched", size(WATCHED)),
        ("manifest of a packed matrix", size(MANIFEST)),
        ("names in a packed matrix", size(NAMES)),
    ]
    return "\n".join(["| | at most |", "|---|---|", *(f"| {what} | {n} |" for what, n in rows)])


def policy() -> str:
    matrix = nstar.ScoreMatrix.from_arrays(np.eye(2, 40), models=["a", "b"])
    text = nstar.page(nstar.audit(matrix))
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    rules = re.sub(r"'sha256-[^']*'", "'sha256-…'", found[1])
    return (
        "The policy of a page (`--html`); the two hashes are those of its only script and its "
        f"only style sheet:\n\n```text\n{rules}\n```"
    )


if __name__ == "__main__":
    sys.exit(keep("security.md", "limits", limits()) | keep("security.md", "policy", policy()))
