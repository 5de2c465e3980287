"""A real notebook, run by a kernel and shown light and dark: python notebook.py ROOT FOLDER.

It is a program of its own, because a kernel wants the event loop for itself.
"""

import subprocess
import sys
from pathlib import Path

__all__ = ["CELLS", "THEMES", "written"]

THEMES = ("light", "dark")

CELLS = (
    "import nstar\nimport pandas as pd\ndf = pd.read_csv('examples/results.csv')",
    "nstar.plan(baseline=0.7, delta=0.01)",
    "from IPython.display import HTML\n"
    "HTML(nstar.plan(baseline=0.7, delta=0.01).render('html', level='full'))",
    "nstar.compare(df, a='alpha', b='beta', strata='subject')",
    "nstar.audit(df)",
    "nstar.gate(df, a='alpha', b='beta', margin=0.02)",
    "nstar.runs(pd.read_csv('examples/agents.csv'))",
    "nstar.audit(df.assign(model=df.model + '-' + 'x' * 60, subject=df.subject + ' y' * 40))",
    "nstar.audit(df).figure()",
)
"""Every kind of report, one whole with its curve, one with names too long, and a picture."""

_NOWHERE = ("mathjax_url", "require_js_url", "mermaid_js_url")
"""Scripts that the page would fetch."""


def written(root: Path, folder: Path) -> dict[str, Path]:
    """The notebook as a page of each theme."""
    program = [sys.executable, __file__, str(root), str(folder)]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603
    assert done.returncode == 0, done.stderr[-3000:]
    return {theme: folder / f"{theme}.html" for theme in THEMES}


def _main(root: Path, folder: Path) -> None:
    from nbconvert import HTMLExporter  # noqa: PLC0415
    from nbconvert.preprocessors import ExecutePreprocessor  # noqa: PLC0415
    from nbformat.v4 import new_code_cell, new_notebook  # noqa: PLC0415

    notebook = new_notebook(cells=[new_code_cell(cell) for cell in CELLS])
    run = ExecutePreprocessor(timeout=120, kernel_name="python3")
    run.preprocess(notebook, {"metadata": {"path": str(root)}})
    for theme in THEMES:
        exporter = HTMLExporter(theme=theme, **dict.fromkeys(_NOWHERE, ""))
        text, _ = exporter.from_notebook_node(notebook)
        (folder / f"{theme}.html").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
