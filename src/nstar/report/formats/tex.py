"""Text to LaTeX: nothing in it is a command, and plain pdflatex can set it."""

import re
from itertools import pairwise
from unicodedata import normalize

_COMMANDS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "‘": "{`}",
    "’": "{'}",
    "“": "{``}",
    "”": "{''}",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "§": r"\S{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    **{sign: f"{{{sign}}}" for sign in "[]*`'"},
}
"""Brackets and stars would be read as options of ``\\\\``, quotes would run together."""

_MATHS = {
    "−": "-",
    "×": r"\times",
    "·": r"\cdot",
    "≥": r"\geq",
    "≤": r"\leq",
    "≠": r"\neq",
    "≈": r"\approx",
    "±": r"\pm",
    "∞": r"\infty",
    "√": r"\surd",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "²": "^{2}",
    "³": "^{3}",
    "°": r"^{\circ}",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\epsilon",
    "θ": r"\theta",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "µ": r"\mu",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "τ": r"\tau",
    "φ": r"\phi",
    "χ": r"\chi",
    "ψ": r"\psi",
    "ω": r"\omega",
    "Γ": r"\Gamma",
    "Δ": r"\Delta",
    "Σ": r"\Sigma",
    "Φ": r"\Phi",
    "Ψ": r"\Psi",
    "Ω": r"\Omega",
}

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def _sign(sign: str) -> str:
    """One character; one that pdflatex has no letter for is told by its number."""
    if sign in _COMMANDS:
        return _COMMANDS[sign]
    if sign in _MATHS:
        return f"${_MATHS[sign]}$"
    if " " <= sign <= "~":
        return sign
    parts = normalize("NFD", sign)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"{{\\{_ACCENTS[parts[1]]}{{{parts[0]}}}}}"
    return f"{{[}}U+{ord(sign):04X}{{]}}"


_UNIT = re.compile(r"(?<=\d) (?=\\%)")


def tex(text: str) -> str:
    r"""Text on one line in which every special character is a character.

    Examples
    --------
    >>> print(tex("50 % of A_1 & α ≥ −2"))
    50\,\% of A\_1 \& $\alpha$ $\geq$ $-$2
    """
    line = " ".join(normalize("NFC", text).split())
    signs = (
        "{}" + sign if sign == before and sign in "-," else _sign(sign)
        for before, sign in pairwise(f" {line}")
    )
    return _UNIT.sub(r"\\,", "".join(signs))
