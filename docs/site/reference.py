"""Pages made from the code: the public names with their docstrings, the commands with their options."""

import re

import gated_xtfc as gx
from gated_xtfc.apps.arguments import COMMANDS
from gated_xtfc.apps.manual import OVERVIEW, PAGES
from gated_xtfc.apps.parser import Parser

CLASS = """\
```{{eval-rst}}
.. autoclass:: gated_xtfc.{name}
   :members:
   :inherited-members: ABC, Exception, ValueError, StrEnum, str, object
   :special-members: __call__, __getitem__, __iter__
   :exclude-members: __init__, __new__, with_traceback, add_note, args
```

"""
FUNCTION = """\
```{{eval-rst}}
.. autofunction:: gated_xtfc.{name}
```

"""


def api_page() -> str:
    """Every public name, in the groups that the help of the package has."""
    groups = re.findall(
        r"^    (\w[\w ,]+?)  +(.*(?:\n {24}.*)*)", (gx.__doc__ or "").partition("Public names")[2], re.M
    )
    named = {title: [name for name in re.findall(r"\w+", text) if name in gx.__all__] for title, text in groups}
    rest = [
        name for name in gx.__all__ if not name.startswith("_") and not any(name in some for some in named.values())
    ]
    parts = []
    for title, names in {**named, "more": rest}.items():
        if names:
            parts.append(f"## {title.capitalize()}\n\n")
            parts += [f"### {name}\n\n" + (CLASS if is_class(name) else FUNCTION).format(name=name) for name in names]
    return "".join(parts)


def is_class(name: str) -> bool:
    return isinstance(getattr(gx, name), type)


def command_page() -> str:
    """What `--help` prints, of every command."""
    parts = [f"```text\n{OVERVIEW}```\n\n"]
    for command, page in PAGES.items():
        parser = Parser(f"gated-xtfc {command}", page)
        COMMANDS[command](parser)
        parts.append(f"## {command}\n\n```text\n{parser.format_help()}```\n\n")
    return "".join(parts)
