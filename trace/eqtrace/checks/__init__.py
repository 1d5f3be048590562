"""One check a file; the registry is in `eqtrace.checks.registry`."""
