"""Names that strangers may give to models, tasks, items and subjects, and what a sink may show.

Every sink of nstar is tried with every string of :data:`NASTY`; the checks below say what
"nothing is interpreted" means for each. A new sink needs a line in ``SINKS`` of
``tests/unit/report/test_nasty.py`` and a check here (:func:`check_markup` does for SVG too).
"""

import csv
import json
import re
from collections.abc import Collection
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from markdown_it import MarkdownIt

from nstar._base.visible import all_visible

__all__ = ["IN_MARKUP", "NASTY", "check_csv", "check_html", "check_json", "check_latex"]
__all__ += ["check_markdown", "check_markup", "check_terminal", "check_text"]
__all__ += ["check_annotation", "check_comment", "check_data", "check_junit"]

NASTY = {
    "formula": "=1+1",
    "formula, plus": "+1+1",
    "formula, minus": "-1+1",
    "formula, at": "@SUM(1+1)",
    "formula, tab": "\t=1+1",
    "formula, return": "\r=1+1",
    "formula, blank": "  =1+1",
    "formula, full width": "＝1+1",
    "formula, command": "=cmd|' /C calc'!A0",
    "formula, next cell": 'x";=1+1;,@SUM(1)',
    "number": "-5",
    "image": "<img src=x onerror=alert(1)>",
    "script": "</script><script>alert(1)</script>",
    "style": "</style></title></textarea><svg onload=alert(1)>",
    "comment": "<!-- x --> <!DOCTYPE x> <?x?>",
    "cdata": "]]><![CDATA[x",
    "entity": "&amp;&lt;b&gt;&#64;me&#x3c;i>",
    "attribute": '" onmouseover="alert(1)',
    "quotes": "'\"`\"'",
    "backticks": "``` `x` ~~~",
    "pipe": "a|b||c",
    "newlines": "a\nb\r\n\r\n# c",
    "line separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "null": "a\x00b",
    "delete": "a\x7fb\x9bc",
    "color": "\x1b[31mred\x1b[0m",
    "title and bell": "\x1b]0;title\x07",
    "link of a terminal": "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x1b\\",
    "erased line": "\x1b[2K\x1b[1A\rforged",
    "bidi": "a\u202eb\u202ac\u2066d\u2069e\u200ff",
    "zero width": "a\u200bb\u200cc\u2060d\ufeffe\u00adf",
    "fillers": "a\u034fb\u115fc\u1160d\u17b4e\u180bf\u3164g\uffa0h\u2800i",
    "variation selectors": "gpt-4\ufe0f\ufe00\U000e0100",
    "surrogate": "a\ud800b",
    "noncharacter": "a\uffffb\U000e0041c",
    "long": "x" * 10_000,
    "long without end": "&<" * 5_000,
    "emoji": "👩\u200d🚀👨\u200d👩\u200d👧",
    "right to left": "מודל عربي",
    "combining": "Z" + "\u0351\u0342\u0308" * 20 + "e\u0301é",
    "other scripts": "模型 модель ơ ŧ",
    "tex, input": r"\input{/etc/passwd}",
    "tex, shell": r"\immediate\write18{id}",
    "tex, signs": r"100% $x$ a_b^c ~ # & {} \\ \" <>|",
    "tex, unbalanced": "}{{ \\end{table}%",
    "tex, option": "[2cm] *",
    "tex, ligatures": "--- ,, ?` !` '' ``",
    "tex, verb": r"\verb|x| ^^5cinput ^^M",
    "markdown link": "[x](javascript:alert(1))",
    "markdown image": "![x](https://example.org/x.png)",
    "markdown reference": "[x]: https://example.org",
    "bare address": "https://example.org www.example.org me@example.org",
    "mention": "@octocat @org/team",
    "issue": "#1 org/repo#2 GH-3",
    "markdown list": "- x",
    "markdown number": "1. x",
    "markdown heading": "# x",
    "markdown rule": "---",
    "markdown underline": "===",
    "markdown code": "    x",
    "markdown emphasis": "**x** __y__ ~~z~~",
    "markdown formula": r"$\href{javascript:alert(1)}{x}$",
    "rich markup": "[bold red]x[/] [link=https://example.org]y[/link] :smile:",
    "workflow command": "::stop-commands::x",
    "old workflow command": "##[error]x",
    "percent": "%s %d {0} {x} ${x} %0A",
    "prototype": "__proto__",
    "constructor": "constructor",
    "path": "../../etc/passwd",
    "blank": " ",
    "dots": "…",
    "minus": "−–—×≥α",
}
"""One string for each way in which a name has been more than a name somewhere."""

