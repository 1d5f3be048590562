"""Documentation as text with places: docstrings and pages, and the formulas that they print."""
