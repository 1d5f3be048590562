"""The base project is data: its test belongs to it, not to this suite."""

collect_ignore = ["base"]
