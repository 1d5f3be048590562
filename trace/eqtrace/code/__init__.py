"""From source files to an index of their functions and statements. Nothing of the code is ever run."""
