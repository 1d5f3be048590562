"""A reader for the LaTeX of a specification: into the terms of forms, by what is declared and by nothing else."""
