"""`python -m eqtrace`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the folder that one is in: a file of somebody's project is no module of ours

from eqtrace.cli.main import main

main()
