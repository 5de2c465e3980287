"""What a wheel brings along, as CycloneDX: ``sbom.py dist/nstar-….whl OUT.cdx.json``.

The wheel and its dependencies are installed into an empty environment, which cyclonedx-py then
lists. Exit status 1 if a direct dependency is not listed. Needs the dependency group "sbom".
"""

import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def main() -> int:
    wheel, out = sys.argv[1:]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with tempfile.TemporaryDirectory() as tmp:
        venv.create(tmp, with_pip=False)
        python = str(Path(tmp) / "bin" / "python")
        # Wheels only: building a dependency would run its code beside the release.
        install = ("install", "--only-binary", ":all:", wheel)
        run(sys.executable, "-m", "pip", "-q", "--python", python, *install)
        listed = ("environment", python, "--pyproject", str(ROOT / "pyproject.toml"))
        written = ("--mc-type", "library", "--output-reproducible", "--of", "JSON", "-o", out)
        run(sys.executable, "-m", "cyclonedx_py", *listed, *written)
    bill = json.loads(Path(out).read_text(encoding="utf-8"))
    bill["metadata"]["component"]["version"] = Path(wheel).name.split("-")[1]  # it is dynamic
    Path(out).write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")
    component_names = {c["name"].lower() for c in bill["components"]}
    requirements = map(Requirement, declared["dependencies"])
    required = {r.name.lower() for r in requirements if r.marker is None or r.marker.evaluate()}
    print(f"{out}: {len(component_names)} components")
    if required - component_names:
        print(f"not listed: {', '.join(sorted(required - component_names))}", file=sys.stderr)
    return 1 if required - component_names else 0


if __name__ == "__main__":
    sys.exit(main())