_MARKUP = (
    *("image", "script", "style", "comment", "cdata", "entity", "attribute", "quotes"),
    *("newlines", "line separators", "null", "delete", "color", "bidi", "zero width"),
    "variation selectors",
    *("surrogate", "noncharacter", "long without end", "emoji", "combining", "prototype"),
    *("percent", "blank"),
)
"""Strings that HTML, SVG or a script could take for more than text."""

IN_MARKUP = [
    pytest.param(text, id=key, marks=() if key in _MARKUP else pytest.mark.slow)
    for key, text in NASTY.items()
]
"""All strings for tests of pages and figures. Those for other formats run in the full run only."""


def _printable(text: str, breaks: str = "\n") -> None:
    strange = {c for c in text if not all_visible(c) and c not in breaks}
    assert not strange, f"raw {strange!r}"


def check_text(text: str) -> None:
    """No control, bidi or zero-width character, no command of GitHub Actions."""
    _printable(text)
    assert not re.search(r"^\s*::|##\[", text, re.MULTILINE)


def check_terminal(text: str) -> None:
    """Likewise, but for colors."""
    _printable(re.sub(r"\x1b\[[0-9;]*m", "", text))


def _strings(value: Any) -> Collection[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return {s for k, v in value.items() for s in (k, *_strings(v))}
    return {s for v in value for s in _strings(v)} if isinstance(value, list) else set()


def check_json(text: str, *names: str) -> None:
    """Data that a console can show: no commands in it either."""
    check_text(text)
    check_data(text, *names)


def check_data(text: str, *names: str) -> None:
    """ASCII without control characters; names come back as they were."""
    assert text.isascii()
    _printable(text)
    assert set(names) <= set(_strings(json.loads(text)))


class _Markup(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {key for key, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:80]}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl[:80]}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data[:80]}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a section: {data[:80]}")


def check_markup(text: str, *, tags: Collection[str], attributes: Collection[str]) -> str:
    """Only these tags and attributes; returns the text between them."""
    _printable(text)
    page = _Markup()
    page.feed(text)
    page.close()
    assert page.tags <= set(tags)
    assert page.attributes <= set(attributes)
    return page.text


def check_html(text: str) -> str:
    """A fragment of tables, lists and a curve; returns its text."""
    shown = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    drawn = {"viewbox", "role", "aria-label", "d", "x", "y"}
    return check_markup(
        text,
        tags=shown | {"blockquote", "svg", "path", "text"},
        attributes={"style", "class"} | drawn,
    )


_MARKED = {"paragraph", "inline", "text", "strong", "bullet_list", "list_item", "blockquote"}
_MARKED |= {"table", "thead", "tbody", "tr", "th", "td", "text_special", "fence", "softbreak"}
_OURS = "--format json"


def check_markdown(text: str, limit: int = 60_000) -> str:
    """Tables, lists and bold only; nothing that GitHub makes a link of; returns the text."""
    _printable(text)
    assert len(text.encode()) <= limit
    marked = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    every = [t for token in marked for t in (token, *(token.children or ()))]
    kinds = {
        re.sub(r"_(open|close)$", "", t.type)
        for t in every
        if (t.type, t.content) != ("code_inline", _OURS)
    }
    assert kinds <= _MARKED, kinds - _MARKED
    shown = "\n".join(
        "".join(c.content for c in t.children or ()) for t in every if t.type == "inline"
    )
    live = r"@\w|#\d|\bgh-\d|[a-z]://|\bwww\.|::error"
    assert not re.search(live, shown, re.IGNORECASE), "live on GitHub"
    assert not re.search(r"^\s*::|##\[", text, re.MULTILINE)
    assert "$" not in text
    return shown.replace("\u200b", "")


_FRAME = re.compile(
    r"<!-- nstar-gate:[\w.-]+ -->|### nstar gate: (PASS|REGRESSION|INCONCLUSIVE|INVALID DATA)"
    r"|<details><summary>Notes and assumptions</summary>|</details>"
)


