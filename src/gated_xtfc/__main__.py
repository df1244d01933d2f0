"""`python -m gated_xtfc` is the command `gated-xtfc`."""

import sys

from gated_xtfc.apps.cli import main

sys.exit(main())
