"""Messages name parameters as the interface in use spells them."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

import nstar
from nstar._data.findings import KINDS
from nstar.cli.kit.spelling import FlagSpeller
from nstar.errors import (
    DataError,
    ParameterError,
    Speller,
    arg,
    by_interface,
    fill_parameters,
    spelling,
)


def test_messages_are_plain_strings() -> None:
    with pytest.raises(ParameterError) as caught:
        nstar.plan(baseline=0.7, delta=0.02, rho=0.5, psi=0.2)
    assert repr(caught.value).isprintable()
    assert str(caught.value) in repr(caught.value)


def test_source_has_no_noncharacter_escapes() -> None:
    for path in Path(nstar.__file__).parent.rglob("*.py"):
        assert "\\ufdd" not in path.read_text("utf-8"), path


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "columns"),
        (0.05, "columns=0.05"),
        ("text", 'columns="text"'),
        ('a"b', "columns='a\"b'"),
        ("item=qid", 'columns={"item": "qid"}'),
    ],
)
def test_python_spells_values_as_literals(value: object, text: str) -> None:
    assert arg("columns", value) == text


def test_the_command_line_spells_options() -> None:
    with spelling(FlagSpeller()):  # outside a command there are no options
        assert arg("errors", "missing") == "errors missing"
        assert by_interface(python="p", command="c") == "c"
    assert arg("errors", "missing") == 'errors="missing"'
    assert by_interface(python="p", command="c") == "p"


def test_a_template_is_filled_when_it_is_used() -> None:
    template = "set {errors=missing}, or omit {tasks}"
    assert fill_parameters(template) == 'set errors="missing", or omit tasks'
    with spelling(FlagSpeller()):
        assert fill_parameters(template) == "set errors missing, or omit tasks"


def test_every_finding_is_a_template() -> None:
    for kind in KINDS.values():
        for text in (kind.meaning, kind.mend):
            assert "{" not in fill_parameters(text).replace('{"', "")


def test_the_spelling_ends_with_its_block_even_after_an_error() -> None:
    with pytest.raises(DataError), spelling(FlagSpeller()):
        raise DataError
    assert arg("errors", "zero") == 'errors="zero"'


def test_a_thread_spells_as_python_unless_it_copies_the_context() -> None:
    texts = []

    def write() -> None:
        texts.append(arg("a", "x"))

    with spelling(FlagSpeller()), ThreadPoolExecutor(1) as pool:
        pool.submit(write).result()
        pool.submit(copy_context().run, write).result()
    assert texts == ['a="x"', "a x"]


def test_an_error_about_a_part_keeps_its_class_and_message() -> None:
    error = DataError("no scores").within("task mmlu")
    assert type(error) is DataError
    assert str(error) == "task mmlu: no scores"


def test_a_speller_spells_as_python_by_default() -> None:
    with spelling(Speller()):
        assert arg("alpha", 0.1) == "alpha=0.1"
