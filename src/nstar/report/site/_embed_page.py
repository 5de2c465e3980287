"""A small page for a frame on another one: the answer and the first models, no script."""

from html import escape

from nstar.report.site._bench import Bench, number
from nstar.report.site._frame import frame
from nstar.report.site._ranking import model_row

_SHOWN = 10


def _row(bench: Bench, i: int) -> str:
    name = escape(bench.name(i, 40))
    before, after = number(bench.cells(i)[1]), number(bench.mean(i))
    return model_row(bench, i, before=before, name=name, after=after)


def embed_page(bench: Bench) -> bytes:
    """``embed.html`` of a benchmark."""
    models = len(bench.audit)
    rows = "\n".join(_row(bench, i) for i in range(min(_SHOWN, models)))
    more = f"All {models:,} models" if models > _SHOWN else "The whole audit"
    body = (
        f'<main class="embed">\n<h1>{escape(bench.title)}</h1>\n'
        f"<p>{escape(bench.source.words.headline)}</p>\n"
        '<div class="scroll" role="region" tabindex="0" aria-label="First models">\n<table>\n'
        '<thead><tr><th scope="col" class="num">rank set</th><th scope="col">model</th>'
        f'<th scope="col" class="num">{escape(bench.header[3])}</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n"
        f'<p><a href="index.html" target="_blank" rel="noopener">{more}</a> · audited by nstar: '
        f"{escape(bench.level)}</p>\n</main>"
    )
    return frame(title=bench.title, body=body, up="../../", page="", footer=False)
