"""argparse as this command line wants it: help without a delay, one sentence where an option cannot be used."""

import argparse
import os
from collections.abc import Sequence

TYPE_CHECKING = False  # typing's own takes longer to import than the rest of the help
if TYPE_CHECKING:
    from typing import NoReturn

# Values of these may begin with a minus sign, as in --equation "-nu*u'' + u' = 0".
SIGNED = {
    "--equation", "--domain", "--condition", "--exact", "--guess", "--quantity", "--set", "--tol", "--max-neurons",
    "--max-rounds", "--max-steps", "--max-memory", "--unknown", "--prior", "--noise", "--columns", "--student",
    "--seed", "--sites", "--data", "--near", "--along", "--show", "--stop",
}  # fmt: skip


class Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # argparse would import shutil, and five compression libraries with it, to learn the width of the terminal.
        super().__init__(prog, max_help_position=30, width=terminal_width())


class Parser(argparse.ArgumentParser):
    def __init__(self, program: str, page: str) -> None:
        """`page`: what the program does, an empty line, and what is to stand below the list of options."""
        description, _, examples = page.partition("\n\n")
        super().__init__(program, None, description, examples, formatter_class=Formatter, allow_abbrev=False)

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        return self.parse_args(joined(argv))

    def print_help(self, file: object = None) -> None:
        """argparse would keep quiet about a closed pipe."""
        print(self.format_help(), end="")  # noqa: T201

    def error(self, message: str) -> "NoReturn":
        """One sentence, where argparse would print the usage as well."""
        strange = message.partition("unrecognized arguments: ")[2].split()
        if strange and strange[0].startswith("--"):
            from gated_xtfc.errors import nearest

            option = strange[0].partition("=")[0]
            close = nearest(option, [name for action in self._actions for name in action.option_strings])
            message = f"there is no option {option}" + (f": did you mean {close}?" if close else "")
        self.exit(2, f"gated-xtfc: {message} (see {self.prog} --help)\n")


def joined(argv: Sequence[str]) -> list[str]:
    """`--equation TEXT` as `--equation=TEXT`: argparse takes a separate TEXT with a leading minus for an option."""
    result: list[str] = []
    for argument in argv:
        if result and result[-1] in SIGNED and not argument.startswith("--"):
            result[-1] += "=" + argument
        else:
            result.append(argument)
    return result


def terminal_width() -> int:
    try:
        return min(max(os.get_terminal_size().columns - 2, 60), 120)
    except OSError:
        return 100
