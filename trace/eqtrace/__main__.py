"""`python -m eqtrace`."""

from eqtrace.cli.main import main

main()
