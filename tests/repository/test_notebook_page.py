"""The page on notebooks shows what its code shows, with pandas and with polars."""

from types import ModuleType

import pytest

from helpers.scripts_as_modules import SCRIPTS, loaded

PAGE = """\
```python
import pandas as pd
x = pd.Series([1, 2])
len(x)
```

```text
old
```

<!-- polars -->

```py
import polars as pl
x = pl.Series([1, 2])
```
"""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(SCRIPTS)
    return loaded("notebook_page")


def test_the_last_value_is_shown(script: ModuleType) -> None:
    assert script.filled(PAGE, script.Notebook()) == PAGE.replace("old", "2")
    assert script.Notebook().run("print('a')\nNone\n") == "a"
    assert script.Notebook().run("x = 1\n") == ""


def test_the_second_run_knows_no_pandas(script: ModuleType) -> None:
    assert type(script.with_polars(PAGE).known["x"]).__module__.startswith("polars")
    with pytest.raises(ImportError, match="pandas"):
        script.with_polars(PAGE.replace("import polars as pl\n", ""))


def test_a_statement_that_replaces_nothing_is_refused(script: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"\['y'\]"):
        script.with_polars(PAGE.replace("x = pl.", "y = pl."))
    with pytest.raises(SystemExit, match="nothing to replace"):
        script.with_polars(PAGE.partition("<!--")[0])


def test_long_lines_are_broken(script: ModuleType) -> None:
    assert max(map(len, script.folded("word " * 60).split("\n"))) <= script.WIDTH
