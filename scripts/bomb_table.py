"""Small files that would be large, set off by the real `nstar`: status, time, and memory.

python scripts/bomb_table.py            print the table, some minutes
python scripts/bomb_table.py --write    and put it into docs/evidence/hostile-files.md
python scripts/bomb_table.py arrow      only those with this word in their names

Needs Linux. The same bombs are tests: tests/unit/readers/test_bombs.py. Seconds and
megabytes differ from machine to machine, so nothing checks the page bit by bit.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / part) for part in ("src", "tests")]

from _section import keep  # noqa: E402
from helpers.bombs import BOMBS, MEMORY, SECONDS, Bomb, run  # noqa: E402


def size(n: int) -> str:
    """Bytes in words."""
    return f"{n / 1e6:,.1f} MB" if n >= 1e6 else f"{n / 1e3:,.0f} KB" if n >= 1e3 else f"{n} bytes"


def row(bomb: Bomb) -> str:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(bomb, Path(folder))
        text = " ".join(outcome.printed.replace(f"{folder}/", "").split()).removeprefix("nstar: ")
    if outcome.status != bomb.status or bomb.says not in text:
        print(f"{bomb.name}: not as it should be: {outcome}", file=sys.stderr)
    if outcome.cpu > SECONDS or outcome.peak > MEMORY:
        print(f"{bomb.name}: {outcome.cpu:.0f} CPU s, {outcome.peak:,} bytes", file=sys.stderr)
    cells = (bomb.name, size(outcome.size), str(outcome.status))
    return f"| {' | '.join(cells)} | {outcome.cpu:.1f} | {outcome.peak / 1e6:.0f} |"


def table(words: list[str]) -> Iterator[str]:
    yield "| file | size on disk | exit status | CPU s | peak MB |"
    yield "|---|---|---|---|---|"
    for bomb in BOMBS:
        if not words or any(word.lower() in bomb.name.lower() for word in words):
            line = row(bomb)
            print(line, file=sys.stderr)
            yield line


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    text = "\n".join(table(words))
    print(text)
    if "--write" not in sys.argv or words:
        return 0
    return keep("evidence/hostile-files.md", "bombs", text)


if __name__ == "__main__":
    sys.exit(main())
