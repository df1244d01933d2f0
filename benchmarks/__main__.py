"""`python -m benchmarks` is `python benchmarks/run.py`: the scripts find one another in their own folder."""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
runpy.run_path(str(HERE / "run.py"), run_name="__main__")
