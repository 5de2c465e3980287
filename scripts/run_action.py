"""Run the steps of action.yml here as GitHub's runner would, with a made-up GitHub around them.

python scripts/run_action.py baseline=runs/a candidate=runs/b margin=1pp
python scripts/run_action.py baseline=… candidate=… comment=true --pull-request 7 --comments c.json

Inputs are NAME=VALUE. Steps run in a shell as on GitHub, with its files for outputs, paths and
summaries; workflow commands in their output become annotations; comments go to a server on the
loopback interface that keeps them in the file of --comments. The status is that of the first step
that failed. `--json` prints all of it as one object.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

ROOT = Path(__file__).parents[1]
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "TMPDIR", "SSL_CERT_FILE")
TOKEN = "a-token"
REPOSITORY = "someone/something"
SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail")

PART = re.compile(r"'(?:[^']|'')*'|&&|\|\||!=|!|[A-Za-z_][\w.-]*(?:\(\))?")
SIGNS = {"&&": " and ", "||": " or ", "!=": "!=", "!": " not "}
"""Operators of GitHub's expressions in Python."""
COMMAND = re.compile(r"\s*::(\w[\w-]*)(?:\s+([^:]*))?::(.*)")


def lookup(name: str, context: dict[str, Any]) -> Any:
    """The value of a dotted name or of a call; empty if there is none."""
    if name.endswith("()"):
        return context["calls"][name.removesuffix("()")]
    value: Any = context
    for part in name.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return value


def evaluate(text: str, context: dict[str, Any]) -> Any:
    """The part of GitHub's expressions that the action uses: ``== != && || !``, names, strings."""

    def python(match: re.Match[str]) -> str:
        part = match[0]
        if part.startswith("'"):
            return repr(part[1:-1].replace("''", "'"))
        return SIGNS.get(part) or repr(lookup(part, context))

    return eval(PART.sub(python, text.strip()), {"__builtins__": {}})


def filled(text: str, context: dict[str, Any]) -> str:
    """Text with every ``${{ … }}`` replaced."""
    return re.sub(
        r"\$\{\{(.*?)\}\}", lambda m: str(evaluate(m[1], context)), text, flags=re.DOTALL
    )


def step_runs(step: dict[str, Any], context: dict[str, Any]) -> bool:
    """Whether a step runs: its condition, and no failure before unless it asks for that."""
    text = str(step.get("if", "success()")).strip()
    text = text.removeprefix("${{").removesuffix("}}")
    if not re.search(r"\b(success|always|failure|cancelled)\(\)", text):
        text = f"success() && ({text})"
    return bool(evaluate(text, context))


def unescaped(text: str) -> str:
    for code, sign in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def commands(output: str) -> list[dict[str, str]]:
    """Workflow commands among the lines, as the runner reads them."""
    annotations = []
    for line in output.splitlines():
        match = COMMAND.match(line)
        if match:
            pairs = (p.partition("=")[::2] for p in (match[2] or "").split(",") if p)
            properties = {key.strip(): unescaped(value) for key, value in pairs}
            annotations.append({"command": match[1], **properties, "message": unescaped(match[3])})
    return annotations


