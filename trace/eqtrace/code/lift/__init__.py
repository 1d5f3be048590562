"""Functions read as formulas: what a body returns, as the text of a form, or why it is none. Nothing is run."""
