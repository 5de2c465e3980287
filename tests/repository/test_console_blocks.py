"""Tutorials are run as a reader would run them."""

import os
import shutil
from types import ModuleType

import pytest

from helpers.scripts_as_modules import loaded
from nstar import __version__

pytestmark = pytest.mark.skipif(
    os.name != "posix" or shutil.which("bash") is None, reason="needs bash"
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("console_blocks")


def test_files_and_status_are_carried_over(script: ModuleType) -> None:
    said = script.typed(["echo 1 > a", "cat a", "(exit 3)", "echo $?", "ls"])
    assert said == ["", "1", "", "3", "a"]


def test_nstar_is_the_one_of_this_checkout(script: ModuleType) -> None:
    (said,) = script.typed(["nstar --version | head -1"])
    assert __version__ in said


def test_a_command_may_go_on_in_the_next_line(script: ModuleType) -> None:
    page = "a\n```console\n$ printf '%s\\n' \\\n    one two | tail -1\nold\n```\nb\n"
    assert script.walked(page) == page.replace("old", "two")


def test_blocks_share_one_folder(script: ModuleType) -> None:
    page = "```console\n$ echo 7 > a\n$ echo 8 >> a\n```\nthen\n```console\n$ cat a\n```\n"
    assert script.walked(page) == (
        "```console\n$ echo 7 > a\n\n$ echo 8 >> a\n```\nthen\n```console\n$ cat a\n7\n8\n```\n"
    )


def test_errors_are_part_of_what_is_printed(script: ModuleType) -> None:
    said = script.typed(["nstar compare no-such-folder", "echo $?"])
    assert "no-such-folder" in said[0]
    assert said[1] in "123"


def test_a_failure_that_nobody_mentions_is_an_error(script: ModuleType) -> None:
    with pytest.raises(SystemExit, match="exit status 1"):
        script.typed(["false", "true"])


def test_a_page_without_commands_stays(script: ModuleType) -> None:
    assert script.walked("```sh\npip install nstar\n```\n") == "```sh\npip install nstar\n```\n"