def pairs_of(path: Path) -> dict[str, str]:
    """``name=value`` lines of an output file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line)


class Comments(BaseHTTPRequestHandler):
    """The four requests of GitHub's API that matter here."""

    store: list[dict[str, Any]]

    def _answer(self, value: Any, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> str | None:
        """What is to be written; None if the token may not."""
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] == f"Bearer {TOKEN}":
            return str(sent["body"])
        self._answer({"message": "Resource not accessible by integration"}, 403)
        return None

    def do_GET(self) -> None:
        query = {k: int(v[0]) for k, v in parse_qs(urlsplit(self.path).query).items()}
        per = query["per_page"]
        self._answer(self.store[(query["page"] - 1) * per :][:per])

    def do_POST(self) -> None:
        author = {"login": "github-actions[bot]", "type": "Bot"}
        body = self._body()
        if body is not None:
            self.store.append({"id": len(self.store) + 1, "user": author, "body": body})
            self._answer(self.store[-1], 201)

    def do_PATCH(self) -> None:
        comment = self.store[int(self.path.rpartition("/")[2]) - 1]
        body = self._body()
        if body is not None:
            comment["body"] = body
            self._answer(comment)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def github(store: list[dict[str, Any]]) -> Iterator[str]:
    """A server that keeps comments in ``store``; its address."""
    handler = type("Handler", (Comments,), {"store": store})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Job:
    """One run of the action."""

    inputs: dict[str, str]
    workspace: Path
    temp: Path
    api: str
    pull: int | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    annotations: list[dict[str, str]] = field(default_factory=list)
    summary: str = ""
    status: int = 0
    found: dict[str, Any] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)

    def context(self) -> dict[str, Any]:
        head = {"sha": "0123456789abcdef" * 2 + "01234567"}
        event = {} if self.pull is None else {"pull_request": {"number": self.pull, "head": head}}
        ok = self.status == 0
        return {
            "inputs": self.inputs,
            "steps": self.found,
            "github": {"token": TOKEN, "event": event, "repository": REPOSITORY},
            "calls": {"success": ok, "failure": not ok, "always": True, "cancelled": False},
            "true": True,
            "false": False,
        }

    def environment(self, files: dict[str, Path]) -> dict[str, str]:
        variables = {k: v for k, v in os.environ.items() if k in KEPT or k.startswith("PIP_")}
        variables["PATH"] = os.pathsep.join((*reversed(self.path), variables.get("PATH", "")))
        return variables | {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temp),
            **{name: str(path) for name, path in files.items()},
        }

    def run(self, number: int, step: dict[str, Any]) -> None:
        """One step, or a note that it was skipped."""
        context = self.context()
        if "uses" in step or step.get("shell") != "bash":
            raise SystemExit(f"{step.get('name')}: only `run` with `shell: bash` is run here")
        if not step_runs(step, context):
            reason = f"skipped, for this is false: {str(step.get('if', 'success()')).strip()}\n"
            if "pull_request" in reason and self.inputs["comment"] == "true" and self.pull is None:
                reason += "--pull-request N runs it as for a pull request, which has comments\n"
            self.steps.append({"name": step.get("name"), "status": None, "output": reason})
            return
        names = ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_ENV", "GITHUB_STEP_SUMMARY")
        files = {name: self.temp / f"{name.lower()}_{number}" for name in names}
        for file in files.values():
            file.touch()
        script = self.temp / f"step_{number}.sh"
        script.write_text(filled(step["run"], context), encoding="utf-8")
        step_environment = {k: filled(str(v), context) for k, v in step.get("env", {}).items()}
        process = subprocess.run(
            [*SHELL, str(script)],
            cwd=self.workspace,
            env=self.environment(files) | step_environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        record = {"name": step.get("name"), "status": process.returncode, "output": process.stdout}
        self.steps.append(record)
        self.annotations += commands(process.stdout)
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        self.path += files["GITHUB_PATH"].read_text(encoding="utf-8").split("\n")[:-1]
        if "id" in step:
            self.found[step["id"]] = {"outputs": pairs_of(files["GITHUB_OUTPUT"])}
        self.status = self.status or process.returncode


def with_defaults(action: dict[str, Any], inputs: dict[str, str]) -> dict[str, str]:
    """Every input, given or not; refuses unknown and missing ones."""
    declared = action["inputs"]
    unknown = set(inputs) - set(declared)
    missing = {k for k, v in declared.items() if v.get("required")} - set(inputs)
    if unknown or missing:
        raise SystemExit(f"unknown inputs {sorted(unknown)}, missing inputs {sorted(missing)}")
    defaults = {k: str(v.get("default", "")) for k, v in declared.items()}
    secret = {"github": {"token": TOKEN}, "calls": {}}
    return {k: filled(v, secret) for k, v in (defaults | inputs).items()}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("inputs", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--workspace", type=Path, default=Path.cwd(), help="where steps run")
    parser.add_argument("--pull-request", type=int, metavar="N", help="as for pull request N")
    parser.add_argument("--comments", type=Path, metavar="FILE", help="comments, kept over runs")
    parser.add_argument("--json", action="store_true", help="print one object")
    return parser.parse_args()


def say(job: Job, outputs: dict[str, str], comments: list[dict[str, Any]]) -> None:
    for step in job.steps:
        state = "not run" if step["status"] is None else f"exit status {step['status']}"
        print(f"--- {step['name']}: {state}\n{step['output']}", end="")
    print(f"\n--- outputs\n{json.dumps(outputs, indent=2)}")
    print(f"--- annotations\n{json.dumps(job.annotations, indent=2)}")
    print(f"--- job summary\n{job.summary}")
    for comment in comments:
        print(f"--- comment {comment['id']} by {comment['user']['login']}\n{comment['body']}")


def main() -> int:
    options = arguments()
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    inputs_by_name = dict(pair.split("=", 1) for pair in options.inputs)
    file = options.comments
    comments = json.loads(file.read_text("utf-8")) if file and file.exists() else []
    # What a job leaves behind it leaves in RUNNER_TEMP, as there.
    temp = Path(tempfile.mkdtemp(prefix="run-action-"))
    with github(comments) as api:
        inputs = with_defaults(action, inputs_by_name)
        job = Job(inputs, options.workspace.resolve(), temp, api, options.pull_request)
        for number, step in enumerate(action["runs"]["steps"]):
            job.run(number, step)
    outputs = {k: filled(v["value"], job.context()) for k, v in action["outputs"].items()}
    if file:
        file.write_text(json.dumps(comments), encoding="utf-8")
    if options.json:
        report = {"status": job.status, "outputs": outputs, "summary": job.summary}
        report |= {"annotations": job.annotations, "steps": job.steps, "comments": comments}
        print(json.dumps(report, indent=2))
    else:
        say(job, outputs, comments)
    return job.status


if __name__ == "__main__":
    sys.exit(main())
