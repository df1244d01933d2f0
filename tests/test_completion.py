"""Completion in a shell knows every command and every option, because it is made from the parsers."""

import shutil
import subprocess

import pytest

from gated_xtfc.apps.arguments import COMMANDS
from gated_xtfc.apps.cli import main
from gated_xtfc.apps.completion_command import options_of


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("so", "solve"),
        ("solve --max-m", "--max-memory"),
        ("sweep --sob", "--sobol"),
        ("examples --t", "--to"),
        ("--v", "--version"),
    ],
)
def test_bash_completes_what_was_begun(typed: str, offered: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    words = f"gated-xtfc {typed}".split()
    ask = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _gated_xtfc; echo ${{COMPREPLY[@]}}"
    script = f"{capsys.readouterr().out}\n{ask}"
    found = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.split() == [offered]
    assert not found.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_of_every_command_is_offered(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    for command in COMMANDS:
        assert command in printed
        for option in options_of(command):
            assert (f"-l {option[2:]} " if shell == "fish" else option) in printed


def test_another_shell_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
