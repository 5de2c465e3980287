"""Post a comment on a pull request, or edit the one that an earlier run of the gate left.

python scripts/sticky_comment.py comment.md

Used by action.yml. The first line of the file is an invisible marker; a comment by a bot that
begins with it is replaced. Reads GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, PULL_REQUEST and
COMMIT to say which commit the comment is about. A comment that cannot be written is a notice (a
token that may not write, as on a pull request from a fork) or a warning (anything else), never a
failure: the job's status has the answer.
"""

import http.client
import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PER_PAGE = 100
PAGES = 50
MARKER = re.compile(r"<!-- nstar-gate:[A-Za-z0-9._-]+ -->")
COMMIT = re.compile(r"[0-9a-f]{40,64}")


def call(method: str, path: str, data: dict[str, str] | None = None) -> Any:
    """One request to the API of GitHub; its JSON answer."""
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = urllib.request.Request(
        f"{api}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}",
        data=None if data is None else json.dumps(data).encode(),
        method=method,
        headers={
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "nstar-gate",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def earlier(pull: int, marker: str) -> int | None:
    """The comment to edit: by a bot, and with the marker as its first line."""
    for page in range(1, PAGES + 1):
        comments = call("GET", f"issues/{pull}/comments?per_page={PER_PAGE}&page={page}")
        for comment in comments:
            first = (comment.get("body") or "").split("\n", 1)[0].strip()
            author = comment.get("user") or {}
            if author.get("type") == "Bot" and first == marker:
                return int(comment["id"])
        if len(comments) < PER_PAGE:
            break
    return None


def post(body: str) -> str:
    """Write the comment; what was done, in a word."""
    pull = int(os.environ["PULL_REQUEST"])
    marker = body.split("\n", 1)[0]
    if not MARKER.fullmatch(marker):
        raise SystemExit("the first line is not the marker of a gate")
    commit = os.environ.get("COMMIT", "")
    if COMMIT.fullmatch(commit):
        body += f"\nFor commit {commit}.\n"
    known = earlier(pull, marker)
    if known is None:
        call("POST", f"issues/{pull}/comments", {"body": body})
        return "added"
    call("PATCH", f"issues/comments/{known}", {"body": body})
    return "edited"


def main(path: str) -> int:
    body = Path(path).read_text(encoding="utf-8")
    try:
        print(f"comment {post(body)}")
    except urllib.error.HTTPError as error:
        level, reason = "warning", "the comment is not up to date"
        if error.code in (401, 403, 404):
            level, reason = "notice", "a pull request from a fork, or no pull-requests: write"
        print(f"::{level} title=nstar gate::no comment: GitHub answered {error.code} ({reason})")
    except (OSError, http.client.HTTPException, ValueError, TypeError, AttributeError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split()).replace("%", "%25")
        print(f"::warning title=nstar gate::no comment: {reason[:300]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
