"""Colors and fonts of all figures, in one style sheet so that one CSP hash allows it."""

import re

_COLORS = {
    "paper": ("#fff", "#121518"),
    "ink": ("#15191e", "#eef1f4"),
    "soft": ("#515963", "#aeb7c1"),
    "mid": ("#a3adb8", "#5f6974"),
    "faint": ("#dde2e7", "#2d343b"),
    "band": ("#eceff3", "#20262c"),
    "blue": ("#0a5fa5", "#6cb6ee"),
    "blue-pale": ("#cfe3f4", "#17364f"),
    "amber": ("#c47a00", "#e0a030"),
    "amber-ink": ("#8a5200", "#f0b64a"),
    "win": ("#0a5fa5", "#0a5fa5"),
    "win-pale": ("#9cc5e6", "#1d4058"),
    "loss": ("#c47a00", "#c47a00"),
    "loss-pale": ("#f3d79b", "#6b4d17"),
}
"""Colors of the pages, for light themes and print, and for dark themes.

Blue marks significant gaps, amber inconclusive ones. Models have no color of their own. A win is
darker than a loss, so that they differ in gray.
"""

_LIGHT, _DARK = ({name: pair[k] for name, pair in _COLORS.items()} for k in (0, 1))

_RULES = """
.nf{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,\
"Liberation Sans",sans-serif;\
font-size:13px;\
font-variant-numeric:tabular-nums}
.nf text{fill:var(--nf-ink);stroke:none}
.nf .xx{font-size:64px;font-weight:700}
.nf .x{font-size:24px;font-weight:700}
.nf .l{font-size:18px;font-weight:700}
.nf .h{font-size:16px;font-weight:700}
.nf .n{font-size:14px}
.nf .soft{fill:var(--nf-soft)}
.nf .s{font-size:12px;fill:var(--nf-soft)}
.nf .t{font-size:11px}
.nf .u{font-size:8px}
.nf .amber{fill:var(--nf-amber)}.nf text.amber{fill:var(--nf-amber-ink)}
.nf .blue{fill:var(--nf-blue)}.nf text.blue{fill:var(--nf-blue)}
.nf .ink{fill:var(--nf-ink)}
.nf .b{font-weight:700}
.nf .paper{fill:var(--nf-paper)}
.nf .band{fill:var(--nf-band)}
.nf .marked{fill:var(--nf-blue-pale)}
.nf path{fill:none;stroke-width:1}
.nf .grid{stroke:var(--nf-faint)}
.nf .ci{stroke:var(--nf-mid);stroke-linecap:round}
.nf .score{stroke:var(--nf-soft);stroke-linecap:round}
.nf .set{stroke:var(--nf-amber);stroke-linecap:round}
.nf .set.one{stroke:var(--nf-blue)}
.nf .lo,.nf .hi{font-size:12px}
.nf .rule{stroke:var(--nf-soft)}
.nf .axis{stroke:var(--nf-ink)}
.nf .level{stroke:var(--nf-soft);stroke-dasharray:5 3;stroke-width:1.5}
.nf .dot{stroke:var(--nf-ink);stroke-linecap:round}
.nf .wire{stroke:var(--nf-blue);stroke-width:1.5}
.nf .curve{stroke:var(--nf-blue);stroke-width:2.5;stroke-linejoin:round}
.nf .second{stroke:var(--nf-ink);stroke-width:2;stroke-dasharray:7 4}
.nf .full{fill:var(--nf-blue);stroke:var(--nf-blue);stroke-width:1.5}
.nf .half{fill:var(--nf-paper);stroke:var(--nf-blue);stroke-width:1.5}
.nf .open{fill:var(--nf-paper);stroke:var(--nf-amber);stroke-width:1.5}
.nf .slate{fill:var(--nf-soft)}
.nf .win{fill:var(--nf-win)}
.nf .win-pale{fill:var(--nf-win-pale)}
.nf .loss{fill:var(--nf-loss)}
.nf .loss-pale{fill:var(--nf-loss-pale)}
.nf .o1{fill-opacity:.1}.nf .o2{fill-opacity:.2}.nf .o3{fill-opacity:.3}
.nf .o4{fill-opacity:.4}.nf .o5{fill-opacity:.5}.nf .o6{fill-opacity:.6}
.nf .o7{fill-opacity:.7}.nf .o8{fill-opacity:.8}.nf .o9{fill-opacity:.9}
.nf .ribbon{fill:var(--nf-blue-pale);fill-opacity:.7}
.nf .w2{stroke-width:2}.nf .w3{stroke-width:3}.nf .w4{stroke-width:4}
.nf .w6{stroke-width:6}.nf .w8{stroke-width:8}.nf .w10{stroke-width:10}
"""


def _set(colors: dict[str, str]) -> str:
    return ".nf{" + ";".join(f"--nf-{k}:{v}" for k, v in colors.items()) + "}"


STYLE = (
    f"\n{_set(_LIGHT)}\n@media (prefers-color-scheme:dark){{{_set(_DARK)}}}\n"
    f"@media print{{{_set(_LIGHT)}}}{_RULES}"
)
"""Style sheet for light and dark themes; always light in print."""

PRINT_STYLE = re.sub(r"var\(--nf-([a-z-]+)\)", lambda m: _LIGHT[m[1]], _RULES).replace(
    "font-family:", "font-family:Inter,"
)
"""Style sheet with the light colors written out and our own font, for programs without custom
properties.
"""
