"""Formulas that documentation prints: read in LaTeX or as programs write them, held against forms, or made one."""
