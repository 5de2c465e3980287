"""A gate as JUnit XML: one test case per task, for the test tab of a CI server.

The shape is that of Jenkins' ``junit-10.xsd``, which GitLab, Azure and others read too. A task
that is not shown to be in order fails, INCONCLUSIVE as much as REGRESSION, each with its own
``type``; INVALID DATA is an error. There is no clock in it: the same gate gives the same bytes.
"""

import re
from collections import Counter
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nstar._base.version import __version__
from nstar.report import document
from nstar.report.formats.text import render_text
from nstar.report.prose.gap import coverage, gap, span
from nstar.report.prose.gate.task import unit
from nstar.report.prose.numbers import count, name, pvalue

if TYPE_CHECKING:
    from nstar._verbs.gate import Check, Gate

_CLASS = "nstar.gate"
_NAME_LIMIT = 200
_COMMAND = re.compile(r"(?:^\s*(?=::)|(?=##\[))[:#]", re.MULTILINE)
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _title(check: "Check") -> str:
    """Task and metric, by which servers follow a test from run to run."""
    task = name(check.task, limit=_NAME_LIMIT) or "all items"
    return f"{task} [{name(check.pair.metric, limit=_NAME_LIMIT)}]"


def _found(check: "Check") -> str:
    pair, seen = check.pair, check.evidence
    counted = f"{count(pair.n_items)} {unit(check)}" + ("s" if pair.n_items != 1 else "")
    allowed = "no loss allowed" if check.margin is None else f"margin {gap(pair, check.margin)}"
    return (
        f"{check.answer}: gap {gap(pair, pair.gap, sign=True)} ({coverage(seen.conf)} interval "
        f"{span(pair, seen.ci)}), {allowed}, {counted}"
    )


def _evidence(check: "Check") -> str:
    seen = check.evidence
    hypotheses = {
        "worse by the margin or more": seen.p_within,
        "not worse, adjusted over the tasks": check.p_worse_adjusted,
        "not better": seen.p_better,
    }
    said = (f"p of '{text}': {pvalue(p)}" for text, p in hypotheses.items() if p is not None)
    return "\n".join((f"{seen.method}; candidate minus baseline", *said))


def _case(suite: Element, title: str, answer: str, message: str, text: str) -> None:
    case = SubElement(suite, "testcase", classname=_CLASS, name=title)
    if answer == "PASS":
        SubElement(case, "system-out").text = f"{message}\n{text}".rstrip()
    else:
        tag = "error" if answer == "INVALID DATA" else "failure"
        SubElement(case, tag, type=answer, message=message).text = text


def _properties(suite: Element, gate: "Gate") -> None:
    held = SubElement(suite, "properties")
    candidate, baseline = (name(n, limit=_NAME_LIMIT) for n in gate.names)
    values = {"answer": gate.answer, "candidate": candidate, "baseline": baseline}
    values |= {"alpha": f"{gate.criteria.alpha:g}", "nstar": __version__}
    for key, value in values.items():
        SubElement(held, "property", name=key, value=value)


def _unheard(text: str) -> str:
    """The same XML, in which a runner of GitHub Actions finds no command."""
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", text)


def junit(gate: "Gate") -> str:
    """The gate as JUnit XML in ASCII, safe in any pipe.

    Parameters
    ----------
    gate
        Result of :func:`nstar.gate`.
    """
    doc = document(gate)
    cases = [(_title(c), str(c.answer), _found(c), _evidence(c)) for c in gate.tasks]
    if gate.answer not in {answer for _, answer, *_ in cases}:
        cases.append(("gate", gate.answer, doc.headline, ""))
    held = Counter(answer for _, answer, *_ in cases)
    errors = held["INVALID DATA"]
    total = {
        "tests": str(len(cases)),
        "failures": str(len(cases) - errors - held["PASS"]),
        "errors": str(errors),
    }
    root = Element("testsuites", {"name": "nstar gate", **total})
    suite = SubElement(root, "testsuite", {"name": "nstar gate", **total, "skipped": "0"})
    _properties(suite, gate)
    for case in cases:
        _case(suite, *case)
    SubElement(suite, "system-out").text = render_text(doc)
    indent(root)
    return f"{_HEAD}{_unheard(tostring(root, encoding='us-ascii').decode('ascii'))}\n"
