"""Run the programs of a page one by one: each prints what stands below it.

usage: walk.py PAGE
"""

import re
import subprocess
import sys
from pathlib import Path

BLOCKS = re.compile(r"```py\n(.*?)```\n\n```text\n(.*?)```", re.S)


def main() -> None:
    """Stop at the first program that fails, or says something else."""
    page = Path(sys.argv[1])
    for program, below in BLOCKS.findall(page.read_text(encoding="utf-8")):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
        sys.stdout.write(done.stdout)
        if done.returncode or below not in done.stdout:
            sys.exit(f"{page} shows\n\n{below}\nand this came:\n\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
