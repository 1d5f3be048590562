"""eqtrace: shows that documented equations are what the code computes, line by line."""

__version__ = "0.1.0"
