"""Mutants of statements: small changes of the kind that people make by mistake. Nothing is run here."""
