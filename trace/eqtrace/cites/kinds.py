"""Kinds of files, by their extensions."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PROSE = words("md markdown mdx rst adoc asciidoc html htm ipynb")
"""Documents: all of their text is prose, but for code blocks."""

CODE = words(
    "py pyi pyx pxd rs go c h cc cpp cxx hpp hh hxx cu cuh m mm java kt kts scala groovy cs fs vb swift dart js jsx "
    "mjs cjs ts tsx mts cts vue svelte rb php pl pm lua r jl hs ml mli ex exs erl hrl clj cljs el lisp zig nim cr d v "
    "sv vhd sh bash zsh fish ps1 bat yaml yml toml ini cfg cmake mk sql proto graphql tf nix dockerfile css scss less "
    "f90 f95 f for asm s sol bzl star gradle"
)
"""Code: comments, docstrings and string literals hold prose."""

KNOWN = CODE | PROSE | words("txt json jsonc json5 xml csv tsv lock log conf env inc tpl j2 jinja in patch")
"""Extensions that make a word a file name even where no such file is here."""

NAMES = words("Makefile Dockerfile Justfile justfile Rakefile Gemfile Jenkinsfile Procfile")
"""Files that have no extension."""

INDENTED = words("py pyi pyx pxd yaml yml nim")
"""Languages whose blocks end where the indentation does."""

PYTHON = words("py pyi")
