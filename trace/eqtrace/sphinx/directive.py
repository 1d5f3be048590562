"""The directive `eqtrace:equation`: an equation, its verdict and its code, in nodes that every builder knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from docutils import nodes
from sphinx import addnodes
from sphinx.directives import ObjectDescription
from sphinx.util.nodes import make_id

from eqtrace.model.anchor import Role
from eqtrace.report.words import ROLES
from eqtrace.sphinx.shown import Line, Shown

if TYPE_CHECKING:
    from eqtrace.sphinx.domain import EquationDomain

_USUAL = (Role.COMPUTES, Role.INLINE, Role.EXPLAINS)


def roles(text: str | None) -> tuple[str, ...]:
    """The option `lines`: roles of cited lines, `all`, or `none`.

    Raises:
        ValueError: something else.
    """
    words = (text or "").replace(",", " ").split()
    if words in (["all"], ["none"]):
        return tuple(Role) if words == ["all"] else ()
    for word in words:
        if word not in tuple(Role):
            raise ValueError(f"'{word}' is no role of a line; roles are {', '.join(Role)}; or write all, or none")
    if not words:
        raise ValueError(f"write roles of lines ({', '.join(Role)}), all, or none")
    return tuple(words)


class EquationDirective(ObjectDescription[str]):
    """Shows one equation; what stands indented below it follows."""

    option_spec: ClassVar[dict[str, Any]] = {**(ObjectDescription.option_spec or {}), "lines": roles}

    @property
    def _domain(self) -> EquationDomain:
        return cast("EquationDomain", self.env.get_domain("eqtrace"))

    def get_signatures(self) -> list[str]:
        """The one id."""
        return [self.arguments[0].strip()]

    def handle_signature(self, sig: str, signode: addnodes.desc_signature) -> str:
        """The heading: the id, then the title."""
        self._domain.note_use(sig, self.get_source_info()[1], link=False)
        found = self._domain.known.equations.get(sig)
        signode += addnodes.desc_name(sig, sig)
        if found is not None and found.title:
            signode += addnodes.desc_annotation("", "", nodes.Text(f" {found.title}"))
        return sig

    def add_target_and_index(self, name: str, sig: str, signode: addnodes.desc_signature) -> None:
        """Where links and the index lead."""
        element = make_id(self.env, self.state.document, "eqtrace", name)
        signode["ids"].append(element)
        self.state.document.note_explicit_target(signode)
        self._domain.note_shown(name, element, signode)
        if "no-index-entry" not in self.options:
            self.indexnode["entries"].append(("single", f"{name} (equation)", element, "", None))

    def _object_hierarchy_parts(self, sig_node: addnodes.desc_signature) -> tuple[str, ...]:
        return (sig_node.astext(),)

    def _toc_entry_name(self, sig_node: addnodes.desc_signature) -> str:
        return self.arguments[0].strip()

    def transform_content(self, content_node: addnodes.desc_content) -> None:
        """Puts what is known of the equation above the text."""
        name = self.arguments[0].strip()
        found = self._domain.known.equations.get(name)
        if found is None:
            parts: list[nodes.Node] = [nodes.paragraph("", f"There is no equation {name}.")]
        else:
            parts = [*self._formula(found), self._facts(found), *self._code(found)]
        content_node[:0] = parts

    def _formula(self, found: Shown) -> Iterator[nodes.Node]:
        if found.latex:
            node = nodes.math_block(found.latex, found.latex, docname=self.env.docname, number=None, label=None)
            node["nowrap"] = node["no-wrap"] = False
            self.set_source_info(node)
            yield node
        elif found.forms:
            text = "\n".join(found.forms)
            yield nodes.literal_block(text, text, language="python", classes=["eqtrace-form"])

    def _facts(self, found: Shown) -> nodes.field_list:
        told = nodes.paragraph()
        told += nodes.inline("", f"{found.sign} {found.word}", classes=["eqtrace-verdict", f"eqtrace-{found.verdict}"])
        told += nodes.Text(f" {found.meaning}")
        if found.site is not None:
            told += nodes.Text(" ")
            told += nodes.reference("", "Evidence", internal=False, refuri=found.site)
        facts = nodes.field_list("", _field("Verdict", told, *(nodes.paragraph("", each) for each in found.evidence)))
        if found.where:
            facts += _field("Where", nodes.paragraph("", "", nodes.literal(found.where, found.where)))
        return facts

    def _code(self, found: Shown) -> Iterator[nodes.Node]:
        wanted = self.options.get("lines", _USUAL)
        for line in found.lines:
            if line.role in wanted:
                yield nodes.paragraph("", "", *_place(line), classes=["eqtrace-place"])
                if line.code:
                    yield nodes.literal_block(line.code, line.code, language="python", classes=["eqtrace-code"])


def _field(name: str, *body: nodes.Node) -> nodes.field:
    return nodes.field("", nodes.field_name("", name), nodes.field_body("", *body))


def _place(line: Line) -> Iterator[nodes.Node]:
    place = f"{line.path}:{line.line}" if line.path else "no such line"
    words = ROLES[Role(line.role)] + (f" ({line.purpose})" if line.purpose else "")
    yield nodes.Text(f"{words}: ")
    shown = nodes.literal(place, place)
    yield nodes.reference("", "", shown, internal=False, refuri=line.address) if line.address else shown
    if line.function:
        yield nodes.Text(" in ")
        yield nodes.literal(line.function, line.function)