def check_comment(text: str, limit: int = 60_000) -> str:
    """Markdown in a frame of our own, each part of which stands there once."""
    lines = text.splitlines()
    frame = [line for line in lines if _FRAME.fullmatch(line)]
    assert len(set(frame)) == len(frame) <= 4
    return check_markdown("\n".join(x for x in lines if not _FRAME.fullmatch(x)), limit)


def check_annotation(text: str) -> str:
    """One workflow command on one line; returns the message as the runner reads it."""
    _printable(text)
    assert text.count("\n") == 1
    found = re.fullmatch(r"::(notice|warning|error) title=nstar gate%3A [A-Z ]+::(.+)\n", text)
    assert found is not None
    assert "##[" not in text
    assert not re.search(r"%(?!25|0A|0D)", found[2])
    return found[2].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


_JUNIT = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))


def check_junit(text: str) -> ET.Element:
    """ASCII that obeys the schema, with counts that are right; returns the suite."""
    assert text.isascii()
    check_text(text)
    assert "<!" not in text
    _JUNIT.validate(text)
    root = ET.fromstring(text)  # noqa: S314
    suite = root[0]
    for tag, count in {"testcase": "tests", "failure": "failures", "error": "errors"}.items():
        assert root.attrib[count] == suite.attrib[count] == str(len(list(suite.iter(tag))))
    return suite


_TEX = re.compile(
    r"""
      \\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|ldots)\{\}
    | \\(?:ss|o|O|ae|AE|oe|OE|l|L|i|S)\{\}
    | \\[{}$&\#_%,]
    | \{\\char34\} | \{[][*`']\} | \{``\} | \{''\} | \{\}[-,]
    | \$(?:-|\\[a-zA-Z]+|\^\{(?:2|3|\\circ)\})\$
    | \{\\(?:[`'^~=."]|[uvHcr])\{[A-Za-z]\}\}
    | [A-Za-z0-9 .,:;!?()/+=@-]
    """,
    re.VERBOSE,
)
_LAYOUT = re.compile(
    r"""
      ^\\(?:begin|end)\{(?:table|tabular|itemize|longtable)\}(?:\{(?:[lr]|p\{0\.5\\linewidth\})+\})?$
    | ^\\(?:top|mid|bottom)rule$ | ^\\endhead$ | ^\\endgroup$
    | ^\\(?:centering|begingroup)\\(?:small|footnotesize)\\setlength\{\\tabcolsep\}\{[34]pt\}$
    | ^\\paragraph\{(?:Notes|Assumptions)\}$
    | ^%\ \\usepackage\{booktabs(?:,longtable)?(?:,graphicx)?\}$
    | ^\\resizebox\{\\linewidth\}\{!\}\{%$ | ^\\end\{tabular\}\}$
    """,
    re.VERBOSE,
)


_CAPTION = re.compile(
    r"^\\caption\{(.*?)\}(?:\\label\{tab:[a-z0-9-]+\})?(?:\\medskip|\\\\)$|^\\item "
)


def check_latex(text: str) -> None:
    """Our own layout, and between it nothing but characters."""
    _printable(text)
    assert text.isascii()
    for line in text.splitlines():
        if _LAYOUT.match(line):
            continue
        body = re.sub(_CAPTION, r"\1", line)
        body = re.sub(r" \\\\$", "", body)
        for cell in body.split(" & "):
            inside = re.sub(r"^\\(?:textbf|shortstack\[[lr]\])\{(.*)\}$", r"\1", cell)
            inside = inside.replace(r"\\", " ") if cell.startswith(r"\shortstack") else inside
            assert not _TEX.sub("", inside), f"{_TEX.sub('', inside)[:40]} in {inside[:80]}"


_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")


def check_csv(text: str) -> list[dict[str, str]]:
    """One table by RFC 4180 in which nothing begins a formula; returns its rows."""
    _printable(text, "\r\n")
    rows = list(csv.DictReader(StringIO(text, newline=""), strict=True, restkey="more"))
    assert text.count("\n") == text.count("\r\n") == len(rows) + 1
    for row in rows:
        assert "more" not in row
        for cell in row.values():
            parts = [cell] if _NUMBER.fullmatch(cell) else re.split("[;,]", cell)
            safe = (
                _NUMBER.fullmatch(p) or p.lstrip(' "')[:1] not in tuple("=+-@＝") for p in parts
            )
            assert all(safe), cell
    return rows
