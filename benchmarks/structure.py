"""The shape of the code: files and lines, names used twice, `Any`, and how many modules a solve passes through.

`python benchmarks/structure.py --tree DIR` looks at another checkout (its `src`), so that two can be put side by side.
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent.parent
SOLVES = {
    "a linear solve on an interval": '"u\' - nu*u\'\' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4',
    "a linear solve on a rectangle": (
        '"-eps*(u_xx + u_yy) + u = 1", {"x": (0, 1), "y": (0, 1)}, ["u = 0 on boundary"], eps=1e-4'
    ),
}
# Which files of the package have a function that is called while a problem is solved for the second time.
TRACE = """
import sys
root = sys.argv[1]
sys.path.insert(0, root)
import gated_xtfc as gx
problem = gx.Problem({statement})
gx.solve(problem)
seen = set()
def note(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(root):
        seen.add(frame.f_code.co_filename)
sys.setprofile(note)
gx.solve(problem)
sys.setprofile(None)
print(len(seen))
"""


def visited(source: Path, statement: str) -> int:
    script = TRACE.replace("{statement}", statement)
    done = subprocess.run([sys.executable, "-c", script, str(source)], check=True, capture_output=True, text=True)
    return int(done.stdout)


def figures(tree: Path) -> dict[str, int]:
    source = tree / "src"
    files = sorted((source / "gated_xtfc").rglob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    classes = Counter(name for text in texts for name in re.findall(r"^class (\w+)", text, re.MULTILINE))
    lengths = [text.count("\n") for text in texts]
    return {
        "files": len(files),
        "lines": sum(lengths),
        "files below 45 lines": sum(length < 45 for length in lengths),
        "files in the root of the package": sum(file.parent == source / "gated_xtfc" for file in files),
        "class names used more than once": sum(count > 1 for count in classes.values()),
        "`Any`": sum(len(re.findall(r"\bAny\b", text)) for text in texts),
        **{f"modules visited by {name}": visited(source, statement) for name, statement in SOLVES.items()},
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tree", type=Path, default=HERE, help="the checkout to look at")
    for name, number in figures(options.parse_args().tree.resolve()).items():
        print(f"{number:7d}  {name}")


if __name__ == "__main__":
    main()
