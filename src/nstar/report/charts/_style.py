"""Colors and type of every figure: one style sheet, the same in each, so one hash allows it."""

import re

_COLORS = {
    "paper": ("#fff", "#14171a"),
    "ink": ("#1a1a1a", "#f0f0f0"),
    "soft": ("#555", "#b4b4b4"),
    "line": ("#c8c8c8", "#4a4f55"),
    "faint": ("#dfe3e8", "#343b43"),
    "band": ("#f2f5f8", "#1d2329"),
    "marked": ("#dcebf6", "#253b4b"),
    "better": ("#0072b2", "#56b4e9"),
    "better-pale": ("#9ccae6", "#2b5a78"),
    "worse": ("#d55e00", "#e69f00"),
    "win": ("#0072b2", "#0072b2"),
    "win-pale": ("#9ccae6", "#1d4058"),
    "loss": ("#e69f00", "#e69f00"),
    "loss-pale": ("#f8dfae", "#6b4d17"),
    "equal": ("#00795a", "#00795a"),
    "set": ("#eeb03a", "#c98a1b"),
    "set-ink": ("#7a4a00", "#f6cf8a"),
}
"""Light, as in print, and dark: Okabe and Ito's blue, vermilion, orange and green with paler
steps; a win is darker than a loss, so that they differ in gray."""

_LIGHT, _DARK = ({name: pair[k] for name, pair in _COLORS.items()} for k in (0, 1))

_RULES = """
.nf{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;\
font-size:13px;\
font-variant-numeric:tabular-nums}
.nf text{fill:var(--nf-ink);stroke:none}
.nf .x{font-size:24px;font-weight:700}
.nf .l{font-size:18px;font-weight:700}
.nf .h{font-size:16px;font-weight:700}
.nf .n{font-size:14px}
.nf .soft{fill:var(--nf-soft)}
.nf .s{font-size:12px;fill:var(--nf-soft)}
.nf .t{font-size:11px}
.nf .ink{fill:var(--nf-ink)}
.nf .b{font-weight:700}
.nf .paper{fill:var(--nf-paper)}
.nf .band{fill:var(--nf-band)}
.nf .marked{fill:var(--nf-marked)}
.nf path{fill:none;stroke-width:1}
.nf .grid{stroke:var(--nf-faint)}
.nf .ci{stroke:var(--nf-better-pale);stroke-linecap:round}
.nf .score{stroke:var(--nf-better);stroke-linecap:round}
.nf .set{stroke:var(--nf-set);stroke-linecap:round}
.nf .lo,.nf .hi{font-size:12px;fill:var(--nf-set-ink)}
.nf .rule{stroke:var(--nf-soft)}
.nf .axis{stroke:var(--nf-ink)}
.nf .sheet{stroke:var(--nf-paper)}
.nf .level{stroke:var(--nf-worse);stroke-dasharray:5 3;stroke-width:1.5}
.nf .dot{stroke:var(--nf-ink);stroke-linecap:round}
.nf .span{stroke:var(--nf-better-pale);stroke-linecap:round}
.nf .wire{stroke:var(--nf-better);stroke-width:1.5}
.nf .curve{stroke:var(--nf-better);stroke-width:2.5;stroke-linejoin:round}
.nf .second{stroke:var(--nf-worse);stroke-width:2.5;stroke-dasharray:7 4}
.nf .full{fill:var(--nf-better);stroke:var(--nf-better);stroke-width:1.5}
.nf .open{fill:var(--nf-paper);stroke:var(--nf-better);stroke-width:1.5}
.nf .win{fill:var(--nf-win)}
.nf .win-pale{fill:var(--nf-win-pale)}
.nf .loss{fill:var(--nf-loss)}
.nf .loss-pale{fill:var(--nf-loss-pale)}
.nf .equal{fill:var(--nf-equal)}
.nf .o1{fill-opacity:.1}.nf .o2{fill-opacity:.2}.nf .o3{fill-opacity:.3}
.nf .o4{fill-opacity:.4}.nf .o5{fill-opacity:.5}.nf .o6{fill-opacity:.6}
.nf .o7{fill-opacity:.7}.nf .o8{fill-opacity:.8}.nf .o9{fill-opacity:.9}
.nf .ribbon{fill:var(--nf-better-pale);fill-opacity:.5}
.nf .on{stroke:#fff;stroke-linecap:round}
.nf .under{stroke:#1a1a1a;stroke-linecap:round}
.nf .over{stroke:var(--nf-ink);stroke-linecap:round}
.nf .w2{stroke-width:2}.nf .w3{stroke-width:3}.nf .w4{stroke-width:4}
.nf .w6{stroke-width:6}.nf .w8{stroke-width:8}.nf .w10{stroke-width:10}
"""


def _set(colors: dict[str, str]) -> str:
    return ".nf{" + ";".join(f"--nf-{k}:{v}" for k, v in colors.items()) + "}"


STYLE = (
    f"\n{_set(_LIGHT)}\n@media (prefers-color-scheme:dark){{{_set(_DARK)}}}\n"
    f"@media print{{{_set(_LIGHT)}}}{_RULES}"
)
"""Light and dark as the reader's system asks; always light in print."""

PRINT_STYLE = re.sub(r"var\(--nf-([a-z-]+)\)", lambda m: _LIGHT[m[1]], _RULES).replace(
    "font-family:", "font-family:Inter,"
)
"""The light colors written out, for programs that know no custom properties, and our own type."""
