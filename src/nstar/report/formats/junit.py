"""A gate as JUnit XML: one test case per task, for the test tab of a CI server.

The shape is that of Jenkins' ``junit-10.xsd``, which GitLab, Azure, and others read too. A task
without a PASS fails, INCONCLUSIVE as well as REGRESSION, each with its own ``type``; INVALID DATA
is an error. There is no time stamp, so the same gate gives the same bytes.
"""

import re
from collections import Counter
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nstar._base.version import __version__
from nstar.report import document
from nstar.report.formats.text import render_text
from nstar.report.prose.gap import coverage, declared_gap, gap, span
from nstar.report.prose.gate import threshold
from nstar.report.prose.gate.task import unit, verdict_text
from nstar.report.prose.numbers import count, name, pvalue

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate, TaskGate

_CLASS = "nstar.gate"
_NAME_LIMIT = 200
_COMMAND = re.compile(r"(?:^\s*(?=::)|(?=##\[))[:#]", re.MULTILINE)
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _title(check: "TaskGate") -> str:
    """Return task and metric, by which servers follow a test from run to run."""
    task = name(check.task, limit=_NAME_LIMIT) or "all items"
    return f"{task} [{name(check.comparison.metric, limit=_NAME_LIMIT)}]"


def _found(check: "TaskGate") -> str:
    pair, evidence = check.comparison, check.evidence
    if pair.threshold is not None:
        return f"{verdict_text(check.verdict)}: {threshold.outcome(check)}"
    counted = f"{count(pair.n_items)} {unit(check)}" + ("s" if pair.n_items != 1 else "")
    allowed = (
        "no loss allowed" if check.margin is None else f"margin {declared_gap(pair, check.margin)}"
    )
    interval = (
        f"{coverage(evidence.confidence_level)} CI "
        f"{span(pair, evidence.ci, limit=check.margin or 0.0)}"
    )
    return (
        f"{verdict_text(check.verdict)}: gap {gap(pair, pair.gap, sign=True)} ({interval}), "
        f"{allowed}, {counted}"
    )


def _evidence(check: "TaskGate") -> str:
    evidence = check.evidence
    has_baseline = check.comparison.threshold is None
    hypotheses = {
        "worse by the margin or more": evidence.pvalue_not_worse,
        "not worse, adjusted over the tasks": check.pvalue_worse_adjusted,
        "not better": evidence.pvalue_better,
    }
    lines = (f"p of '{text}': {pvalue(p)}" for text, p in hypotheses.items() if p is not None)
    of = f"; candidate minus {'baseline' if has_baseline else 'threshold'}"
    return "\n".join((f"{evidence.pvalue_method}{of}", *lines))


def _case(suite: Element, title: str, verdict: str, message: str, text: str) -> None:
    case = SubElement(suite, "testcase", classname=_CLASS, name=title)
    if verdict == "pass":
        SubElement(case, "system-out").text = f"{message}\n{text}".rstrip()
    else:
        tag = "error" if verdict == "invalid_data" else "failure"
        SubElement(case, tag, type=verdict, message=message).text = text


def _unheard(text: str) -> str:
    """The same XML, in which a runner of GitHub Actions finds no command."""
    return _COMMAND.sub(lambda match: f"{match[0][:-1]}&#{ord(match[0][-1])};", text)


def junit(gate: "Gate") -> str:
    """Return the gate as JUnit XML in ASCII.

    Parameters
    ----------
    gate : Gate
        Result of :func:`nstar.gate`.
    """
    doc = document(gate)
    cases = [(_title(c), c.verdict, _found(c), _evidence(c)) for c in gate.tasks]
    if gate.verdict not in {verdict for _, verdict, *_ in cases}:
        cases.append(("gate", gate.verdict, doc.headline, ""))
    counts = Counter(verdict for _, verdict, *_ in cases)
    errors = counts["invalid_data"]
    total = {
        "tests": str(len(cases)),
        "failures": str(len(cases) - errors - counts["pass"]),
        "errors": str(errors),
    }
    root = Element("testsuites", {"name": "nstar gate", **total})
    suite = SubElement(root, "testsuite", {"name": "nstar gate", **total, "skipped": "0"})
    element = SubElement(suite, "properties")
    candidate, baseline = (name(n, limit=_NAME_LIMIT) for n in gate.models)
    values = {"verdict": gate.verdict, "candidate": candidate, "baseline": baseline}
    values |= {"alpha": f"{gate.criteria.alpha:g}", "nstar": __version__}
    for key, value in values.items():
        SubElement(element, "property", name=key, value=value)
    for case in cases:
        _case(suite, *case)
    SubElement(suite, "system-out").text = render_text(doc)
    indent(root)
    return f"{_HEAD}{_unheard(tostring(root, encoding='us-ascii').decode('ascii'))}\n"
