"""`gated-xtfc completion SHELL`: a script that completes commands and options, made from the parsers themselves."""

import re
from argparse import Namespace

from gated_xtfc.apps.arguments import COMMANDS
from gated_xtfc.apps.manual import OVERVIEW, PAGES
from gated_xtfc.apps.output import tell
from gated_xtfc.apps.parser import Parser

BASH = """\
_gated_xtfc() {
    local current="${COMP_WORDS[COMP_CWORD]}" options=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "%(commands)s --help --version" -- "$current"))
        return
    fi
    case "${COMP_WORDS[1]}" in
%(cases)s
    esac
    case "$current" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
        *) COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
}
complete -o filenames -F _gated_xtfc gated-xtfc"""
ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def run(arguments: Namespace) -> int:
    options = {command: options_of(command) for command in COMMANDS}
    if arguments.shell == "fish":
        tell(fish(options))
        return 0
    cases = "\n".join(f'        {command}) options="{" ".join(names)}" ;;' for command, names in options.items())
    script = BASH % {"commands": " ".join(options), "cases": cases}
    tell(ZSH + script if arguments.shell == "zsh" else script)
    return 0


def options_of(command: str) -> dict[str, str]:
    """The options of a command with what they are for."""
    parser = Parser(f"gated-xtfc {command}", PAGES[command])
    COMMANDS[command](parser)
    return {name: action.help or "" for action in parser._actions for name in action.option_strings if name[:2] == "--"}


def fish(options: dict[str, dict[str, str]]) -> str:
    about = dict(re.findall(r"^  (\w+) +(.*)$", OVERVIEW, re.MULTILINE))
    lines = [
        f"complete -c gated-xtfc -n __fish_use_subcommand -f -a {command} -d {quoted(about.get(command, ''))}"
        for command in options
    ]
    for command, names in options.items():
        here = f"'__fish_seen_subcommand_from {command}'"
        lines += [f"complete -c gated-xtfc -n {here} -l {name[2:]} -d {quoted(text)}" for name, text in names.items()]
    return "\n".join(lines)


def quoted(text: str) -> str:
    """One word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
