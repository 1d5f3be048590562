"""Documentation of a small package that shows its equations."""

project = "layers"
extensions = ["eqtrace.sphinx"]
html_math_renderer = "eqtrace"
eqtrace_project = ".."
