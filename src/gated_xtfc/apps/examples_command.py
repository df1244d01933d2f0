"""`gated-xtfc examples`: what the gallery has, and copies of it to work on."""

from argparse import Namespace
from itertools import groupby
from pathlib import Path

from gated_xtfc.apps.output import OutputFolder, json_text, tell
from gated_xtfc.errors import InputError, quoted, suggestion
from gated_xtfc.files import write_text
from gated_xtfc.gallery import GalleryScript, scripts


def run(arguments: Namespace) -> int:
    known = scripts()
    if not arguments.name and not arguments.all:
        if arguments.to is not None:
            raise InputError("--to says where copies go: name an example to copy, or give --all")
        listed = [{"subject": one.subject, "name": one.name, "title": one.title} for one in known]
        tell(json_text({"examples": listed}) if arguments.json else listing(known))
        return 0
    chosen = known if arguments.all else tuple(called(name, known) for name in arguments.name)
    files = tuple(f"{one.name}.py" for one in chosen)
    folder = OutputFolder.prepare("." if arguments.to is None else arguments.to, files)
    for one, file in zip(chosen, files, strict=True):
        if folder[file].exists():
            raise InputError(f"{quoted(str(folder[file]))} is there already: give another folder by --to")
        write_text(folder[file], one.path.read_text(encoding="utf-8"))
    first = folder.path / files[0]
    where = [str(folder.path / file) for file in files]
    tell(json_text({"written": where}) if arguments.json else f"{folder.written()}\npython {first} runs it")
    return 0


def listing(known: tuple[GalleryScript, ...]) -> str:
    """Names and titles below their subjects."""
    lines: list[str] = []
    for subject, some in groupby(known, key=lambda one: one.subject):
        lines += ["", subject.replace("_", " ")]
        lines += [f"  {one.name:<16}{one.title}" for one in some]
    return "\n".join([*lines[1:], "", "gated-xtfc examples NAME copies one here"])


def called(name: str, known: tuple[GalleryScript, ...]) -> GalleryScript:
    by_name = {one.name: one for one in known}
    wanted = Path(name).stem
    if wanted not in by_name:
        hint = suggestion(wanted, by_name, "gated-xtfc examples lists them")
        raise InputError(f"there is no example {quoted(name)}: {hint}")
    return by_name[wanted]
