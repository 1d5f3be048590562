"""Formulas of a page as MathML, by the converter of eqtrace's own site: no JavaScript, and no network.

Used for all mathematics of a documentation that sets `html_math_renderer = "eqtrace"`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from eqtrace.report.mathml import LatexUnreadable, convert

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

Visitor = Callable[["HTML5Translator", nodes.Element], None]


def _inline(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append(_markup(translator, node, display=False))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight eqtrace-math"))
    if node.get("number"):
        number = get_node_equation_number(translator, cast("nodes.math_block", node))
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(_markup(translator, node, display=True))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def _markup(translator: HTML5Translator, node: nodes.Element, display: bool) -> str:
    """The formula, or its source where it can't be read."""
    latex = node.astext()
    try:
        found = convert(latex, display)
    except LatexUnreadable as error:
        message = "this LaTeX cannot be shown as mathematics: %s"
        logger.warning(message, error.message, location=node, type="eqtrace", subtype="latex")
        return f"<code>{translator.encode(latex)}</code>"
    styles = "".join(f".{name} {{ {rule} }}" for name, rule in found.rules.items())
    return (f"<style>{styles}</style>" if styles else "") + found.markup


INLINE: tuple[Visitor, None] = (_inline, None)
BLOCK: tuple[Visitor, None] = (_block, None)
