"""Build sdist and wheel as a release does, and check them; exit status 1 if anything is wrong.

They must come out the same, byte by byte, from another folder with other permissions, dates,
time zone and order of files, and the wheel the same from the sdist as from the checkout. The
sdist holds the repository, the wheel src/nstar and nothing else, and the package index can show
the description: every link in it is whole, and leads to a file of this version.

``--out DIR`` keeps both. ``--once`` skips the second build. Needs the dependency group "release".
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
MOST_KB = {".whl": 2300, ".gz": 4000}
"""Limits that reveal data added by mistake: the source itself is 2,283 and 3,990 kB."""
KINDS = {".py", ".pyi", ".typed", ".json", ".js", ".css", ".ttf"}
FONT_LICENSE = "src/nstar/report/charts/fonts/LICENSE_FONT"
DIST_INFO = {
    *("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"),
    f"licenses/{FONT_LICENSE}",
}
SDIST_ONLY = {"PKG-INFO"}
LINKS = r"\]\(([^)\s]+)\)|\b(?:src|href|srcset)=\"([^\"]+)\""
HERE = r"https://(?:github\.com|raw\.githubusercontent\.com)/nstar-eval/nstar/(?:blob/)?v([^/]+)/([^#]+)"


def tracked() -> list[str]:
    """Files of the repository; those of an unpacked sdist where there is no git."""
    if not (ROOT / ".git").exists():
        paths = (p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file())
        return sorted(n for n in paths if n not in SDIST_ONLY and "__pycache__" not in n)
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listed = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    process = subprocess.run(listed, capture_output=True, check=True, text=True)
    return sorted(n for n in process.stdout.split("\0") if n and (ROOT / n).is_file())


def copied(names: Iterable[str], to: Path, *, mask: int, date: int) -> Path:
    """The files at another place, with the permissions that a mask leaves, all of one date."""
    for name in names:
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        runs = os.access(ROOT / name, os.X_OK)
        target.chmod((0o777 if runs else 0o666) & ~mask)
        os.utime(target, (date, date))
    return to


def built(
    source: Path, out: Path, *kinds: str, mask: int, zone: str, seed: str
) -> dict[str, Path]:
    """The archives by their ending; without kinds the wheel is made from the sdist."""
    ours = {"TZ": zone, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
    # A date of the machine's choice would be another archive; hatchling's own is always the same.
    env = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"} | ours
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *kinds]
    process = subprocess.run(
        [*command, str(source)], env=env, umask=mask, capture_output=True, text=True, check=False
    )
    if process.returncode:
        sys.exit(process.stdout + process.stderr)
    return {path.suffix: path for path in out.iterdir()}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def of_wheel(wheel: Path, names: Iterable[str]) -> Iterator[str]:
    with ZipFile(wheel) as archive:
        names_found = set(archive.namelist())
    info = next(n for n in names_found if n.endswith(".dist-info/METADATA")).partition("/")[0]
    package = {n.removeprefix("src/") for n in names if n.startswith("src/nstar/")}
    required = package | {f"{info}/{n}" for n in DIST_INFO}
    yield from (f"wheel lacks {n}" for n in sorted(required - names_found))
    yield from (f"wheel should not hold {n}" for n in sorted(names_found - required))
    known = FONT_LICENSE.removeprefix("src/")
    strange = {n for n in package - {known} if Path(n).suffix not in KINDS}
    yield from (f"wheel holds a file of an unknown kind: {n}" for n in sorted(strange))


def of_sdist(sdist: Path, names: Iterable[str]) -> Iterator[str]:
    with tarfile.open(sdist) as archive:
        names_found = {n.partition("/")[2] for n in archive.getnames()}
    required = {*names, *SDIST_ONLY}
    yield from (f"sdist lacks {n}" for n in sorted(required - names_found))
    yield from (f"sdist should not hold {n}" for n in sorted(names_found - required))


def of_description(wheel: Path) -> Iterator[str]:
    """Links that the package index could not follow."""
    with ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    text = re.sub(r"^```.*?^```", "", str(metadata.get_payload()), flags=re.M | re.S)
    for link in ("".join(groups) for groups in re.findall(LINKS, text)):
        if match := re.match(HERE, link):
            if match[1] != metadata["Version"] or not (ROOT / match[2]).exists():
                yield f"description links to what is not in this version: {link}"
        elif not link.startswith(("https://", "#")):
            yield f"description has a link that leads nowhere on the index: {link}"


def of_checks(*archives: Path) -> Iterator[str]:
    """What twine says."""
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, archives)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        yield process.stdout + process.stderr


def of_versions() -> Iterator[str]:
    """Places that say the version beside src/nstar/_base/version.py."""
    source = (ROOT / "src/nstar/_base/version.py").read_text(encoding="utf-8")
    version = re.findall(r'__version__ = "(.+)"', source)[0]
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff does not say version: {version}"


def differences(plain: dict[str, Path], names: list[str], tmp: Path) -> Iterator[str]:
    """Archives that come out differently from another place."""
    two = copied(reversed(names), tmp / "another/place", mask=0o077, date=1_700_000_000)
    other = built(two, tmp / "b", mask=0o077, zone="Pacific/Kiritimati", seed="1")
    for suffix, path in plain.items():
        if digest(path) != digest(other[suffix]):
            yield f"{path.name} comes out differently"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder that gets the archives")
    parser.add_argument("--once", action="store_true", help="skip the second build")
    options = parser.parse_args()
    out: Path | None = options.out
    names = tracked()
    with tempfile.TemporaryDirectory() as temporary:
        tmp = Path(temporary)
        one = copied(names, tmp / "one", mask=0o022, date=1_600_000_000)
        plain = built(one, tmp / "a", "--sdist", "--wheel", mask=0o022, zone="UTC", seed="0")
        wrong = [] if options.once else list(differences(plain, names, tmp))
        for suffix, path in plain.items():
            kb = path.stat().st_size / 1000
            print(f"{path.name}  {kb:,.0f} kB  sha256 {digest(path)}")
            if kb > MOST_KB[suffix]:
                wrong.append(f"{path.name} is larger than {MOST_KB[suffix]:,} kB")
        wheel, sdist = plain[".whl"], plain[".gz"]
        wrong += [*of_wheel(wheel, names), *of_sdist(sdist, names), *of_description(wheel)]
        wrong += [*of_checks(wheel, sdist), *of_versions()]
        if out and not wrong:
            out.mkdir(parents=True, exist_ok=True)
            for path in (wheel, sdist):
                shutil.copy(path, out)
    complete = "complete" if options.once else "identical from two places, and complete"
    print(*wrong, sep="\n") if wrong else print(complete)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
